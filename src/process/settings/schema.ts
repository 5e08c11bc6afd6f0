/** All settings in one schema, by environment variable. */
import { z } from 'zod';
import { GATEWAY_SETTINGS } from './gateway';
import { CODEC_SERVER_SETTINGS, KEY_SETTINGS } from './keys';
import { settingDocs } from './meaning';
import { PAYMENT_SETTINGS } from './payments';
import { OPERATOR_SETTINGS, PROCESS_SETTINGS, SIMULATOR_SETTINGS } from './processes';
import { WEBHOOK_SETTINGS } from './webhook';

/** The settings in the groups and the order of docs/settings.md. */
export const SETTING_GROUPS = {
  'The gateway': GATEWAY_SETTINGS,
  'The webhook': WEBHOOK_SETTINGS,
  'Payments and virtual accounts': PAYMENT_SETTINGS,
  Keys: KEY_SETTINGS,
  'The codec server': CODEC_SERVER_SETTINGS,
  'The simulator': SIMULATOR_SETTINGS,
  'The operator’s commands': OPERATOR_SETTINGS,
  'Every process': PROCESS_SETTINGS,
};

export const environment = z.object({
  ...GATEWAY_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...PAYMENT_SETTINGS,
  ...KEY_SETTINGS,
  ...CODEC_SERVER_SETTINGS,
  ...SIMULATOR_SETTINGS,
  ...OPERATOR_SETTINGS,
  ...PROCESS_SETTINGS,
});

/** Settings that may also be given as a file, in the variable `…_FILE`. */
export const FROM_FILES = Object.entries(environment.shape).flatMap(([name, schema]) =>
  settingDocs.get(schema)?.fromFile ? [name] : [],
);

/** The names of all settings. */
export const SETTING_NAMES = Object.keys(environment.shape);
