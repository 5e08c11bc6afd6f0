/** Whether a person may decide now how the payment ends. */
import type { PaymentOutcome, PaymentResolution, PaymentState } from '../../contract';
import { assertResolution } from '../shared/resolution';

const OUTCOMES: readonly PaymentOutcome[] = ['SUCCESS', 'CANCEL', 'REFUSED', 'EXPIRED'];

/** Throws `InvalidRequest` for a resolution that is not whole, or that comes after the end. */
export function assertResolvable(
  resolution: PaymentResolution | undefined,
  { outcome }: Pick<PaymentState, 'outcome'>,
  hasFailed: boolean,
): void {
  const isKnown = OUTCOMES.some((one) => one === resolution?.outcome);
  assertResolution(resolution, [
    ...(isKnown ? [] : [{ field: 'outcome', rule: `one of ${OUTCOMES.join(', ')}` }]),
    ...(hasFailed ? [{ field: 'outcome', rule: 'the payment has failed already' }] : []),
    ...(outcome === null ? [] : [{ field: 'outcome', rule: `the payment has ended already: ${outcome}` }]),
  ]);
}
