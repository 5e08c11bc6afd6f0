/** What callers of a payment's updates are told, and which calls are refused before they change anything. */
import type { ApplicationFailure } from '@temporalio/common';
import { condition } from '@temporalio/workflow';
import {
  ANSWER_WAIT_MS,
  creationAnswer,
  differentOrder,
  duplicateOrder,
  FAILURE,
  fieldsUnlikeKnown,
  isNotCreatedFailure,
  isTradeOfOthers,
  type PaymentData,
  type PaymentInput,
  type PaymentState,
  typedFailure,
} from '../../contract';
import type { KnownPayment } from './known-payment';

// — created —

/** Waits for the answer. Until `isSlow` holds the answer is near: a timer would only cost events and be cancelled. */
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
  { order, creation: { last: problem } }: KnownPayment,
  state: PaymentState,
  again: PaymentInput | undefined,
): PaymentData {
  if (isTradeOfOthers(order, state)) throw duplicateOrder(state);
  const answer = creationAnswer(state);
  if (answer) {
    // An adopted trade can be compared only after its first query, by the fields that both have.
    if (!order && again && again.kind !== 'adopt')
      assertNoDifference(fieldsUnlikeKnown(again, undefined, state), state);
    return answer;
  }
  const message = `The gateway has not settled order ${state.out_trade_no} yet. The payment goes on by itself; ask again for its data.`;
  throw typedFailure(FAILURE.pending, problem ? `${message} ${problem.message}` : message, {
    ...(problem?.error ?? { outcome: 'unknown' }),
  });
}

/**
 * Throws `DifferentRequest` if the order is not the one that this run was started with, or `Closing` if the first one has
 * failed and its run is about to end: then the number can be used again.
 */
export function assertSameOrder(
  { order }: KnownPayment,
  state: PaymentState,
  again: PaymentInput | undefined,
  failure: unknown,
): void {
  if (!order || !again || again.kind === 'adopt') return;
  const { out_trade_no } = again.request;
  const fields = fieldsUnlikeKnown(again, order, null);
  if (fields.length > 0 && isNotCreatedFailure(failure))
    throw typedFailure(
      FAILURE.closing,
      `Order ${out_trade_no} was not created, and its workflow is about to end: ask again.`,
    );
  assertNoDifference(fields, state);
}

function assertNoDifference(fields: readonly string[], first: PaymentState): void {
  if (fields.length > 0) throw differentOrder(first, fields);
}

// — cancel —

/** The failure of an update `cancel` that comes too late. */
export function notCanceledFailure(order: string, { outcome, trade_status }: PaymentState): ApplicationFailure {
  return typedFailure(
    FAILURE.notCanceled,
    `Order ${order} cannot be withdrawn: the gateway has it, or may have it. It is not sent again, and the payment goes on.`,
    { outcome, trade_status },
  );
}

/** The failure while it is not known whether the update `cancel` comes too late. */
export function notWithdrawnYetFailure(order: string): ApplicationFailure {
  const message = `Order ${order} is not withdrawn yet: whether it was sent is not known. Nothing more is sent; ask again.`;
  return typedFailure(FAILURE.pending, message, { outcome: 'unknown' });
}
