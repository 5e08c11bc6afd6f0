/**
 * What people may see of a decrypted payload in Temporal UI. Only the values of the fields listed here are shown, so that a new
 * field is hidden until somebody lists it. Card tokens, PINs and identity numbers are in no list.
 */
import type { Payload } from '@temporalio/common';
import { z } from 'zod';
import { isOwnFailureType } from '../contract/failures';
import { isOurWorkflow } from '../contract/ids';
import { isOurSummary } from '../contract/summaries';
import { FAILURE_TYPE } from './failure-converter';
import type { PayloadOwner } from './payload-owner';

export type Role = 'viewer' | 'support';

export const MASK = '***';

/** Fields for every role: none of them identifies a person. */
const EVERYBODY = [
  // Orders, and the gateway's answers to them.
  ...['kind', 'app_id', 'out_trade_no', 'trade_no', 'out_request_no', 'run_id', 'method', 'channel', 'bank'],
  ...['order_amount', 'order_currency', 'amount', 'currency', 'installments', 'issuer', 'region', 'regions', 'version'],
  ...['timeout_express', 'cancellation_express', 'trade_type', 'language_code', 'notify_url', 'recovered'],
  ...['trade_status', 'qr_code', 'barcode', 'bank_code', 'bank_name', 'reference', 'clabe', 'web_url', 'wallet_url'],
  // A payment's state, and what decides it.
  ...['outcome', 'confirmed_by', 'attention', 'attention_since', 'expires_at'],
  ...['time', 'from', 'to', 'source', 'seen', 'is', 'attempt'],
  ...['credentials', 'confirm_by_query', 'settling_ms', 'patience_ms', 'grace_ms', 'poll_schedule_ms', 'poll_every_ms'],
  // Refunds, and what else follows a sale.
  ...['refund_amount', 'refund_currency', 'refund_status', 'refunded_amount', 'refunding_amount', 'partial'],
  ...['left', 'ledger_complete', 'answer_by', 'watched_until', 'requested_at', 'started_at', 'sent_at'],
  ...['refunded_elsewhere', 'although', 'claims', 'after_sale_id', 'read_by'],
  // Reconciliations, and sweeps for what is stuck.
  ...['since', 'until', 'checked', 'finished', 'between', 'here', 'gateway', 'merchant', 'adopted', 'adopt'],
  ...['stuck', 'stuck_ms', 'under_attention', 'workflow_id', 'status', 'looked_at', 'listeners', 'per_second'],
  // Our own failures. Their texts quote no private value; those of other failures are masked, see below.
  ...['message', 'stack_trace', 'code', 'msg', 'sub_code', 'sub_msg', 'http_status', 'retryable', 'operation'],
  ...['fields', 'field', 'rule', 'type'],
  // Temporal UI asks every workflow for this field.
  ...['currentDetails'],
] as const;

/** Fields for support too: how to reach the buyer, and texts that people wrote. */
const SUPPORT = [
  'name',
  'email',
  'phone',
  'buyer_id',
  'subject',
  'content',
  'refund_reason',
  'reason',
  'note',
  'by',
  'pay_url',
];

const SHOWN: Record<Role, ReadonlySet<string>> = {
  viewer: new Set(EVERYBODY),
  support: new Set([...EVERYBODY, ...SUPPORT]),
};

/** Names from a workflow's code, which say nothing of an order. Temporal UI needs them to send queries and signals. */
const UNMASKED = new Set(['queryDefinitions', 'signalDefinitions', 'updateDefinitions']);

/** Names of fields. Another key, such as an e-mail address, may be a value. */
export const FIELD_NAME = /^[a-z][a-z0-9_]{0,40}$/i;

/**
 * The JSON value as a role may see it: every field's name, and its value or a mask. Empty values are shown. The items of a list
 * count as fields with the list's name. A text or number without a field name is masked, and so is a failure's text, unless
 * `failureType` is one of ours.
 */
export function masked(value: unknown, role: Role, field?: string, failureType?: string): unknown {
  if (value === null || value === '' || (field !== undefined && UNMASKED.has(field))) return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, role, field));
  if (typeof value === 'object') {
    const isOthersFailure = 'stack_trace' in value && !isOwnFailureType(failureType);
    if (isOthersFailure) return { message: MASK, stack_trace: MASK };
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [FIELD_NAME.test(name) ? name : MASK, masked(inner, role, name)]),
    );
  }
  return field !== undefined && SHOWN[role].has(field) ? value : MASK;
}

/**
 * The decrypted payload as a role may see it, by its authenticated owner. JSON of our workflows is masked by field, and their
 * summaries are shown. Of other workflows, and without an owner, only what Temporal UI needs is shown. Null stays null; other
 * encodings are masked as a whole.
 */
export function maskedPayload(payload: Payload, role: Role, owner: PayloadOwner | undefined): Payload {
  const encoding = Buffer.from(payload.metadata?.encoding ?? []).toString();
  if (encoding === 'binary/null') return payload;
  const value = encoding.startsWith('json/') ? parseJson(payload.data) : MASK;
  const shown = isOurWorkflow(owner?.workflowId ?? '') ? oursAsSeen(value, payload, role, owner) : othersAsSeen(value);
  return jsonPayload(shown);
}

export const jsonPayload = (value: unknown): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(value)),
});

function oursAsSeen(value: unknown, { metadata }: Payload, role: Role, owner: PayloadOwner | undefined): unknown {
  // Our activities take and give objects: a text beside them is their summary.
  const isSummary = typeof value === 'string' && (owner?.type === 'activity' || isOurSummary(value));
  const failureType = Buffer.from(metadata?.[FAILURE_TYPE] ?? []).toString();
  return isSummary ? value : masked(value, role, undefined, failureType);
}

const definitions = z.array(z.object({ name: z.string().nullish() })).optional();
/** What Temporal UI asks every workflow for: the names of its handlers, from its code. */
const handlers = z.object({
  definition: z.object({
    type: z.string().optional(),
    queryDefinitions: definitions,
    signalDefinitions: definitions,
    updateDefinitions: definitions,
  }),
});

function othersAsSeen(value: unknown): unknown {
  const parsed = handlers.safeParse(value);
  return parsed.success ? parsed.data : MASK;
}

function parseJson(data: Uint8Array | null | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(data ?? []).toString());
  } catch {
    return MASK;
  }
}
