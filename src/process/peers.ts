/** OpenTelemetry's packages: optional peers, imported only if a setting asks for them. A backend that only pays does not install them. */
import { ConfigError } from './user-error';

/** The packages by the settings that need them, in the versions that were tested. */
export const PEERS = {
  'METRICS_ADDRESS and METRICS_OTLP_URL': {
    '@opentelemetry/sdk-metrics': '^2.12.0',
    '@opentelemetry/resources': '^2.12.0',
    '@opentelemetry/exporter-prometheus': '^0.223.0',
    '@opentelemetry/exporter-metrics-otlp-proto': '^0.223.0',
  },
  'OTEL_EXPORTER_OTLP_ENDPOINT and telemetry': {
    '@opentelemetry/api': '^1.9.0',
    '@opentelemetry/context-async-hooks': '^2.12.0',
    '@opentelemetry/core': '^2.12.0',
    '@opentelemetry/exporter-trace-otlp-proto': '^0.223.0',
    '@opentelemetry/resources': '^2.12.0',
    '@opentelemetry/sdk-trace-base': '^2.12.0',
    '@temporalio/interceptors-opentelemetry': '~1.24.0',
  },
} as const;

/** Imports what a setting needs. Throws ConfigError with the command that installs all of it. */
export async function peer<T>(setting: keyof typeof PEERS, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const packages = Object.entries(PEERS[setting]).map(([name, range]) => `${name}@${range}`);
    throw new ConfigError(
      `${setting} need OpenTelemetry's packages, which are not installed. Install them: npm install ${packages.join(' ')}`,
    );
  }
}
