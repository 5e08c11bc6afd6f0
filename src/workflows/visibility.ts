/** What operators see of a payment: search attributes to find it by, and the details in Temporal UI. */
import { defineSearchAttributeKey, type SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import {
  type AfterSaleState,
  type Attention,
  type LateRefund,
  type PaymentState,
  type RefundState,
  SEARCH_ATTRIBUTES,
} from './contract';

export const keys = {
  status: defineSearchAttributeKey('PaymentStatus', SEARCH_ATTRIBUTES.PaymentStatus),
  method: defineSearchAttributeKey('PaymentMethod', SEARCH_ATTRIBUTES.PaymentMethod),
  currency: defineSearchAttributeKey('PaymentCurrency', SEARCH_ATTRIBUTES.PaymentCurrency),
  attention: defineSearchAttributeKey('PaymentAttention', SEARCH_ATTRIBUTES.PaymentAttention),
  tradeNo: defineSearchAttributeKey('PaymentTradeNo', SEARCH_ATTRIBUTES.PaymentTradeNo),
  amount: defineSearchAttributeKey('PaymentAmount', SEARCH_ATTRIBUTES.PaymentAmount),
  expiresAt: defineSearchAttributeKey('PaymentExpiresAt', SEARCH_ATTRIBUTES.PaymentExpiresAt),
};

/** `PaymentStatus` while the gateway has named no state: before it has the order, and after it took a checkout. */
const statusOf = (state: PaymentState) =>
  state.trade_status ?? state.outcome ?? (state.payment_data ? 'CREATED' : 'CREATING');

const WHAT_TO_DO: Record<Attention, string> = {
  'amount-mismatch':
    'The gateway names another amount or currency than was ordered. Compare the trade with the order, then send the update `resolve`.',
  'unlisted-transition':
    'The gateway reported a state that cannot follow the one before. It was not believed. Look at the trade in the gateway’s dashboard, then `recheck` or `resolve`.',
  'unknown-status':
    'The gateway reported a state that we do not know. Look at the trade in its dashboard, then `resolve`.',
  'unknown-outcome':
    'The creation’s outcome is still unknown: the gateway neither knows the order nor takes it. We go on asking. Look for the order in its dashboard.',
  credentials:
    'The gateway does not accept our credentials or account, so every order will fail. No order was created. Mend the worker’s settings.',
  'never-ended':
    'The gateway never ended this trade. Nothing was paid as far as we know. Look at it in the gateway’s dashboard.',
  'unconfirmed-notification':
    'A genuine notification says that this was paid, and the gateway’s own answer does not. We go on asking. Look at the trade in the gateway’s dashboard, then `resolve` if need be.',
  'late-payment':
    'Money came after this payment had ended otherwise (see `previous` in its state). Deliver, or send the money back.',
  'unknown-trade':
    'A trade was announced that the gateway says it does not know. We go on asking. Look for it in the gateway’s dashboard, then `resolve`.',
  dispute:
    'The buyer disputes this payment. Answer the dispute in the gateway’s dashboard. No refund is made meanwhile.',
  chargeback:
    'The bank has taken the money back. Do not deliver, and do not refund: the buyer has the money. `resolve` once it is seen to.',
  'chargeback-reversed': 'A chargeback was reversed: the money is yours again. `resolve` once it is seen to.',
  'refund-elsewhere':
    'The gateway shows a refund that is not known here: made elsewhere, by a bank, or so long ago that Temporal has forgotten it. What we count as refunded is too little. Compare with the gateway’s dashboard.',
  'unknown-refund':
    'Nothing tells whether the gateway made this refund. It is not asked for again, and the next one waits. Look for it in the gateway’s dashboard, then send the after-sale the update `resolve` with its outcome.',
  'bare-secret':
    'A card token or PIN came unsealed, or a card’s own number in a token’s place. The order was refused and nothing was sent. What came unsealed stays in this history: have the sender seal it, then delete this workflow and treat the secret as seen by others.',
  'unexpected-signal': 'A signal arrived that nobody here understands. See the history.',
  'unreadable-notification': 'A notification was genuinely signed but could not be read.',
};

export const whatToDo = (attention: Attention) => WHAT_TO_DO[attention];

/** Tells visibility what changed since it was told last, in one upsert at most. */
export class Attributes {
  private readonly told = new Map<string, string | null>();

  update(pairs: SearchAttributeUpdatePair[]): void {
    const changed = pairs.filter(({ key: { name }, value: given }) => {
      const value = given === null ? null : String(given);
      const isNews = (this.told.get(name) ?? null) !== value;
      this.told.set(name, value);
      return isNews;
    });
    if (changed.length > 0) upsertSearchAttributes(changed);
  }
}

export class Visibility {
  private readonly attributes = new Attributes();

  update(state: PaymentState, waitingFor: string): void {
    this.show(attributes(state), details(state, waitingFor));
  }

  /** A run that goes on as a new one would leave it what operators are told of this one. */
  withdraw(): void {
    this.attributes.update([{ key: keys.attention, value: null }]);
  }

  show(pairs: SearchAttributeUpdatePair[], markdown: string): void {
    this.attributes.update(pairs);
    setCurrentDetails(markdown);
  }
}

function attributes(state: PaymentState): SearchAttributeUpdatePair[] {
  const amount = state.order_amount === null ? null : Number(state.order_amount);
  const expiresAt = state.expires_at === null ? null : new Date(state.expires_at);
  return [
    { key: keys.status, value: statusOf(state) },
    { key: keys.method, value: state.method },
    { key: keys.currency, value: state.order_currency },
    { key: keys.attention, value: state.attention },
    { key: keys.tradeNo, value: state.trade_no },
    // A double: good for filtering by size, never for reckoning.
    { key: keys.amount, value: amount },
    { key: keys.expiresAt, value: expiresAt },
  ];
}

/** A refund's status is the gateway's, or how it ended. */
export function refundAttributes(refund: RefundState): SearchAttributeUpdatePair[] {
  return [
    { key: keys.status, value: refund.outcome ?? refund.refund_status ?? 'REFUNDING' },
    { key: keys.currency, value: refund.refund_currency },
    { key: keys.attention, value: refund.attention },
    { key: keys.amount, value: Number(refund.refund_amount) },
  ];
}

export function afterSaleAttributes(state: AfterSaleState): SearchAttributeUpdatePair[] {
  return [
    { key: keys.status, value: state.trade_status ?? 'UNKNOWN' },
    { key: keys.method, value: state.method },
    { key: keys.currency, value: state.order_currency },
    { key: keys.attention, value: state.attention },
    { key: keys.tradeNo, value: state.trade_no },
    { key: keys.amount, value: state.order_amount === null ? null : Number(state.order_amount) },
  ];
}

/** The ledger as a table in Temporal UI. No personal data. */
export function afterSaleDetails(state: AfterSaleState, waitingFor: string): string {
  const { trade_status, order_amount, order_currency, refunded_amount, refunding_amount, attention } = state;
  const lines = [
    `**${trade_status ?? '?'}** · ${order_amount ?? '?'} ${order_currency ?? ''} paid, ${refunded_amount} refunded, ${refunding_amount} on its way back`,
    ...state.refunds.map(
      (one) =>
        `- ${one.out_request_no ?? 'full'}: ${one.refund_amount} ${one.refund_currency}, ${one.outcome ?? one.refund_status ?? (one.started_at ? 'asking' : 'waits for its turn')}`,
    ),
    ...(state.ledger_complete ? [] : ['Refunds exist that are not in this list.']),
    `Waiting for: ${waitingFor}`,
  ];
  if (attention) lines.push(`⚠️ **${attention}**: ${WHAT_TO_DO[attention]}`);
  return lines.join('\n\n');
}

function lateRefundLine({ out_request_no, refund_status, reason }: LateRefund): string {
  if (reason) return `The money came too late, and is not sent back: ${reason}`;
  return `The money came too late, and is sent back: refund ${out_request_no}, ${refund_status ?? 'asked for'}.`;
}

/** Markdown for Temporal UI. No personal data: it stands in clear unless payloads are encrypted. */
function details(state: PaymentState, waitingFor: string): string {
  const lines = [
    `**${state.outcome ?? statusOf(state)}** · ${state.order_amount ?? '?'} ${state.order_currency ?? ''} · ${state.method ?? 'method chosen at checkout'}`,
    `Trade ${state.trade_no ?? 'not known yet'}${state.expires_at ? `, expires ${state.expires_at}` : ''}`,
    state.outcome ? `Ended, known by ${state.confirmed_by ?? 'deadline'}.` : `Waiting for: ${waitingFor}`,
  ];
  if (state.late_refund) lines.push(lateRefundLine(state.late_refund));
  if (state.attention) lines.push(`⚠️ **${state.attention}**: ${WHAT_TO_DO[state.attention]}`);
  return lines.join('\n\n');
}
