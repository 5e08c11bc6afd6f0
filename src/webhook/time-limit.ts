class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';
}

/**
 * Waits for `work` at most `ms`. Then aborts the signal given to `work` and rejects with DeadlineExceededError, even if `work` goes on.
 */
export async function withinDeadline(ms: number, work: (deadline: AbortSignal) => Promise<void>): Promise<void> {
  const deadline = new AbortController();
  const exceeded = new Promise<never>((_, reject) => {
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason));
  });
  const timer = setTimeout(() => deadline.abort(new DeadlineExceededError(`Not done within ${ms} ms`)), ms);
  try {
    await Promise.race([work(deadline.signal), exceeded]);
  } finally {
    clearTimeout(timer);
  }
}
