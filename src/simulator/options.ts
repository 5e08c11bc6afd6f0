import { z } from 'zod';
import type { SimulatorClock } from './clock';
import { DURATION } from './time';
import { tradeStatuses } from './trades/states';

/** A span of the simulator's time, such as `0s`, `90s`, `30m`, `2h` or `7d`. */
const span = z.string().regex(DURATION, 'must be a span such as 0s, 90s, 30m, 2h or 7d');

/** An application of the gateway's dashboard. */
export interface GatewayApp {
  app_id: string;
  secret_key: string;
  /** A Global app must say a `region` in its requests. */
  global?: boolean | undefined;
}

/**
 * What the interface leaves open and a test may want otherwise. Each can be given to `startSimulator` and changed while
 * it runs (`POST /simulator/settings`).
 */
export const settingsSchema = z.strictObject({
  directStatus: z
    .enum(['field', 'interface'])
    .describe(
      'How a direct creation starts. `field`: codes and vouchers are PROCESSING at once, as gateways of this family do. `interface`: only PSE and Efecty are, as the interface says; everything else is INITIAL.',
    ),
  pixIdentify: z
    .enum(['optional', 'required'])
    .describe(
      'Whether a PIX order must carry `customer.identify`. The interface’s table requires it, the published PIX order has none and must pass; `required` follows the letter of the table.',
    ),
  httpsChannels: z
    .array(z.string().min(1))
    .readonly()
    .describe('Channels, or methods, that take an HTTPS `return_url` only; the interface does not say which.'),
  refusalStatus: z.int().min(200).max(599).describe('HTTP status of refusals.'),
  credentialsStatus: z.int().min(200).max(599).describe('HTTP status where the credentials are wrong.'),
  unknownOrderSubCode: z.string().min(1).describe('How a query for an unknown order is answered.'),
  duplicateOrders: z
    .enum(['refused', 'accepted'])
    .describe(
      'What becomes of a creation whose `out_trade_no` exists. `accepted` is a gateway that charges twice, to prove a client.',
    ),
  queryAmount: z
    .enum(['number', 'string'])
    .describe(
      'How answers write their decimals, a query’s `order_amount` first of all: an exact number literal, or a string.',
    ),
  refundTakes: z
    .union([span, z.literal('manual')])
    .describe(
      'How long a refund is processed; `0s` finishes it within the call, `manual` waits for the control API or the desk.',
    ),
  refundConfirmWithin: span.describe('How long the buyer has to name an account for a refund before it is revoked.'),
  partialRefundStatus: z
    .enum(['PARTIAL_REFUND', 'REFUNDED'])
    .describe('The state of a trade of which a part was given back.'),
  duplicateRefund: z
    .enum(['refused', 'repeated'])
    .describe('How a refund whose `out_request_no` was used is answered: with a refusal, or as the first time.'),
  refundNumberScope: z.enum(['trade', 'app']).describe('Within what an `out_request_no` is unique.'),
  refundUserInfo: z
    .enum(['method', 'all'])
    .describe(
      'Whose `user_info` a refund asks for: what the table of methods names, or all that the table of fields requires.',
    ),
  standsAgainAfter: span.describe(
    'How long a trade stays REFUND_REVOKE or CHARGEBACK_REVERSED before it is silently SUCCESS again.',
  ),
  bankListData: z.enum(['list', 'object']).describe('Whether `data` of a bank list is a list of banks or one bank.'),
  walletTokenPath: z
    .string()
    .regex(/^\/[\w./-]+$/)
    .describe('Where the wallet’s client token is had; the real path carries the provider’s name.'),
  accountPool: z.int().min(0).describe('How many virtual accounts an app may have.'),
  canceledAccounts: z
    .enum(['kept', 'freed'])
    .describe('Whether a canceled account counts against the pool for good, or makes room for another.'),
  accountIdentify: z
    .enum(['required', 'optional'])
    .describe('Whether a virtual account must carry `customer.identify`; a published sample omits it.'),
  accountAnswers: z
    .enum(['code', 'bare'])
    .describe('Answers about virtual accounts with `code` and `msg`, or `bare` as published samples have them.'),
  unknownAccountSubCode: z.string().min(1).describe('How an unknown virtual account is answered.'),
  depositsAfterCancel: z
    .enum(['refused', 'accepted'])
    .describe('Whether money may still come into a canceled account.'),
  transferTimestamp: z
    .enum(['number', 'string'])
    .describe('How a deposit’s notification writes `transfer_timestamp`: Unix seconds as a number, or as a text.'),
  transferBuyerId: z
    .enum(['present', 'absent'])
    .describe('Whether `transfer_account` names the `buyer_id`; published samples leave it out.'),
  magicValues: z.boolean().describe('Whether tags such as `[sim:reset-after]` in an order’s texts set faults.'),
  notifications: z
    .boolean()
    .describe('Whether notifications are sent at all; the callback button works in either case.'),
  notifyStatuses: z
    .array(z.enum(tradeStatuses))
    .readonly()
    .describe('The states that are notified; SUCCESS always is.'),
  signatureHeader: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/)
    .describe('Name of the header that carries a notification’s signature.'),
  signatureScheme: z
    .enum(['hex', 't-v2'])
    .describe('`hex`: the signature alone. `t-v2`: `t=<unix seconds>,v2=<signature>`.'),
  ackTimeoutMs: z
    .int()
    .min(1)
    .max(600_000)
    .describe('How long a merchant may take to acknowledge, in real milliseconds: it answers by a real clock.'),
});

