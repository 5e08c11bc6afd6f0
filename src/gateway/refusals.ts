/** What a refusal's code means for a creation: whether an order can exist, and whether trying again can help. */
import type { Outcome } from './errors';

/** Why the gateway refused, where that changes what has to be done next. */
export type RefusalKind = 'temporary' | 'credentials' | 'order' | 'duplicate' | 'refused' | 'unlisted';

export interface Refusal {
  outcome: Outcome;
  kind: RefusalKind;
  retryable: boolean;
}

const TEMPORARY: Refusal = { outcome: 'not-created', kind: 'temporary', retryable: true };
const CREDENTIALS: Refusal = { outcome: 'not-created', kind: 'credentials', retryable: false };
const ORDER: Refusal = { outcome: 'not-created', kind: 'order', retryable: false };
const REFUSED: Refusal = { outcome: 'created-refused', kind: 'refused', retryable: false };
/** An order under this number exists; whether it is the one that was sent, only a query can tell. */
const DUPLICATE: Refusal = { outcome: 'unknown', kind: 'duplicate', retryable: false };
const UNLISTED: Refusal = { outcome: 'unknown', kind: 'unlisted', retryable: false };

/** `*` stands for any sub_code, also none. The first row that fits counts. */
const REFUSALS: readonly (readonly [code: string, subCodes: readonly string[], means: Refusal])[] = [
  ['20000', ['*'], TEMPORARY],
  ['40001', ['*'], ORDER],
  ['40002', ['invalid-signature', 'missing-signature-config', 'app-not-match'], CREDENTIALS],
  ['40002', ['app-status-abnormal', 'merchant-status-abnormal'], CREDENTIALS],
  ['40002', ['no-method-supported', 'currency-not-supported'], ORDER],
  ['40004', ['no-method-supported', 'currency-not-supported'], ORDER],
  ['40002', ['duplicate-out_trade_no'], DUPLICATE],
  ['40002', ['gen-card-token-fail', 'card-token-expired', 'bank-side-busy', 'SYS-0001'], REFUSED],
  ['40002', ['account-pool-run-out'], ORDER],
  ['40005', ['*'], ORDER],
  ['70001', ['10001', '10002', '10003', '10004', '20001', '20002'], REFUSED],
  ['90001', ['71012', '190', '401', '402', '403', ...range(101, 119), ...range(201, 207)], REFUSED],
];

const LISTED: ReadonlySet<string> = new Set(REFUSALS.flatMap(([code, subCodes]) => [code, ...subCodes]));

/** Whether a code or sub_code is one of the table's words, which say nothing of a request. */
export const isListed = (word: string) => LISTED.has(word);

/**
 * What a refusal means for a creation. `requestFields` are the dotted paths of the operation's request: gateways name the
 * field that they refuse as `sub_code`, and such an order was not created.
 */
export function refusalOf(code: string, sub_code: string | undefined, requestFields: readonly string[]): Refusal {
  const row = REFUSALS.find(([c, subs]) => c === code && (subs[0] === '*' || subs.includes(sub_code ?? '')));
  if (row) return row[2];
  if (code === '40002' && sub_code !== undefined && requestFields.includes(sub_code)) return ORDER;
  return UNLISTED;
}

type RefusalFields = { code?: string | undefined; sub_code?: string | undefined };

/** Whether a refusal proves that an order under this number exists. */
export const isDuplicate = ({ code, sub_code }: RefusalFields) =>
  code !== undefined && refusalOf(code, sub_code, []).kind === 'duplicate';

/** Whether a refusal is about us, not about the order: every call will fail until the settings are mended. */
export const isCredentialsRefusal = ({ code, sub_code }: RefusalFields) =>
  code !== undefined && refusalOf(code, sub_code, []).kind === 'credentials';

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
}
