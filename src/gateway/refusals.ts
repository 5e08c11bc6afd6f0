/**
 * What a refusal's code means for a creation: whether what was to be created can exist, and whether trying again can help.
 */
import type { Outcome } from './errors';

/** What a call may bring into being. The codes of payments say nothing of a refund, where nobody has seen them. */
export type Creation = 'order' | 'refund' | 'account';

/** Why the gateway refused, where that changes what has to be done next. */
export type RefusalKind =
  | 'temporary'
  | 'credentials'
  | 'request'
  | 'no accounts left'
  | 'duplicate'
  | 'refused'
  | 'unlisted';

export interface Refusal {
  outcome: Outcome;
  kind: RefusalKind;
  retryable: boolean;
}

const TEMPORARY: Refusal = { outcome: 'not-created', kind: 'temporary', retryable: true };
const CREDENTIALS: Refusal = { outcome: 'not-created', kind: 'credentials', retryable: false };
const REQUEST: Refusal = { outcome: 'not-created', kind: 'request', retryable: false };
const NO_ACCOUNTS: Refusal = { outcome: 'not-created', kind: 'no accounts left', retryable: false };
const REFUSED: Refusal = { outcome: 'created-refused', kind: 'refused', retryable: false };
/** An order or refund under this number exists; whether it is the one that was sent, the refusal does not say. */
const DUPLICATE: Refusal = { outcome: 'unknown', kind: 'duplicate', retryable: false };
const UNLISTED: Refusal = { outcome: 'unknown', kind: 'unlisted', retryable: false };

/** What is refused before the gateway does anything is the same for every creation. */
const EVERY: readonly Creation[] = ['order', 'refund', 'account'];

/** `*` stands for any sub_code, also none. The first row that fits counts. */
const REFUSALS: readonly (readonly [
  code: string,
  subCodes: readonly string[],
  means: Refusal,
  of: readonly Creation[],
])[] = [
  ['20000', ['*'], TEMPORARY, EVERY],
  ['40001', ['*'], REQUEST, EVERY],
  ['40002', ['invalid-signature', 'missing-signature-config', 'app-not-match'], CREDENTIALS, EVERY],
  ['40002', ['app-status-abnormal', 'merchant-status-abnormal'], CREDENTIALS, EVERY],
  ['40002', ['no-method-supported', 'currency-not-supported'], REQUEST, EVERY],
  ['40004', ['no-method-supported', 'currency-not-supported'], REQUEST, EVERY],
  ['40002', ['duplicate-out_trade_no'], DUPLICATE, ['order']],
  ['40002', ['gen-card-token-fail', 'card-token-expired', 'bank-side-busy', 'SYS-0001'], REFUSED, ['order']],
  ['40002', ['account-pool-run-out'], NO_ACCOUNTS, ['order', 'account']],
  // A refund's number is checked before it is sent, so what a gateway can have against it is its second use.
  ['40002', ['duplicate-out_request_no', 'out_request_no'], DUPLICATE, ['refund']],
  ['40005', ['*'], REQUEST, EVERY],
  ['70001', ['10001', '10002', '10003', '10004', '20001', '20002'], REFUSED, ['order']],
  ['90001', ['71012', '190', '401', '402', '403', ...range(101, 119), ...range(201, 207)], REFUSED, ['order']],
];

const LISTED: ReadonlySet<string> = new Set(REFUSALS.flatMap(([code, subCodes]) => [code, ...subCodes]));

/** Whether a code or sub_code is one of the table's words, which say nothing of a request. */
export const isListed = (word: string) => LISTED.has(word);

/**
 * What a refusal means for the creation of `creates`. `requestFields` are the dotted paths of the operation's request:
 * gateways name the field that they refuse as `sub_code`, and nothing was created then.
 */
export function refusalOf(
  code: string,
  sub_code: string | undefined,
  requestFields: readonly string[],
  creates: Creation = 'order',
): Refusal {
  const row = REFUSALS.find(
    ([c, subs, , of]) => c === code && of.includes(creates) && (subs[0] === '*' || subs.includes(sub_code ?? '')),
  );
  if (row) return row[2];
  if (code === '40002' && sub_code !== undefined && requestFields.includes(sub_code)) return REQUEST;
  return UNLISTED;
}

type RefusalFields = { code?: string | undefined; sub_code?: string | undefined };

/** Whether a refusal proves that an order, or a refund, under this number exists. */
export const isDuplicate = ({ code, sub_code }: RefusalFields, creates: Creation = 'order') =>
  code !== undefined && refusalOf(code, sub_code, [], creates).kind === 'duplicate';

/** Whether a refusal is about us, not about what was asked: every call will fail until the settings are mended. */
export const isCredentialsRefusal = ({ code, sub_code }: RefusalFields) =>
  code !== undefined && refusalOf(code, sub_code, []).kind === 'credentials';

/** Whether a refusal says that no virtual account is left to give; more come only when some are canceled or bought. */
export const isOutOfAccounts = ({ code, sub_code }: RefusalFields) =>
  code !== undefined && refusalOf(code, sub_code, []).kind === 'no accounts left';

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
}
