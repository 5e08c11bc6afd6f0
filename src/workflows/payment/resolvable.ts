/** Whether a person may decide now how the payment ends, or that it goes on. */
import { isSettledByLooking, type PaymentOutcome, type PaymentResolution, type PaymentState } from '../../contract';
import { assertResolution } from '../shared/resolution';

const OUTCOMES: readonly PaymentOutcome[] = ['SUCCESS', 'CANCEL', 'REFUSED', 'EXPIRED'];

/** Throws `InvalidRequest` for a resolution that is not whole, that comes after the end, or that `why` rules out now. */
export function assertResolvable(
  resolution: PaymentResolution | undefined,
  { outcome, attention }: Pick<PaymentState, 'outcome' | 'attention'>,
  why: string | null,
): void {
  const isSeen = resolution?.outcome === undefined && isSettledByLooking(attention);
  const isKnown = isSeen || OUTCOMES.some((one) => one === resolution?.outcome);
  assertResolution(resolution, [
    ...(isKnown ? [] : [{ field: 'outcome', rule: `one of ${OUTCOMES.join(', ')}` }]),
    ...(why === null ? [] : [{ field: 'outcome', rule: why }]),
    ...(outcome === null ? [] : [{ field: 'outcome', rule: `the payment has ended already: ${outcome}` }]),
  ]);
}
