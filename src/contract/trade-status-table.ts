/** The trade's statuses: a row for each status, a column for each question about it. Pure. */
import { isKnownStatus, TRADE_STATUSES, type TradeStatus } from '../gateway/pure/names';
import type { PaymentOutcome, PaymentState } from './payment';

/** What a status says of a trade's refunds. `stands`: the merchant has the payment, or has it again. */
export type RefundMeaning =
  | 'stands'
  | 'under way'
  | 'part is done'
  | 'done'
  | 'refused'
  | 'revoked'
  | 'of the bank'
  | 'none';

/** Whether a trade in this status can be refunded: now, after its next status, or not at all. */
export type Refundable = 'now' | 'later' | 'no';

interface StatusRow {
  /** The payment's outcome; null while it is under way. Statuses after the sale follow a SUCCESS. */
  readonly outcome: PaymentOutcome | null;
  readonly refunds: RefundMeaning;
  readonly refundable: Refundable;
  /** Why a person has to know of this status. */
  readonly attention?: 'dispute' | 'chargeback' | 'chargeback-reversed';
}

const open = { outcome: null, refunds: 'none', refundable: 'no' } as const;
const sold = { outcome: 'SUCCESS' } as const;

// biome-ignore format: a table, read by columns
const STATUSES: Readonly<Record<TradeStatus, StatusRow>> = {
  INITIAL:             open,
  PROCESSING:          open,
  RISK_CONTROLLING:    open,
  REFUSED:             { outcome: 'REFUSED', refunds: 'none', refundable: 'no' },
  CANCEL:              { outcome: 'CANCEL',  refunds: 'none', refundable: 'no' },
  EXPIRED:             { outcome: 'EXPIRED', refunds: 'none', refundable: 'no' },
  SUCCESS:             { ...sold, refunds: 'stands',       refundable: 'now' },
  REFUND_VERIFYING:    { ...sold, refunds: 'under way',    refundable: 'later' },
  REFUND_PROCESSING:   { ...sold, refunds: 'under way',    refundable: 'later' },
  PARTIAL_REFUND:      { ...sold, refunds: 'part is done', refundable: 'now' },
  REFUNDED:            { ...sold, refunds: 'done',         refundable: 'now' },
  REFUND_REFUSED:      { ...sold, refunds: 'refused',      refundable: 'now' },
  // The payment stands again soon: until then, the gateway refuses a refund.
  REFUND_REVOKE:       { ...sold, refunds: 'revoked',      refundable: 'later' },
  // The bank takes the money back. A refund beside that would pay the buyer twice.
  DISPUTE:             { ...sold, refunds: 'of the bank',  refundable: 'no',    attention: 'dispute' },
  CHARGEBACK:          { ...sold, refunds: 'of the bank',  refundable: 'no',    attention: 'chargeback' },
  CHARGEBACK_REVERSED: { ...sold, refunds: 'of the bank',  refundable: 'later', attention: 'chargeback-reversed' },
};

const rowOf = (status: string | null): StatusRow | undefined =>
  status !== null && isKnownStatus(status) ? STATUSES[status] : undefined;

/** The payment's outcome in this status; null while it is under way, or if we do not know the status. */
export const outcomeOf = (status: string): PaymentOutcome | null => rowOf(status)?.outcome ?? null;

export const refundMeaningOf = (status: string | null): RefundMeaning => rowOf(status)?.refunds ?? 'none';

/** An unknown status: no. */
export const refundableIn = (status: string | null): Refundable => rowOf(status)?.refundable ?? 'no';

/** Why a person has to know of this status of the bank; undefined for any other. */
export const attentionOfStatus = (status: string | null | undefined): StatusRow['attention'] =>
  rowOf(status ?? null)?.attention;

/** Why a person has to know of a sale that is first seen in this status: its money may be gone already. */
export const attentionOfSale = (status: string): StatusRow['attention'] | 'refund-elsewhere' =>
  attentionOfStatus(status) ?? (isRefundStatus(status) ? 'refund-elsewhere' : undefined);

/** Whether only a refund brings a trade into this status. */
export const isRefundStatus = (status: string): boolean =>
  !['stands', 'of the bank', 'none'].includes(refundMeaningOf(status));

/** Whether the bank moves a trade into this status. */
export const isBankStatus = (status: string): boolean => refundMeaningOf(status) === 'of the bank';

/** Whether the bank takes the money back in this status. */
export const takesMoneyBack = (status: string): boolean => status === 'DISPUTE' || status === 'CHARGEBACK';

/** Whether to deliver: it is paid, nobody has to look first, and neither a refund nor the bank gives all of the money back. */
export const isSold = ({
  outcome,
  attention,
  all_goes_back,
  trade_status,
}: Pick<PaymentState, 'outcome' | 'attention' | 'trade_status'> & {
  all_goes_back?: boolean | undefined;
}): boolean =>
  outcome === 'SUCCESS' &&
  !attention &&
  !all_goes_back &&
  refundMeaningOf(trade_status) !== 'done' &&
  !takesMoneyBack(trade_status ?? '');

/** Whether all of a sale's money is with the merchant: nothing has gone back, nor is going. */
export const hasAllMoney = (status: string): boolean =>
  ['stands', 'refused', 'revoked'].includes(refundMeaningOf(status)) || status === 'CHARGEBACK_REVERSED';

/** The statuses of a sale in which the bank does not take the money back. */
export const STATUSES_WITH_MONEY: readonly TradeStatus[] = TRADE_STATUSES.filter(
  (status) => outcomeOf(status) === 'SUCCESS' && !takesMoneyBack(status),
);

/** Whether the gateway moves a trade out of this status by itself: then it is polled even after the watch. */
export const isTransientStatus = (status: string | null): boolean => refundableIn(status) === 'later';
