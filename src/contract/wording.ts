/** Times, money and outcomes in the words that a person reads in `show`, in lists and in Temporal UI. Pure. */
import { isMoney, isMore, less, sumOf } from '../gateway/pure/money';
import type { AfterSaleState, RefundState } from './after-sale';
import type { PaymentState, Source } from './payment';
import { outcomeOf, STATUSES_WITH_MONEY, takesMoneyBack } from './trade-status-table';

/** `2026-03-01 12:00 UTC`, from ISO 8601 or ms since the epoch. */
export const timeText = (time: string | number): string =>
  `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** "3.00 MXN", with or without its currency. A text that is no amount stays as it is. */
export const moneyText = (amount: string | null, currency: string | null = null): string =>
  [isMoney(amount) ? sumOf([amount]) : (amount ?? 'no amount'), currency ?? ''].join(' ').trim();

type Amounts = Pick<PaymentState, 'order_amount' | 'order_currency' | 'mismatch'>;

/** Both amounts of the reason `amount-mismatch`, in one line; undefined if the gateway has named no other amount. */
export function mismatchLine({ order_amount, order_currency, mismatch }: Amounts): string | undefined {
  if (!mismatch) return undefined;
  const { amount, currency } = mismatch;
  return `Ordered: ${moneyText(order_amount, order_currency)}. The gateway names: ${moneyText(amount, currency ?? order_currency)}.`;
}

/** The fields of a payment's state about its money and its end. */
export type PaidMoney = Pick<
  PaymentState,
  'outcome' | 'attention' | 'mismatch' | 'trade_status' | 'order_amount' | 'order_currency'
>;

/** The fields of an after-sale's state about the money that came, and that has gone back. */
export type GoneMoney = Pick<
  AfterSaleState,
  'trade_status' | 'order_amount' | 'order_currency' | 'refunded_amount' | 'refunding_amount' | 'refunded_elsewhere'
>;

/** All that has gone back of the order's own trade, or is on its way. */
export const goneOf = (sale: GoneMoney | null): string =>
  sale ? sumOf([sale.refunded_amount, sale.refunding_amount, sale.refunded_elsewhere]) : '0.00';

/** Whether that is all that was paid: then the state of the payment says so, and nobody delivers. */
export const goesBackWhole = (sale: GoneMoney): boolean =>
  sale.order_amount !== null && !isMore(sale.order_amount, goneOf(sale));

/**
 * The money, in words, that came for an order that a person has decided is not sold, and that has not gone back; undefined if there is none.
 * Nothing sends it back by itself.
 */
export function moneyToSendBack(payment: PaidMoney, sale: GoneMoney | null): string | undefined {
  const { outcome, attention, mismatch } = payment;
  const status = sale?.trade_status ?? payment.trade_status ?? '';
  const isDecided = outcome !== null && outcome !== 'SUCCESS' && attention === null;
  if (!isDecided || outcomeOf(status) !== 'SUCCESS' || takesMoneyBack(status)) return undefined;
  const came = sale?.order_amount ?? (mismatch ? mismatch.amount : payment.order_amount);
  const currency = sale?.order_currency ?? mismatch?.currency ?? payment.order_currency;
  if (came === null || !isMoney(came)) return 'The money';
  const gone = goneOf(sale);
  return isMore(came, gone) ? moneyText(less(came, gone), currency) : undefined;
}

/**
 * What the gateway may still bring to an order that has ended here, in a sentence; undefined if nothing more. `sale`: the order's after-sale, null
 * if it does not answer yet. `now`: ms since the epoch.
 */
export function stillPayable(
  { outcome, trade_status, confirmed_by }: Pick<PaymentState, 'outcome' | 'trade_status' | 'confirmed_by'>,
  sale: Pick<AfterSaleState, 'trade_status' | 'watched_until'> | null,
  now: number,
): string | undefined {
  const status = sale?.trade_status ?? trade_status;
  const isOpen = outcomeOf(status ?? '') === null && (status !== null || confirmed_by === 'operator');
  if (outcome === null || outcomeOf(status ?? '') === 'SUCCESS') return undefined;
  // No fact tells a late answer about the money that the person saw from a second payment.
  if (outcome === 'SUCCESS') return isOpen ? COUNTS_AS_PAID : undefined;
  const until = sale?.watched_until ?? null;
  const isWatched = until !== null && Date.parse(until) > now;
  if (!isWatched && (sale !== null || !isOpen)) return undefined;
  const what = isOpen ? 'The gateway has not ended it, so the buyer may still pay' : 'Money of it may still come';
  return `${what}${isWatched ? `: it is watched until ${timeText(until)}` : ''}. ${IS_LATE}`;
}

const IS_LATE = 'That would be late money: PAYMENTS_LATE says what becomes of it, by default a person is asked.';
const COUNTS_AS_PAID =
  'The gateway has not shown it as paid; if it does, that counts as the money of this sale. Where the sale was paid another way, say CANCEL instead: then what the buyer pays there is late money.';

/** The fields of a payment's state about other trades under its number. */
export type TradesBeside = Pick<PaymentState, 'outcome' | 'other_trades' | 'order_currency'>;

/**
 * What was paid a second time under the order’s number, in words: other trades that the gateway shows as paid; undefined if there are none.
 * We make no refund of them: whoever resolves `second-trade` says that the money went back.
 */
export function secondTradesPaid({ outcome, other_trades, order_currency }: TradesBeside): string | undefined {
  const paid = other_trades.filter(({ trade_status }) => STATUSES_WITH_MONEY.some((one) => one === trade_status));
  if (outcome !== 'SUCCESS' || paid.length === 0) return undefined;
  return paid.map((one) => `${moneyText(one.order_amount, order_currency)} of trade ${one.trade_no}`).join(', ');
}

/**
 * The doubt about {@link secondTradesPaid}, in words, if money of the order's own trade has gone back; otherwise empty. That refund may have
 * been for the second payment, or for goods that came back: no fact tells, and who follows both sends all back.
 */
export function unlessOwnWentBack(sale: GoneMoney | null): string {
  const gone = goneOf(sale);
  if (!isMore(gone, '0')) return '';
  return `, unless the ${moneyText(gone, sale?.order_currency)} that went back of the order’s own trade was for it`;
}

type Sums = Pick<AfterSaleState, 'refunds' | 'refunded_amount' | 'refunding_amount'>;

/**
 * Each sum that is not zero, in words, the surest first; empty if no refund was requested. `refunded_amount` includes ACCEPTED refunds, so
 * that no money is given out twice, but nobody knows whether they went back: they are listed apart.
 */
export function refundSums({ refunds, refunded_amount, refunding_amount }: Sums): string[] {
  const isAccepted = ({ outcome, attention }: Sums['refunds'][number]) => outcome === 'ACCEPTED' && attention === null;
  const accepted = sumOf(refunds.filter(isAccepted).map(({ refund_amount }) => refund_amount));
  const sums: [amount: string, words: string][] = [
    [less(refunded_amount, accepted), 'refunded'],
    [accepted, 'accepted by the gateway and not confirmed'],
    [refunding_amount, 'being refunded'],
  ];
  return sums.flatMap(([amount, words]) => (isMore(amount, '0') ? [`${amount} ${words}`] : []));
}

/** How far a refund has come, in a few words. In an outage one is begun long before it leaves, and an answer may not tell what became of it. */
export const refundProgress = ({ outcome, refund_status, started_at }: RefundState): string =>
  outcome ?? refund_status ?? (started_at ? 'begun, and nobody knows yet whether it was made' : 'waits for its turn');

const WORDS: Readonly<Record<string, string>> = {
  query: 'as the gateway answered',
  notification: 'as a signed notification said',
  operator: 'as a person decided',
} satisfies Record<Source, string>;

/** A part of a sentence: `is paid, as the gateway answered`. */
export const knownBy = (confirmed_by: unknown): string =>
  WORDS[String(confirmed_by)] ?? 'as its time was over without another word of the gateway';
