/** What a person may decide of a payment that runs, and what each decision changes. Pure. */
import { isSettledByLooking, PAYMENT_OUTCOMES, type PaymentResolution, type PaymentState } from '../../contract';
import { ABOUT_MONEY, shownAttention, withoutReasons } from '../shared/attention-reasons';
import { assertResolution, seenIssues } from '../shared/request-rules';
import type { FactOf } from './facts';
import { answerFor } from './known-before';
import { type KnownPayment, withoutClaims, withShown, withTransition } from './known-payment';

/** Throws `InvalidRequest` for a resolution that is incomplete, that comes after the end, or that `why` rules out now. */
export function assertResolvable(
  resolution: PaymentResolution | undefined,
  { outcome, attention, trade_status }: Pick<PaymentState, 'outcome' | 'attention' | 'trade_status'>,
  why: string | null,
): void {
  const isSeen =
    resolution?.outcome === undefined && attention !== null && isSettledByLooking({ attention, trade_status });
  const isKnown = isSeen || PAYMENT_OUTCOMES.some((one) => one === resolution?.outcome);
  assertResolution(resolution, [
    ...(isKnown ? [] : [{ field: 'outcome', rule: `one of ${PAYMENT_OUTCOMES.join(', ')}` }]),
    ...seenIssues(resolution?.seen, attention),
    ...(why === null ? [] : [{ field: 'outcome', rule: why }]),
    ...(outcome === null ? [] : [{ field: 'outcome', rule: `the payment has ended already: ${outcome}` }]),
  ]);
}

/** Ends the payment as a person decided. The person was shown all reasons, so none stays. */
export function decidedPayment(known: KnownPayment, { outcome, by, reason, at }: FactOf<'decided'>): KnownPayment {
  // The decision settles only what the person was shown: later claims are compared at the end.
  const isAboutMoney = outcome !== 'SUCCESS' && known.reasons.some((one) => ABOUT_MONEY.includes(one));
  const denied = known.claims.filter(({ isDenied }) => isDenied);
  const settled = isAboutMoney ? withoutClaims({ ...known, contradicted: [] }, denied) : known;
  const { shown } = settled;
  // Callers keep getting the answer that an earlier run gave.
  const payment_data = shown.payment_data ?? answerFor(settled.before, shown.trade_no);
  const ended = withShown({ ...settled, reasons: [] }, { outcome, confirmed_by: 'operator', payment_data });
  return withTransition(ended, { from: shown.trade_status, to: outcome, source: 'operator', by, reason }, at);
}

/** A person has taken care of the reason that is shown, and the payment goes on. */
export function seenPayment(known: KnownPayment, { by, reason, at }: FactOf<'seen'>): KnownPayment {
  const seen = shownAttention(known.reasons);
  const settled = seen === null ? known : withoutReasons(known, [seen]);
  const isLookedInto = seen === 'unconfirmed-notification';
  const { trade_status: from } = known.shown;
  const transition = { from, to: from ?? 'resolved', source: 'operator', by, reason } as const;
  return withTransition({ ...settled, doubted_at: isLookedInto ? null : settled.doubted_at }, transition, at);
}
