/** Waits for a person, or the system, to end this process. */

const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];

/** Resolves at the first of these signals. Until then they do not end the process. */
export function stopSignal(signals = STOP_SIGNALS): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of signals) process.off(signal, stop);
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
  });
}
