/** The answer of the update `created`, once the creation is decided or the wait is over. */
import { condition } from '@temporalio/workflow';
import {
  creationAnswer,
  duplicateOrder,
  FAILURE,
  isOfAnother,
  orderOf,
  type PaymentData,
  type PaymentInput,
  type PaymentState,
  typedFailure,
} from '../../contract';
import type { KnownPayment } from './known-payment';
import { assertSameTrade } from './same-request';

/**
 * The updates `created` and `cancel` wait about this long, then fail with `PaymentPending`: Temporal takes ten updates at
 * once.
 */
const ANSWER_WAIT_MS = 30_000;

/** Waits for the answer. Until `isSlow` holds, it is so near that a timer, which costs events, would only be cancelled. */
export async function waitForAnswer(
  isAnswered: () => boolean,
  isSlow: () => boolean,
  update: 'created' | 'cancel',
): Promise<void> {
  const latest = Date.now() + ANSWER_WAIT_MS;
  await condition(() => isAnswered() || isSlow());
  const summary = `how long ${update} waits for the gateway`;
  if (!isAnswered()) await condition(isAnswered, Math.max(latest - Date.now(), 1), { summary });
}

/** Throws `DuplicateOrder`, `DifferentRequest`, or `PaymentPending` with the gateway's last problem. */
export function createdAnswer(
  input: PaymentInput,
  state: PaymentState,
  again: PaymentInput | undefined,
  problem: KnownPayment['creation']['last'],
): PaymentData {
  if (isOfAnother(input)) throw duplicateOrder(state);
  const answer = creationAnswer(state);
  // An adopted trade can be compared only after its first query.
  if (answer && !orderOf(input)) assertSameTrade(state, again);
  if (answer) return answer;
  throw typedFailure(
    FAILURE.pending,
    `The gateway has not settled order ${state.out_trade_no} yet. The payment goes on by itself; ask again for its data. ${problem?.message ?? ''}`,
    { ...(problem?.error ?? { outcome: 'unknown' }) },
  );
}
