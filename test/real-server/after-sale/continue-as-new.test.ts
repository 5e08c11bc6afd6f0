/** An after-sale that continues as new, on a server that suggests it early: its ledger, and requests at that moment. */
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type Stack, startStack } from '../../../src/testing/stack';
import type { PaymentEvent, RefundAnswer, RefundOrder } from '../../../src/workflows';
import { runsOf } from '../../harness/runs';
import { afterSaleOf, part, sold, waitsForAPerson } from '../../harness/sold';

const heard: PaymentEvent[] = [];
/** The merchant's handler waits for this when it hears of the state named. */
const held = new Map<string, { until: Promise<void>; release: () => void }>();

const settings = { PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms', PAYMENTS_SETTLING: '500ms' };
const options = {
  simulator: { refundTakes: '0s' },
  async onEvent(event: object) {
    if (!isOfSale(event)) return;
    heard.push(event);
    if (event.type === 'transition') await held.get(event.transition?.to ?? '')?.until;
  },
};

const isOfSale = (event: object): event is PaymentEvent => 'after_sale' in event && event.after_sale !== undefined;

/** Holds the handler at a state; `release` lets it go on. */
function hold(trade_status: string): { release: () => void } {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = () => {
      held.delete(trade_status);
      resolve();
    };
  });
  held.set(trade_status, { until, release });
  return { release };
}

let stack: Stack;
afterEach(async () => {
  for (const { release } of held.values()) release();
  await stack?.close();
});

/** Whether the after-sale takes no refund at this moment; nothing changes where it does. */
async function isClosing(out_trade_no: string, known: RefundOrder): Promise<boolean> {
  try {
    const args: [RefundOrder] = [known];
    await afterSaleOf(stack, out_trade_no).executeUpdate<RefundAnswer, [RefundOrder]>('refund', { args });
    return false;
  } catch (error) {
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    if (cause instanceof ApplicationFailure && cause.type === 'Closing') return true;
    throw error;
  }
}

describe('a run with a long history', () => {
  beforeEach(async () => {
    stack = await startStack({
      ...options,
      env: { ...settings, PAYMENTS_WATCH_WINDOW: '1h' },
      temporal: ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=40'],
    });
  });

  test('hands its ledger to the next run: numbers keep their answers, an over-refund is refused, each event comes once', async () => {
    const order = await sold(stack, 'credit-card');
    const { out_trade_no } = order;
    const parts = Array.from({ length: 5 }, (_, i) => part(order, '100.00', `part-${i}`));
    const answers: RefundAnswer[] = [];
    for (const refund of parts) {
      answers.push(await stack.payments.refund(out_trade_no, refund));
      // A run ends where nothing is under way.
      while ((await stack.payments.refunds(out_trade_no)).refunding_amount !== '0.00') await delay(50);
    }
    expect((await runsOf(stack.client, afterSaleOf(stack, out_trade_no).workflowId)).length).toBeGreaterThan(2);
    for (const [i, refund] of parts.entries()) {
      expect(await stack.payments.refund(out_trade_no, refund)).toEqual(answers[i]);
    }
    await expect(stack.payments.refund(out_trade_no, part(order, '399.71', 'too-much'))).rejects.toMatchObject({
      name: 'OverRefundError',
      details: { left: '399.70' },
    });
    const state = await stack.payments.refunds(out_trade_no);
    expect(state).toMatchObject({ refunded_amount: '500.00', ledger_complete: true, attention: null });
    expect(state.refunds.map(({ out_request_no }) => out_request_no)).toEqual(parts.map((one) => one.out_request_no));
    expect(stack.simulator.ledger({ out_trade_no })).toMatchObject([{ refunded_amount: '500.00' }]);
    expect(stack.simulator.requests({ path: '/trade/refund', out_trade_no })).toHaveLength(5);
    // The news of a later run is no repetition of what the first one told.
    await stack.simulator.act(out_trade_no, 'dispute');
    const told = () => heard.filter(({ payment }) => payment.out_trade_no === out_trade_no);
    while (told().at(-1)?.type !== 'attention') await delay(50);
    expect(told().flatMap(({ transition }) => transition?.to ?? [])).toEqual(['SUCCESS', 'PARTIAL_REFUND', 'DISPUTE']);
    expect(new Set(told().map(({ id }) => id)).size).toBe(told().length);
  });

  test('a refund that is requested while a run continues as new is made by the next run', async () => {
    const order = await sold(stack, 'credit-card');
    const { out_trade_no } = order;
    const { release } = hold('PARTIAL_REFUND');
    const known = part(order, '50.00', 'a');
    await stack.payments.refund(out_trade_no, known);
    while ((await stack.payments.refunds(out_trade_no)).refunding_amount !== '0.00') await delay(50);
    // Each question makes the history longer, until the server suggests an end of it, though there is no news.
    while (!(await isClosing(out_trade_no, known))) await delay(20);
    const { runId } = await afterSaleOf(stack, out_trade_no).describe();
    const asked = stack.payments.refund(out_trade_no, part(order, '30.00', 'b'));
    release();
    expect(await asked).toMatchObject({ refund_amount: '30.00' });
    expect((await afterSaleOf(stack, out_trade_no).describe()).runId).not.toBe(runId);
    while ((await stack.payments.refunds(out_trade_no)).refunded_amount !== '80.00') await delay(50);
    expect(stack.simulator.ledger({ out_trade_no })).toMatchObject([{ refunded_amount: '80.00' }]);
  });
});

describe('a run that ends', () => {
  test('keeps a notification that arrives while it closes, and the refund before it', async () => {
    stack = await startStack({ ...options, env: settings });
    const order = await sold(stack, 'credit-card');
    const { out_trade_no } = order;
    const { release } = hold('PARTIAL_REFUND');
    const known = part(order, '50.00', 'a');
    await stack.payments.refund(out_trade_no, known);
    while (!(await isClosing(out_trade_no, known))) await delay(20);
    await stack.simulator.act(out_trade_no, 'dispute');
    await stack.simulator.settled();
    release();
    expect(await waitsForAPerson(stack, out_trade_no, 'dispute')).toMatchObject({
      trade_status: 'DISPUTE',
      refunded_amount: '50.00',
      refunds: [{ out_request_no: 'a', outcome: 'REFUNDED' }],
    });
  });
});
