/** `payment-gateway simulator`: the simulated gateway as a server of its own, for the apps of the settings. */
import { loadConfig, requireApps } from '../config';
import { createLogger } from '../log';
import { runSimulator } from '../simulator';

export async function simulator(env: Record<string, string | undefined>): Promise<void> {
  const config = loadConfig(env);
  const log = createLogger('simulator', config.LOG_LEVEL);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await runSimulator({
    host: config.SIMULATOR_HOST,
    port: config.SIMULATOR_PORT,
    publicUrl: config.SIMULATOR_PUBLIC_URL,
    dataFile: config.SIMULATOR_DATA_FILE,
    clock: { speed: config.SIMULATOR_SPEED },
    allowRemoteControl: config.SIMULATOR_INSECURE_REMOTE_CONTROL,
    apps: requireApps(config),
    signatureHeader: config.GATEWAY_SIGNATURE_HEADER,
    signatureScheme: config.GATEWAY_SIGNATURE_SCHEME,
    log: (message, details) => log.info(details, message),
    signal: stop.signal,
    ready: ({ url }) => log.info({ url }, 'the simulated gateway listens'),
  });
}
