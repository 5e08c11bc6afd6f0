/** Which settings of the environment a stack takes. It makes all others itself. */
import type { Environment } from '../../process/environment';
import { SETTING_NAMES } from '../../process/settings';

const TAKEN = ['PAYMENTS_EVENTS_URL', 'PAYMENTS_OVERDUE', 'PAYMENTS_NEXUS', 'LOG_LEVEL'];

/** The settings that are set and taken, with their values. */
export function takenSettings(env: Environment): Record<string, string> {
  return Object.fromEntries(TAKEN.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])));
}

/** The names of settings that are set but not taken: the person who set them would wonder why nothing changes. */
export function ignoredSettings(env: Environment): string[] {
  const others = SETTING_NAMES.filter((name) => !TAKEN.includes(name));
  return others.flatMap((name) => [name, `${name}_FILE`]).filter((name) => env[name]);
}
