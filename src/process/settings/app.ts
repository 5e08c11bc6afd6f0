/** Which of the gateway's apps a program acts for. */
import { ConfigError } from '../user-error';
import type { Config } from './load';

/** Every app that the settings name. */
export const appIdsOf = ({ GATEWAY_APP_ID, apps }: Config): string[] => [
  ...new Set([...apps.map(({ app_id }) => app_id), ...(GATEWAY_APP_ID === undefined ? [] : [GATEWAY_APP_ID])]),
];

/** The app that is named, or else GATEWAY_APP_ID, or the only app of GATEWAY_APPS_FILE. Throws ConfigError for none, and for several. */
export function appIdOf({ GATEWAY_APP_ID, apps }: Config, named: string | undefined): string {
  const [only, ...others] = apps;
  const app_id = named ?? GATEWAY_APP_ID ?? (others.length === 0 ? only?.app_id : undefined);
  if (app_id !== undefined) return app_id;
  const known = only ? `Of ${apps.map((one) => one.app_id).join(', ')}: s` : 'S';
  throw new ConfigError(
    `Which app? ${known}et GATEWAY_APP_ID, name it (--app in a command), or run npx payment-gateway dev in this folder first.`,
  );
}
