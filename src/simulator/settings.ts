import { z } from 'zod';
import { tradeStates } from './records';
import { DURATION } from './time';

/** A setting: what it can be, its default, and what it means. */
const setting = <Schema extends z.ZodType>(schema: Schema, usual: z.input<Schema>, description: string): Schema =>
  schema.meta({ default: usual, description });
/** A setting that is one of these words. The first is the default. */
const choice = <const Words extends readonly [string, ...string[]]>(words: Words, description: string) =>
  setting(z.enum(words), words[0], description);

const word = z.string().min(1);
const httpStatus = z.int().min(200).max(599);
const span = z.string().regex(DURATION, 'must be a span such as 0s, 90s, 30m, 2h or 7d');
const states = z.array(z.enum(tradeStates)).readonly();
// The states in which the buyer, the bank or risk control still works on a trade are not notified.
const unnotified = ['INITIAL', 'PROCESSING', 'RISK_CONTROLLING', 'REFUND_VERIFYING', 'REFUND_PROCESSING'];
const notified = tradeStates.filter((state) => !unnotified.includes(state));

// biome-ignore format: a table, a setting a line
/**
 * What the interface leaves open and a test may want otherwise. `startSimulator` takes each of them, and they can be
 * changed while it runs (`POST /simulator/settings`). Spans are of the simulator's time.
 */
export const settingsSchema = z.strictObject({
  directStatus: choice(['field', 'interface'], '`field`: codes and vouchers start PROCESSING; else PSE and Efecty only.'),
  pixIdentify: choice(['optional', 'required'], 'Whether PIX orders need `customer.identify`; its sample has none.'),
  httpsChannels: setting(z.array(word).readonly(), [], 'Channels or methods that take an HTTPS `return_url` only.'),
  refusalStatus: setting(httpStatus, 400, 'HTTP status of refusals.'),
  credentialsStatus: setting(httpStatus, 400, 'HTTP status if the credentials are wrong.'),
  unknownOrderSubCode: setting(word, 'trade-not-exist', 'The `sub_code` for an order that does not exist.'),
  duplicateOrders: choice(['refused', 'accepted'], 'An `out_trade_no` that was used. `accepted`: charges twice.'),
  queryAmount: choice(['number', 'string'], 'How answers write decimals: as exact number literals, or as strings.'),
  refundTakes: setting(z.union([span, z.literal('manual')]), '5s', 'How long a refund is processed; `0s`: within the call.'),
  refundConfirmWithin: setting(span, '7d', 'How long the buyer has to name an account for a refund.'),
  partialRefundStatus: choice(['PARTIAL_REFUND', 'REFUNDED'], 'The state of a trade after a partial refund.'),
  duplicateRefund: choice(['refused', 'repeated'], 'The answer to a used `out_request_no`: a refusal, or as before.'),
  refundNumberScope: choice(['trade', 'app'], 'Within what an `out_request_no` is unique.'),
  refundUserInfo: choice(['method', 'all'], 'The `user_info` of refunds: by the table of methods, or all fields.'),
  standsAgainAfter: setting(span, '1m', 'How long REFUND_REVOKE and CHARGEBACK_REVERSED last before SUCCESS.'),
  bankListData: choice(['list', 'object'], 'Whether `data` of a bank list is a list of banks or one bank.'),
  walletTokenPath: setting(z.string().regex(/^\/[\w./-]+$/), '/trade/get-wallet-client-token', 'The path of the wallet’s client token. The real path has the provider’s name.'),
  accountPool: setting(z.int().min(0), 1000, 'How many virtual accounts an app may have.'),
  canceledAccounts: choice(['kept', 'freed'], '`freed`: a canceled account makes room for another.'),
  accountIdentify: choice(['required', 'optional'], 'Whether accounts need `customer.identify`; a sample omits it.'),
  accountAnswers: choice(['code', 'bare'], '`bare`: answers about accounts without `code` and `msg`, as published.'),
  unknownAccountSubCode: setting(word, 'account-not-exist', 'The `sub_code` for an account that does not exist.'),
  depositsAfterCancel: choice(['refused', 'accepted'], 'Whether a canceled account still receives money.'),
  transferTimestamp: choice(['number', 'string'], 'How notifications write `transfer_timestamp` (Unix seconds).'),
  transferBuyerId: choice(['present', 'absent'], 'Whether `transfer_account` has the `buyer_id`; samples omit it.'),
  magicValues: setting(z.boolean(), true, 'Whether tags such as `[sim:reset-after]` in an order’s texts set faults.'),
  notifications: setting(z.boolean(), true, 'Whether notifications are sent. The callback button always works.'),
  notifyStatuses: setting(states, notified, 'The states that are notified. SUCCESS always is.'),
  signatureHeader: setting(z.string().regex(/^[A-Za-z0-9-]+$/), 'Service-Signature', 'The name of the header with the signature of a notification.'),
  signatureScheme: choice(['hex', 't-v2'], '`hex`: the signature alone. `t-v2`: `t=<unix seconds>,v2=<signature>`.'),
  ackTimeoutMs: setting(z.int().min(1).max(600_000), 10_000, 'How long a merchant may take to acknowledge, in real ms.'),
});

export type Settings = z.output<typeof settingsSchema>;
/** A change of some settings; the others stay as they are. */
export type SettingsChange = { [Name in keyof Settings]?: Settings[Name] | undefined };

export const defaultSettings: Settings = settingsSchema.parse(
  Object.fromEntries(Object.entries(settingsSchema.shape).map(([name, schema]) => [name, schema.meta()?.default])),
);

/** Settings with a change applied. Options that are no settings are ignored; a value that no setting has is refused. */
export function withChange(settings: Settings, change: SettingsChange): Settings {
  const given = Object.entries(change).filter(([name, value]) => value !== undefined && name in settings);
  return settingsSchema.parse({ ...settings, ...Object.fromEntries(given) });
}
