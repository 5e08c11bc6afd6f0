/** How a payment comes to its trade: by creating the order, never twice, or by taking on a trade that exists already. */
import { ActivityFailure, ApplicationFailure, sleep, TimeoutFailure } from '@temporalio/workflow';
import type { Trade } from '../gateway/query';
import { type CreateResult, createOrder, findTrade } from './activities';
import { askAgainIfBehind } from './announced';
import { type AdoptedPayment, FAILURE, type NewPayment } from './contract';
import type { Inbox } from './inbox';
import { findKnownTrade } from './known-trade';
import type { Life } from './life';
import { FIRST_PAUSE_MS, longerThan } from './pauses';
import type { PaymentRecord } from './payment-record';
import { outcomeOf } from './transitions';

/**
 * Creates the order, and returns once the gateway has it. A try whose outcome is unknown is followed by looks, and by
 * another try under the same number only where the gateway keeps saying that it has no such order.
 * Throws ApplicationFailure (`NotCreated`, `DuplicateOrder`, `InvalidRequest`) where there certainly is no order of ours.
 */
export async function create(order: NewPayment, life: Life): Promise<void> {
  const { record, policy } = life;
  const { app_id } = order;
  let mayExist = false;
  for (let pause = FIRST_PAUSE_MS; ; pause = longerThan(pause)) {
    const tried = await tryToCreate(order, record);
    switch (tried.is) {
      case 'created':
        record.settle('unknown-outcome');
        return record.created({ ...tried.answer, recovered: false }, Date.now());
      case 'created-refused':
        record.settle('unknown-outcome');
        return record.refused(tried.error, Date.now());
      case 'not-created':
        if (tried.credentials) record.raise('credentials');
        if (!mayExist) throw notCreated(tried);
        break;
      case 'duplicate':
        if (!mayExist && tried.attempt === 1) throw duplicateOrder(order);
        return recover(await findTrade({ app_id, id: record.id }), order, life);
      case 'unknown':
        mayExist = true;
    }
    life.met(tried);
    // Nothing tells whether the order exists, so look for it before it is made again under the same number.
    life.waitFor('the gateway to say whether it has the order: the creation’s outcome is unknown');
    const found = await findTrade({ app_id, id: record.id, settling_ms: policy.settling_ms });
    if (found) return recover(found, order, life);
    if (pause > FIRST_PAUSE_MS) {
      record.raise('unknown-outcome');
      life.waitFor('a while, before the order is tried again under the same number');
      await sleep(pause, { summary: 'before the order is tried again' });
    }
  }
}

/** Takes on a trade that exists already, and returns once the gateway has said what it knows of it. */
export async function adopt({ app_id, announced }: AdoptedPayment, life: Life, inbox: Inbox): Promise<void> {
  const { record, policy } = life;
  life.waitFor('the gateway to say what it knows of this trade');
  const found = await findKnownTrade(app_id, record, life.waitFor);
  if (!found) return;
  const claims = [...inbox.peek(), ...(announced === undefined ? [] : [{ trade_status: announced }])];
  const outcome = outcomeOf(found.trade_status);
  // While a trade is under way, or where it was sold, what was announced is looked into later.
  const isAnEnd = outcome !== null && outcome !== 'SUCCESS';
  const { trade, denied } = await askAgainIfBehind(found, isAnEnd ? claims : [], {
    ...{ app_id, id: record.id, settling_ms: policy.settling_ms },
  });
  const { out_trade_no, trade_no, trade_status } = { ...record.id, ...trade };
  record.created({ out_trade_no, trade_no, trade_status, recovered: true }, Date.now());
  record.queried(trade, Date.now());
  if (!denied) return;
  inbox.take();
  record.raise('unconfirmed-notification');
}

async function tryToCreate(order: NewPayment, record: PaymentRecord): Promise<CreateResult> {
  try {
    return await createOrder(order);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || !(error.cause instanceof TimeoutFailure)) {
      const failure = asFailure(error);
      // Histories of earlier versions have no such word in their failures, and replay without it.
      if (saysBareSecret(failure)) record.raise('bare-secret');
      throw failure;
    }
    const message = 'The worker died with the creation under way.';
    return { is: 'unknown', message, error: { outcome: 'unknown', retryable: true, operation: order.kind } };
  }
}

/** Goes on with a trade whose creation's answer was lost. */
function recover(found: Trade | null, { request }: NewPayment, { record }: Life): void {
  if (found === null) return;
  const { trade_no, trade_status } = found;
  record.settle('unknown-outcome');
  record.created(
    { out_trade_no: request.out_trade_no, ...(trade_no ? { trade_no } : {}), trade_status, recovered: true },
    Date.now(),
  );
  record.queried(found, Date.now());
}

function notCreated(tried: { message: string; error: object }): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE.notCreated,
    message: tried.message,
    nonRetryable: true,
    details: [tried.error],
  });
}

function duplicateOrder({ request: { out_trade_no } }: NewPayment): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE.duplicateOrder,
    message: `The gateway has an order ${out_trade_no} already, made by somebody else. Nothing was charged here. Use a new out_trade_no, or adopt the order.`,
    nonRetryable: true,
  });
}

function saysBareSecret(failure: unknown): boolean {
  const said: unknown = failure instanceof ApplicationFailure ? failure.details?.[0] : undefined;
  return typeof said === 'object' && said !== null && 'attention' in said && said.attention === 'bare-secret';
}

/** An activity's refusal as the workflow's own failure, so that callers meet its type and not the activity around it. */
function asFailure(error: unknown): unknown {
  return error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
}
