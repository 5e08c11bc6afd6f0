/** The path that commands share: settings, then a connection to Temporal, then the clients of one app. */
import {
  AccountError,
  AccountPendingError,
  connectPayments,
  InvalidAccountError,
  InvalidOrderError,
  OverRefundError,
  PaymentError,
  PaymentPendingError,
  type PaymentsClient,
} from '../client';
import { withDevSettings } from '../process/dev-settings';
import type { Environment } from '../process/environment';
import { exitOncePrinted } from '../process/exit';
import { type Config, loadConfig } from '../process/settings';
import { ConfigError } from '../process/user-error';
import { EXIT } from './exit-codes';
import { complain, say } from './print';

export { EXIT };

export interface AppOptions {
  /** The app's id, if the settings know several. */
  app?: string;
  /** Print JSON for programs. */
  json?: boolean;
}

/** The settings of a command, and the app that it acts for. */
export interface CommandSettings {
  config: Config;
  env: Environment;
  app_id: string;
  /** Print JSON for programs. */
  json: boolean;
}

/** Reads the settings, or those of the stack that `dev` runs in this folder. Throws ConfigError if no app is named. */
export function commandSettings({ app, json }: AppOptions): CommandSettings {
  const { env, from } = withDevSettings(process.env);
  const config = loadConfig(env);
  const app_id = app ?? config.GATEWAY_APP_ID ?? config.apps[0]?.app_id;
  if (app_id === undefined) {
    throw new ConfigError('Which app? Set GATEWAY_APP_ID, use --app, or run npm start in this folder first.');
  }
  if (from && !json) say(`Using the stack that runs here (${from}).`);
  return { config, env, app_id, json: json === true };
}

/**
 * Runs `act` with the clients of the app, then ends the process with the exit code that `act` returns, or with the one for
 * the error of the clients that it throws. Throws every other error.
 */
export async function withPayments(
  { env, app_id, json }: CommandSettings,
  act: (payments: PaymentsClient) => Promise<number>,
): Promise<never> {
  const { payments } = await connectPayments(env, app_id);
  const code = await act(payments).catch((error: unknown) => report(error, json));
  // The connection stays open until here: Temporal's client may still wait for a result, and would throw if it were closed.
  return exitOncePrinted(code);
}

/** Prints an error of the clients, for programs as a line of JSON, and gives its exit code. Throws every other error. */
function report(error: unknown, json: boolean): number {
  if (!(error instanceof PaymentError || error instanceof AccountError)) throw error;
  if (json) say(JSON.stringify({ error }));
  else complain(error.message);
  if (error instanceof PaymentPendingError || error instanceof AccountPendingError) return EXIT.pending;
  const isWrongInput =
    error instanceof InvalidOrderError || error instanceof OverRefundError || error instanceof InvalidAccountError;
  return isWrongInput ? EXIT.wrongInput : EXIT.refused;
}
