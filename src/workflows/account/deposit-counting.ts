/** Decides about a deposit whose payment has ended: it is counted (once: `deposit-ledger.ts`), set aside for a person, or dropped. */
import { hasAllMoney, type NotifiedDeposit, outcomeOf, type PaymentState, type SetAsideDeposit } from '../../contract';
import { isMoney, sameAmount } from '../../gateway/pure/money';
import type { DepositLedger } from './deposit-ledger';
import { isNotifiedAsPaid, keyOf, orderAmountOf } from './notified-deposit';
import type { AccountPublisher } from './publisher';
import type { AccountRecord } from './record';

/**
 * What the payment of a deposit says: its last state, or null if somebody terminated it; `counted`: another account has the
 * deposit; `of an order`: the number is that of an order which was made here and was told of it, so there is no deposit.
 */
export type DepositAnswer = PaymentState | null | 'counted' | 'of an order';

export class DepositCounting {
  constructor(
    private readonly record: AccountRecord,
    private readonly ledger: DepositLedger,
    private readonly publisher: AccountPublisher,
  ) {}

  settle(deposit: NotifiedDeposit, payment: DepositAnswer): void {
    this.record.settle('overdue-deposit', { out_trade_no: deposit.out_trade_no });
    if (payment === 'counted') this.setAside(deposit, 'old-deposit');
    else if (payment === 'of an order') this.ledger.drop(deposit);
    else this.countConfirmed(deposit, payment);
  }

  private countConfirmed(deposit: NotifiedDeposit, payment: PaymentState | null): void {
    // If a person says that it was paid, the notified amount may be the only one known: a person compares it.
    const isWordOfPerson = payment?.confirmed_by === 'operator' && payment.order_amount === null;
    const amount = isWordOfPerson ? deposit.amount : payment?.order_amount;
    if (payment?.outcome !== 'SUCCESS' || !isMoney(amount)) {
      this.onUnconfirmed(deposit, payment);
      return;
    }
    if (isOfAnother(payment, deposit)) {
      this.ledger.drop(deposit);
      this.setAside(deposit, 'second-deposit');
      return;
    }
    // The money went back, or began to, before our first look.
    if (isReturned(payment)) {
      this.setAside(deposit, 'returned-deposit');
      return;
    }
    // Section 6.5: virtual accounts take Mexican pesos.
    const currency = (payment.order_currency ?? deposit.currency ?? 'MXN').toUpperCase();
    const notified = {
      amount: orderAmountOf(deposit) ?? amount,
      currency: (deposit.currency ?? currency).toUpperCase(),
    };
    const isAsNotified = sameAmount(amount, notified.amount) && currency === notified.currency;
    if (isWordOfPerson || !isAsNotified) this.record.raise('amount-mismatch', deposit);
    const trade_no = payment.trade_no ?? deposit.trade_no ?? null;
    // One transfer under two numbers is counted once.
    if (this.ledger.isOfOtherNumber({ ...deposit, trade_no: trade_no ?? undefined })) {
      this.ledger.drop(deposit);
      this.setAside({ ...deposit, trade_no: trade_no ?? undefined }, 'second-deposit');
      return;
    }
    this.record.settle('unconfirmed-deposit', { ...deposit, trade_no: trade_no ?? undefined });
    const counted = this.ledger.confirm(deposit, { trade_no, amount, currency }, Date.now());
    if (counted) this.publisher.publish({ id: counted.out_trade_no, type: 'deposit', deposit: counted });
  }

  /** For a deposit that the gateway does not confirm. It needs a person, unless no notification said that it was paid. */
  private onUnconfirmed(deposit: NotifiedDeposit, payment: PaymentState | null): void {
    if (!isNotifiedAsPaid(deposit) && payment !== null && payment.outcome !== 'SUCCESS') {
      this.ledger.drop(deposit);
    } else {
      this.setAside(deposit, 'unconfirmed-deposit');
    }
  }

  setAside(deposit: NotifiedDeposit, because: SetAsideDeposit['because']): void {
    const before = this.ledger.setAsideAs(deposit, because);
    const set_aside = this.ledger.setAside(deposit, because);
    // For the same reason and amount as before a person is not asked again, unless it is unconfirmed: then the repetition is news.
    if (because !== 'unconfirmed-deposit' && before?.because === because && before.amount === set_aside.amount) return;
    this.record.raise(because, deposit);
    // One number may be set aside for several reasons, or again: each time an event is published.
    const what = `set-aside:${keyOf(set_aside)}:${because}`;
    const id = before ? this.publisher.idOf(what) : what;
    this.publisher.publish({ id, type: 'deposit-set-aside', set_aside });
  }
}

/** Whether a payment ended as a sale whose money the merchant has, with an amount that the gateway has shown. */
export function isMoneyOfMerchant(payment: PaymentState | null): boolean {
  return payment?.outcome === 'SUCCESS' && payment.order_amount !== null && !isReturned(payment);
}

/** Whether money of the sale has gone back. A sale that a person has decided may have no such status: it counts as not returned. */
const isReturned = ({ trade_status }: PaymentState): boolean =>
  outcomeOf(trade_status ?? '') === 'SUCCESS' && !hasAllMoney(trade_status ?? '');

/** Whether the gateway showed another deposit: another number, or another trade. A field that is missing says nothing. */
function isOfAnother({ payment_data, ...ids }: PaymentState, deposit: NotifiedDeposit): boolean {
  const differs = (shown: unknown, ours: string | undefined) => Boolean(shown && ours) && shown !== ours;
  return [ids, payment_data ?? {}].some(
    (shown: { out_trade_no?: unknown; trade_no?: unknown }) =>
      differs(shown.out_trade_no, deposit.out_trade_no) || differs(shown.trade_no, deposit.trade_no),
  );
}
