/** What operators see of a payment. No personal data: search attributes are never encrypted. */
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import {
  knownBy,
  mismatchLine,
  moneyToSendBack,
  NOT_CREATED_YET,
  nameDigests,
  type PaymentState,
  SEARCH_ATTRIBUTE,
  timeText,
} from '../../contract';
import { type AttentionSubject, tradeAttributes } from '../shared/visibility';
import { decidedLines, takenLines } from '../shared/wait';
import { type KnownPayment, paymentState } from './known-payment';

/**
 * `CREATING` and `CREATED` are shown while the gateway has named no status: before it has the order, and after it took a
 * checkout.
 */
const statusOf = (state: PaymentState) =>
  state.trade_status ?? state.outcome ?? (state.payment_data ? 'CREATED' : NOT_CREATED_YET);

export function paymentAttributes(known: KnownPayment): SearchAttributeUpdatePair[] {
  const state = paymentState(known);
  const expiresAt = state.expires_at === null ? null : new Date(state.expires_at);
  const { outcome, payment_data } = state;
  const names = [
    ['buyer', known.order?.request.buyer_id],
    ['account', payment_data?.clabe],
  ] as const;
  const shown = { status: statusOf(state), outcome, names: nameDigests(names) };
  return [...tradeAttributes(state, shown), { key: SEARCH_ATTRIBUTE.expiresAt, value: expiresAt }];
}

/** The details in Temporal UI, as paragraphs of Markdown. All times are absolute, so that they stay true. */
export function paymentDetails(known: KnownPayment, waitingFor: string): string[] {
  const { heard, reasons } = known;
  const state = paymentState(known);
  const back = moneyToSendBack(state, null);
  const others = reasons.filter((one) => one !== state.attention);
  return [
    `**${state.outcome ?? statusOf(state)}** · ${state.order_amount ?? '?'} ${state.order_currency ?? ''} · ${state.method ?? 'method chosen at checkout'}`,
    `Trade ${state.trade_no ?? 'not known yet'}${state.expires_at ? `, expires ${timeText(state.expires_at)}` : ''}`,
    state.outcome ? `It has ended, ${knownBy(state.confirmed_by)}.` : `Waits for ${waitingFor}`,
    ...decidedLines(state.history.findLast(({ by }) => by !== undefined)),
    `The gateway’s last news: ${heard ? `${heard.status}, on ${timeText(heard.at)}` : 'none yet'}. Last notification: ${notifiedLine(known.latest)}.`,
    ...takenLines(state.taken),
    ...(back === undefined ? [] : [`**${back} came.** Nothing sends it back by itself: \`payment-gateway refund\`.`]),
    ...(others.length > 0 ? [`It needs a person for more: ${others.join(', ')}.`] : []),
    ...state.other_trades.map(
      (one) => `Another trade under the number: ${one.trade_no}, ${one.trade_status ?? 'not seen yet'}`,
    ),
  ];
}

/** What the payment's attention is about. */
export function paymentSubject(known: KnownPayment): AttentionSubject {
  const { trade_status } = known.shown;
  const isOfAmounts = known.reasons.includes('amount-mismatch');
  return { trade_status, amounts: isOfAmounts ? mismatchLine(paymentState(known)) : undefined };
}

function notifiedLine(notified: KnownPayment['latest']): string {
  if (!notified) return 'none yet';
  const { trade_status, trade_no, at } = notified;
  return `${trade_status || 'without a status'}${trade_no ? ` of trade ${trade_no}` : ''}, on ${timeText(at)}`;
}
