/**
 * What the code of a refusal means for a creation: whether the order, refund or account can exist, and whether to try again.
 */
import type { CallOutcome } from './errors';

/** What a call creates. Some codes are known for orders only, so they mean nothing for a refund. */
export type Creation = 'order' | 'refund' | 'account';

/** Why the gateway refused, as far as the next step depends on it. */
export type RefusalKind =
  | 'temporary'
  | 'credentials'
  | 'request'
  | 'no accounts left'
  | 'duplicate'
  | 'refused'
  | 'unlisted';

export interface Refusal {
  outcome: CallOutcome;
  kind: RefusalKind;
  retryable: boolean;
}

// A creation that is refused for its request or its sender has made nothing: the gateway refuses before it makes a trade. Only a
// refused payment (REFUSED) is about a trade that was made, and it counts only after a query.
const TEMPORARY: Refusal = { outcome: 'not-created', kind: 'temporary', retryable: true };
const CREDENTIALS: Refusal = { outcome: 'not-created', kind: 'credentials', retryable: false };
const REQUEST: Refusal = { outcome: 'not-created', kind: 'request', retryable: false };
const NO_ACCOUNTS: Refusal = { outcome: 'not-created', kind: 'no accounts left', retryable: false };
const REFUSED: Refusal = { outcome: 'created-refused', kind: 'refused', retryable: false };
/** An order or refund with this number exists, but perhaps not the one that was sent. */
const DUPLICATE: Refusal = { outcome: 'unknown', kind: 'duplicate', retryable: false };
const UNLISTED: Refusal = { outcome: 'unknown', kind: 'unlisted', retryable: false };

/** Refusals that come before the gateway does anything mean the same for every creation. */
const EVERY: readonly Creation[] = ['order', 'refund', 'account'];

/**
 * What gateways answer to a query for an order that they do not have: a `sub_code`, or a `code` without one. The interface
 * names no code for this (section 7.3). These are the likely ones; others go into the settings.
 */
export const NO_SUCH_ORDER: readonly string[] = [
  'trade-not-exist',
  'trade-not-found',
  'order-not-exist',
  'order-not-found',
];

/**
 * What gateways answer to a refund that they do not make: a `sub_code`, or a `code` without one. The interface names no code for this
 * either (section 4.3). These can mean nothing else; others go into the settings. A code that is in no list may mean anything.
 */
export const REFUND_REFUSALS: readonly string[] = [
  'refund-not-supported',
  'partial-refund-not-supported',
  'refund-amount-exceeded',
];

/** `*` means any sub_code or none. The first row that fits counts. */
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
  // Our rules check the form of a refund's number, so the gateway can only refuse it for its second use.
  ['40002', ['duplicate-out_request_no', 'out_request_no'], DUPLICATE, ['refund']],
  ['40005', ['*'], REQUEST, EVERY],
  ['70001', ['10001', '10002', '10003', '10004', '20001', '20002'], REFUSED, ['order']],
  ['90001', ['71012', '190', '401', '402', '403', ...range(101, 119), ...range(201, 207)], REFUSED, ['order']],
];

/** Whether the gateway says that it is unavailable, for everybody. */
export const isBusy = (code: string | undefined): boolean => code === '20000';

const LISTED: ReadonlySet<string> = new Set([
  ...REFUSALS.flatMap(([code, subCodes]) => [code, ...subCodes]),
  ...NO_SUCH_ORDER,
  ...REFUND_REFUSALS,
]);

/** Whether a code or sub_code is in the tables above. Such a code quotes nothing of the request. */
export const isListed = (word: string) => LISTED.has(word);

/**
 * What a refusal means for the creation of `creates`. If `sub_code` is one of `requestFields` (dotted paths), the gateway
 * refused that field and created nothing. `refundRefusals`: this gateway's codes for a refund that it does not make.
 */
export function refusalOf(
  code: string,
  sub_code: string | undefined,
  requestFields: readonly string[],
  creates: Creation = 'order',
  refundRefusals: readonly string[] = REFUND_REFUSALS,
): Refusal {
  const row = REFUSALS.find(
    ([c, subs, , of]) => c === code && of.includes(creates) && (subs[0] === '*' || subs.includes(sub_code ?? '')),
  );
  if (row) return row[2];
  if (creates === 'refund' && refundRefusals.includes(sub_code ?? code)) return REQUEST;
  if (code === '40002' && sub_code !== undefined && requestFields.includes(sub_code)) return REQUEST;
  return UNLISTED;
}

type RefusalFields = { code?: string | undefined; sub_code?: string | undefined };

/** Whether a refusal proves that an order or a refund with this number exists. */
export const isDuplicate = ({ code, sub_code }: RefusalFields, creates: Creation = 'order') =>
  code !== undefined && refusalOf(code, sub_code, [], creates).kind === 'duplicate';

/** Whether a refusal is about our credentials: every call fails until the settings are corrected. */
export const isCredentialsRefusal = ({ code, sub_code }: RefusalFields) =>
  code !== undefined && refusalOf(code, sub_code, []).kind === 'credentials';

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
}
