/** The traces of a program of ours, as its settings say. */

import type { Config } from '../../process/settings';
import { exposedAddresses } from '../../process/settings/plain-http';
import { httpAddress } from '../../process/settings/types';
import { ConfigError } from '../../process/user-error';
import { needed, startTelemetry } from './start';
import type { Telemetry } from './telemetry';

/**
 * Pushes traces to OTEL_EXPORTER_OTLP_ENDPOINT; undefined if it is not set. OpenTelemetry's own variables set the rest, such as
 * OTEL_EXPORTER_OTLP_HEADERS. Throws ConfigError for an address that cannot be used, and if a package is missing.
 */
export async function telemetryOf(
  service: string,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, PAYMENTS_INSECURE_PLAIN_HTTP: takesPlainHttp }: Config,
): Promise<Telemetry | undefined> {
  if (endpoint === undefined) return undefined;
  // Not checked with the other settings: a merchant's backend may use the variable for its own traces, in any form.
  const { data: url } = httpAddress.safeParse(endpoint);
  if (url === undefined)
    throw new ConfigError(
      'OTEL_EXPORTER_OTLP_ENDPOINT: must be an address such as http://collector:4318, for OTLP over HTTP',
    );
  const [exposed] = takesPlainHttp ? [] : exposedAddresses({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
  if (exposed !== undefined) throw new ConfigError(exposed);
  const [{ OTLPTraceExporter }, { BatchSpanProcessor }] = await Promise.all([
    needed(() => import('@opentelemetry/exporter-trace-otlp-proto')),
    needed(() => import('@opentelemetry/sdk-trace-base')),
  ]);
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
  return startTelemetry({ spanProcessor: new BatchSpanProcessor(exporter), service });
}
