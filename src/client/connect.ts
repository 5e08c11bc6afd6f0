/** A merchant's client made from settings: the environment, or the stack that `npm start` runs in this folder. */
import type { Client, ClientPlugin } from '@temporalio/client';
import { withDevSettings } from '../process/dev-settings';
import type { Environment } from '../process/environment';
import { appIdOf, loadConfig, ruleSettings } from '../process/settings';
import { connectClient } from '../temporal/connection';
import type { Telemetry } from '../temporal/telemetry/telemetry';
import { PaymentsClient } from './payments';

/** What {@link connectPayments} returns. */
export interface ConnectedPayments {
  payments: PaymentsClient;
  /** The Temporal client behind it, for handles of workflows and for your own workflows. */
  client: Client;
  /** The app of these payments: an order for your own workflow names it. */
  app_id: string;
  /** Closes the connection. Calls that still wait for an answer fail. */
  close(): Promise<void>;
}

/** What an application adds to the connection. */
export interface ConnectOptions {
  /** Traces the application's calls and what follows from them: see {@link startTelemetry}. */
  telemetry?: Telemetry | undefined;
  /** More plugins of Temporal's SDK for the client. */
  plugins?: ClientPlugin[] | undefined;
}

/**
 * Connects to Temporal and returns a client for the payments of one gateway app (`app_id`, by default `GATEWAY_APP_ID`
 * or the only app of `GATEWAY_APPS_FILE`). It encrypts if `PAYMENTS_ENCRYPTION_KEYS` is set, and seals tokens and PINs if
 * `PAYMENTS_SEALING_PUBLIC_JWK` is set. If the environment names no Temporal and no app, it uses the settings that
 * `npm start` left in `.payments/dev.env`, but never in production.
 * Throws ConfigError for unusable settings, TemporalUnreachableError and UnknownNamespaceError.
 *
 * @example
 * const { payments, close } = await connectPayments();
 */
export async function connectPayments(
  env: Environment = process.env,
  app_id?: string,
  options: ConnectOptions = {},
): Promise<ConnectedPayments> {
  const settings = env.NODE_ENV === 'production' ? env : withDevSettings(env).env;
  const config = loadConfig(settings);
  const app = appIdOf(config, app_id);
  const client = await connectClient(settings, config, options);
  const payments = new PaymentsClient({
    client,
    app_id: app,
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    sealingKey: config.PAYMENTS_SEALING_PUBLIC_JWK,
    rules: ruleSettings(config),
  });
  return { payments, client, app_id: app, close: () => client.connection.close() };
}
