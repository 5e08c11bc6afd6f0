/** The public state of one refund, and how it changes. Pure. */
import {
  type AfterSaleResolution,
  type Attention,
  FAILURE,
  type RefundOutcome,
  type RefundState,
  SILENCES,
} from '../../../contract';
import type { RefundFailure } from '../../order/refusals';
import { outcomeNamedBy } from './interpret';

/** Reasons that the gateway's next answer about the trade settles. */
const UNANSWERED: readonly Attention[] = [...SILENCES, 'unknown-trade'];

/** A person's decision, and when the refund was sent first as far as the after-sale knew; null: not yet. */
export type PersonsDecision = AfterSaleResolution & Pick<RefundState, 'sent_at'>;

/** A worker may go on with a request after its run was ended: for as long as the server waits for it (`REFUNDING`). */
export const ON_ITS_WAY_MS = 2 * 60_000;

/** Whether a decision lets another refund have the amount. */
export const makesFree = (outcome: AfterSaleResolution['outcome']): boolean =>
  outcome !== undefined && outcome !== 'REFUNDED';

export class RunningRefund {
  readonly refund: RefundState;
  /** The gateway is being asked for it. */
  isAsking = false;
  /** Until when a request of the run before a reset may be on its way, in ms since the epoch. */
  private onItsWayUntil = 0;

  constructor(refund: RefundState) {
    this.refund = { ...refund };
  }

  get isOver(): boolean {
    return this.refund.outcome !== null;
  }

  /** It may reach the gateway from now on. */
  markSent(now: number): void {
    this.refund.sent_at ??= new Date(now).toISOString();
  }

  /** This run is a reset, and the one before it may have sent the refund a moment ago. */
  noteReset(now: number): void {
    this.onItsWayUntil ||= now + ON_ITS_WAY_MS;
  }

  /** Whether it was, or may yet be, sent after the person had looked who says that it pays nothing. */
  isOutdated({ outcome, sent_at }: PersonsDecision, now: number): boolean {
    const maySend = this.isAsking || now < this.onItsWayUntil;
    return makesFree(outcome) && (maySend || this.refund.sent_at !== sent_at);
  }

  /** The gateway's own answer. */
  answer(answer: { readonly [field: string]: unknown }): void {
    this.settle('unknown-refund');
    this.settleUnanswered();
    this.refund.answer = { ...answer, recovered: false };
    this.refund.refund_status = typeof answer.refund_status === 'string' ? answer.refund_status : null;
  }

  /** Its answer was lost, and the refund is known otherwise. */
  answerRecovered(ids: Readonly<Record<string, string | undefined>>, refund_status: string): void {
    const { out_request_no, refund_amount, refund_currency } = this.refund;
    this.settle('unknown-refund');
    this.refund.refund_status = refund_status;
    this.refund.answer = { ...ids, out_request_no, refund_currency, refund_amount, refund_status, recovered: true };
  }

  /** `named`: what a notification called it last. Where that is this end, it is no other refund's. */
  end(outcome: RefundOutcome, status: string, named: string | null): void {
    const confirmed_by = outcomeNamedBy(named) === outcome ? 'notification' : 'query';
    Object.assign(this.refund, { outcome, confirmed_by, refund_status: status, attention: null });
  }

  /** There certainly is no refund. */
  refuse(failure: RefundFailure): void {
    if (!this.isOver) Object.assign(this.refund, { failure, outcome: 'NOT_CREATED', attention: null });
  }

  resolve({ outcome, by, reason }: AfterSaleResolution): void {
    const resolved = { by, reason };
    Object.assign(this.refund, { outcome: outcome ?? null, confirmed_by: 'operator', attention: null, resolved });
  }

  /** It has one reason, the first; but of what the gateway does not answer, the latest. */
  raise(attention: Attention): void {
    this.settleUnanswered();
    this.refund.attention ??= attention;
  }

  /** The gateway has shown the trade. */
  settleUnanswered(): void {
    for (const reason of UNANSWERED) this.settle(reason);
  }

  settle(attention: Attention): void {
    if (this.refund.attention === attention) this.refund.attention = null;
  }
}

export function notRefunded({ message, error }: { message: string; error: object }): RefundFailure {
  return { type: FAILURE.notRefunded, message, details: { ...error } };
}

export function duplicateRefund({ error }: { error: object }): RefundFailure {
  const message =
    'The gateway has another refund under this number already, which we did not make. Nothing was refunded now.';
  return { type: FAILURE.duplicateRefund, message, details: { ...error } };
}
