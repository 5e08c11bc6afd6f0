/**
 * What people may see of a decrypted payload in Temporal UI. A value is shown where its field is listed here, and masked
 * everywhere else: a field that nobody has thought of stays hidden. Card tokens, PINs and identity numbers are in no list.
 */

export const ROLES = ['viewer', 'support'] as const;
export type Role = (typeof ROLES)[number];

export const MASK = '***';

/** Fields for every role: what says nothing of a person. */
const EVERYBODY = [
  // Orders, and the gateway's answers to them.
  ...['kind', 'app_id', 'out_trade_no', 'trade_no', 'out_request_no', 'run_id', 'method', 'channel', 'bank'],
  ...['order_amount', 'order_currency', 'amount', 'currency', 'installments', 'issuer', 'region', 'regions', 'version'],
  ...['timeout_express', 'cancellation_express', 'trade_type', 'language_code', 'notify_url', 'recovered'],
  ...['trade_status', 'qr_code', 'barcode', 'bank_code', 'bank_name', 'reference', 'clabe', 'web_url', 'wallet_url'],
  // A payment's state, and what decides it.
  ...['outcome', 'confirmed_by', 'attention', 'expires_at', 'time', 'from', 'to', 'source', 'seen', 'is', 'attempt'],
  ...['credentials', 'confirm_by_query', 'settling_ms', 'grace_ms', 'poll_schedule_ms', 'poll_every_ms'],
  // Refunds, and what else follows a sale.
  ...['refund_amount', 'refund_currency', 'refund_status', 'refunded_amount', 'refunding_amount', 'partial'],
  ...['left', 'ledger_complete', 'watched_until', 'requested_at', 'started_at', 'after_sale_id'],
  // Failures. Their texts are made so that they quote no private value.
  ...['message', 'stack_trace', 'code', 'msg', 'sub_code', 'sub_msg', 'http_status', 'retryable', 'operation'],
  ...['fields', 'field', 'rule', 'type'],
  // What Temporal UI asks every workflow for.
  ...['currentDetails'],
] as const;

/** Fields for support beside those: how to reach the buyer, and what people have written. */
const SUPPORT = [
  'name',
  'email',
  'phone',
  'buyer_id',
  'subject',
  'content',
  'refund_reason',
  'reason',
  'by',
  'pay_url',
];

const SHOWN: Record<Role, ReadonlySet<string>> = {
  viewer: new Set(EVERYBODY),
  support: new Set([...EVERYBODY, ...SUPPORT]),
};

/** What a workflow's code, and no order, has the names of: Temporal UI needs them to ask queries and send signals. */
const OPEN = new Set(['queryDefinitions', 'signalDefinitions', 'updateDefinitions']);

/**
 * The JSON value as a role may see it: every field by its name, its value or a mask. Empty values are shown, and what stands
 * in a list is judged by the list's name; a bare text or number has no name and is masked.
 */
export function masked(value: unknown, role: Role, field?: string): unknown {
  if (value === null || value === '' || (field !== undefined && OPEN.has(field))) return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, role, field));
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner, role, name)]));
  }
  return field !== undefined && SHOWN[role].has(field) ? value : MASK;
}
