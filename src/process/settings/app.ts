/** Which of the gateway's apps a program acts for. */
import { ConfigError } from '../user-error';
import type { Config } from './load';

/** Every app that the settings name. */
export const appIdsOf = ({ GATEWAY_APP_ID, apps }: Config): string[] => [
  ...new Set([...apps.map(({ app_id }) => app_id), ...(GATEWAY_APP_ID === undefined ? [] : [GATEWAY_APP_ID])]),
];

/** The app that is named, or else GATEWAY_APP_ID, or the first app of GATEWAY_APPS_FILE. Throws ConfigError for none. */
export function appIdOf({ GATEWAY_APP_ID, apps }: Config, named: string | undefined): string {
  const app_id = named ?? GATEWAY_APP_ID ?? apps[0]?.app_id;
  if (app_id !== undefined) return app_id;
  throw new ConfigError(
    'Which app? Set GATEWAY_APP_ID, name it (--app in a command), or run npx payment-gateway dev in this folder first.',
  );
}
