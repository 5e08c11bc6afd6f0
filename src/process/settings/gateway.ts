/** Settings of the gateway: where it is, who signs in, and what its interface leaves open. */
import { z } from 'zod';
import { SIGNATURE_SCHEMES } from '../../gateway/notification-signature';
import { PATH } from '../../gateway/pure/paths';
import { NO_SUCH_ORDER, REFUND_REFUSALS } from '../../gateway/refusals';
import { RULE_DEFAULTS } from '../../gateway/rules';
import { settingDocs } from './meaning';
import { durationText, headerName, httpAddress, names, nonEmpty, pause, secretKey, timeZone } from './types';

/** Workflow ids join their parts with colons. */
export const appId = z
  .string()
  .min(1)
  .max(32)
  .refine((id) => !id.includes(':'), 'must have no colon');

export const GATEWAY_SETTINGS = {
  GATEWAY_BASE_URL: httpAddress
    .optional()
    .register(settingDocs, { fromFile: true, readBy: 'worker', meaning: "The gateway's address." }),
  GATEWAY_APP_ID: appId.optional().register(settingDocs, {
    fromFile: true,
    readBy: 'worker, webhook, commands, simulator',
    meaning: 'The id of the app that the gateway gave you.',
  }),
  GATEWAY_SECRET_KEY: secretKey.optional().register(settingDocs, {
    fromFile: true,
    readBy: 'worker, webhook, simulator',
    meaning: "The app's key. It signs in to the gateway and verifies notifications.",
  }),
  GATEWAY_APPS_FILE: nonEmpty.optional().register(settingDocs, {
    readBy: 'worker, webhook, commands, simulator',
    meaning: 'A JSON file with several apps: see below.',
  }),
  GATEWAY_TIME_ZONE: timeZone.prefault('UTC').register(settingDocs, {
    readBy: 'worker',
    meaning: 'The time zone of `timestamp` in requests of apps that have no `time_zone` of their own.',
  }),
  GATEWAY_SIGNATURE_HEADER: headerName.prefault('Service-Signature').register(settingDocs, {
    readBy: 'webhook, simulator',
    meaning: "The header that carries a notification's signature.",
  }),
  GATEWAY_SIGNATURE_SCHEME: z.enum(SIGNATURE_SCHEMES).prefault('hex').register(settingDocs, {
    readBy: 'webhook, simulator',
    meaning: 'How the signature is written: `hex`, or `t-v2` for `t=<seconds>,v2=<hex>`.',
  }),
  // One exchange takes a connection and twice the answer's time, and must end before its activity's 60 s do.
  GATEWAY_CONNECT_TIMEOUT: pause
    .refine((ms) => ms <= 5_000, 'at most 5s')
    .prefault('5s')
    .register(settingDocs, { readBy: 'worker', meaning: 'How long a connection may take, at most `5s`.' }),
  GATEWAY_ANSWER_TIMEOUT: pause
    .refine((ms) => ms <= 25_000, 'at most 25s')
    .prefault('15s')
    .register(settingDocs, {
      readBy: 'worker',
      meaning: "How long an answer's head may take, and then its body, at most `25s` each.",
    }),
  GATEWAY_WALLET_TOKEN_PATH: z
    .string()
    .regex(/^\/[\w\-./~%]+$/, 'must be a path such as /trade/get-wallet-client-token')
    .prefault(PATH.walletToken)
    .register(settingDocs, {
      readBy: 'worker',
      meaning: "The path that gives a wallet's client token. The real one has the provider's name.",
    }),
  GATEWAY_NO_SUCH_ORDER: names.prefault(NO_SUCH_ORDER.join(',')).register(settingDocs, {
    readBy: 'worker',
    meaning: 'Words of a query’s refusal (`sub_code`, or `code`) that mean “no such order”.',
  }),
  GATEWAY_REFUND_REFUSALS: names.prefault(REFUND_REFUSALS.join(',')).register(settingDocs, {
    readBy: 'worker',
    meaning: 'A refund’s refusals that mean “none was made”. After any other a person is asked.',
  }),
  // The interface masks the names of two methods; these are their names at this gateway.
  GATEWAY_BANK_LIST_METHODS: names.prefault(RULE_DEFAULTS.bank_list_methods.join(',')).register(settingDocs, {
    readBy: 'worker, commands',
    meaning: 'Names of the method that has a list of banks, separated by commas.',
  }),
  GATEWAY_VOUCHER_METHODS: names.prefault(RULE_DEFAULTS.voucher_methods.join(',')).register(settingDocs, {
    readBy: 'worker, commands',
    meaning: 'Names of the voucher method, separated by commas.',
  }),
  GATEWAY_HTTPS_CHANNELS: names.optional().register(settingDocs, {
    readBy: 'worker, commands',
    meaning: 'Channels or methods whose `return_url` must be HTTPS, such as `URL,PicPay`.',
  }),
  GATEWAY_METHOD_CURRENCIES: names
    .refine((pairs) => pairs.every((pair) => /^[^:]+:[A-Z]{3}$/.test(pair)), 'must be pairs such as PIX:USD')
    .optional()
    .register(settingDocs, {
      readBy: 'worker, commands',
      meaning:
        'Currencies that methods take besides those that are known here, and new methods, such as `PIX:USD,Yape:PEN`: for orders wrongly refused.',
    }),
  GATEWAY_STRICT_FORMATS: z.enum(['warn', 'refuse']).prefault(RULE_DEFAULTS.formats).register(settingDocs, {
    readBy: 'worker, commands',
    meaning: 'An identity number or CLABE with a wrong check digit: `warn` in the log, or `refuse`.',
  }),
  GATEWAY_CALLS_PER_SECOND: z.coerce.number().int().min(1).max(10_000).prefault('50').register(settingDocs, {
    readBy: 'worker',
    meaning: 'Calls a second that one worker makes for each app. Further calls wait, the least urgent ones longest.',
  }),
  GATEWAY_CIRCUIT_FAILURES: z.coerce.number().int().min(1).max(1_000).prefault('10').register(settingDocs, {
    readBy: 'worker',
    meaning: 'After so many calls in a row without an answer, the calls of the app stop.',
  }),
  GATEWAY_CIRCUIT_PAUSE: durationText.prefault('15s').register(settingDocs, {
    readBy: 'worker',
    meaning: 'How long these calls stop. Then one is tried; if it succeeds, all go on.',
  }),
};
