/** Reads the settings of a command, in the same way for all of them. */
import { withDevSettings } from '../process/dev-settings';
import type { Environment } from '../process/environment';
import { type Config, loadConfig } from '../process/settings';
import { connectClient, DEFAULT_ADDRESS, temporalConfig } from '../temporal/connection';
import { complain } from './print';
import { appToChange } from './which-app';

export interface AppOptions {
  /** The app's id, if the settings know several. */
  app?: string;
  /** Print JSON for programs. */
  json?: boolean;
}

/** The settings of a command that acts for one app. */
export interface AppSettings {
  config: Config;
  env: Environment;
  app_id: string;
}

/** Reads the settings of the environment, or those of the stack that `dev` runs in this folder. Throws ConfigError. */
export function commandSettings(): { config: Config; env: Environment } {
  const { env, from } = withDevSettings(process.env);
  // On standard error, so that programs can read standard output.
  if (from) complain(`Using the settings of the stack here (${from}).`);
  else if (!env.TEMPORAL_ADDRESS) {
    const { connectionOptions, namespace } = temporalConfig(env);
    complain(
      `Using Temporal at ${connectionOptions.address ?? DEFAULT_ADDRESS}, namespace ${namespace} (TEMPORAL_ADDRESS is not set).`,
    );
  }
  return { config: loadConfig(env), env };
}

/** The same, with the app of the command, perhaps for a `number` of that app. Throws ConfigError if it is not clear which app is meant. */
export async function appSettings({ app }: AppOptions, number?: string): Promise<AppSettings> {
  const { config, env } = commandSettings();
  const app_id = await appToChange(config, { app, number }, () => connectClient(env, config));
  return { config, env, app_id };
}