/** What holds unless told otherwise. */
export const defaultSettings: Settings = {
  directStatus: 'field',
  pixIdentify: 'optional',
  httpsChannels: [],
  refusalStatus: 400,
  credentialsStatus: 400,
  unknownOrderSubCode: 'trade-not-exist',
  duplicateOrders: 'refused',
  queryAmount: 'number',
  refundTakes: '5s',
  refundConfirmWithin: '7d',
  partialRefundStatus: 'PARTIAL_REFUND',
  duplicateRefund: 'refused',
  refundNumberScope: 'trade',
  refundUserInfo: 'method',
  standsAgainAfter: '1m',
  bankListData: 'list',
  walletTokenPath: '/trade/get-wallet-client-token',
  accountPool: 1000,
  canceledAccounts: 'kept',
  accountIdentify: 'required',
  accountAnswers: 'code',
  unknownAccountSubCode: 'account-not-exist',
  depositsAfterCancel: 'refused',
  transferTimestamp: 'number',
  transferBuyerId: 'present',
  magicValues: true,
  notifications: true,
  notifyStatuses: [
    'SUCCESS',
    'CANCEL',
    'EXPIRED',
    'REFUSED',
    'CHARGEBACK',
    'CHARGEBACK_REVERSED',
    'REFUND_REVOKE',
    'REFUND_REFUSED',
    'REFUNDED',
    'PARTIAL_REFUND',
    'DISPUTE',
  ],
  signatureHeader: 'Service-Signature',
  signatureScheme: 'hex',
  ackTimeoutMs: 10_000,
};

/** The simulator's settings in force. */
export type Settings = z.output<typeof settingsSchema>;

/** A change of some settings; what is left out stays as it is. */
export type SettingsChange = { [Name in keyof Settings]?: Settings[Name] | undefined };

/** What {@link startSimulator} takes: where and for whom, and any setting. */
export interface SimulatorOptions extends SettingsChange {
  /** Address to listen on, default 127.0.0.1. */
  host?: string | undefined;
  /** Port to listen on; 0, the default, takes a free one. */
  port?: number | undefined;
  /** The applications that may call. */
  apps: readonly GatewayApp[];
  /** A clock to share, or how to start one. */
  clock?: SimulatorClock | { start?: number | Date | undefined; speed?: number | undefined } | undefined;
  /** A JSON file in which trades, refunds, accounts and notifications outlive the process. */
  dataFile?: string | undefined;
  /** The address that buyers' browsers reach, where it is not the one listened on. */
  publicUrl?: string | undefined;
  /** Hears what happens, without secrets and personal data. */
  log?: ((message: string, details: LogDetails) => void) | undefined;
  /** Lets the control API answer to other machines. Whoever reaches it can pay every order. */
  allowRemoteControl?: boolean | undefined;
}

/** Details of a log line: plain values only. */
export type LogDetails = { [name: string]: string | number | boolean | null };

/**
 * Settings written as texts, `name=value`, for a command line: `refundTakes=0s`, `accountPool=5`, `notifyStatuses=["SUCCESS"]`.
 * Throws a RangeError whose sentence says which of them cannot be used, and why.
 */
export function settingsFrom(texts: readonly string[]): SettingsChange {
  return Object.assign({}, ...texts.map(settingFrom));
}

function settingFrom(text: string): SettingsChange {
  const [, name = text, value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  const known = Object.keys(settingsSchema.shape);
  if (!known.includes(name)) throw new RangeError(`There is no setting ${name}; there are ${known.join(', ')}.`);
  // Most values are words; numbers, lists and true or false are read as JSON where the setting wants them so.
  const readings = [value, asJson(value)].map((reading) => settingsSchema.partial().safeParse({ [name]: reading }));
  const [first, second] = readings;
  const read = first?.success ? first : second;
  if (read?.success) return read.data;
  const why = read?.error.issues.map(({ message }) => message).join('; ');
  throw new RangeError(`The setting ${name} cannot be ${value === '' ? 'empty' : value}: ${why}.`);
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Settings with a change applied; other options are left alone, and values that no setting has are refused. */
export function withChange(settings: Settings, change: SettingsChange): Settings {
  const given = Object.entries(change).filter(([name, value]) => value !== undefined && name in settings);
  return settingsSchema.parse({ ...settings, ...Object.fromEntries(given) });
}
