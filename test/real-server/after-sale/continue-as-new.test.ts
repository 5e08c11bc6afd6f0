/**
 * After-sales whose history is taken up by another run, on real servers: one that continues as new, where the server suggests it
 * early; and one that an operator resets.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Stack, startStack } from '../../../src/testing/stack';
import type { PaymentEvent, RefundAnswer } from '../../../src/workflows';
import { runsOf } from '../../harness/runs';
import { afterSaleOf, part, sold } from '../../harness/sold';

/** What the merchant hears of after-sales. */
const heard: PaymentEvent[] = [];

let stack: Stack;
afterAll(() => stack?.close());

describe('a run with a long history', () => {
  beforeAll(async () => {
    stack = await startStack({
      env: {
        PAYMENTS_POLL_SCHEDULE: '300ms',
        PAYMENTS_POLL_EVERY: '300ms',
        PAYMENTS_SETTLING: '500ms',
        PAYMENTS_WATCH_WINDOW: '1h',
      },
      simulator: { refundTakes: '0s' },
      temporal: ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=40'],
      onEvent: (event) => void ('after_sale' in event && heard.push(event)),
    });
  });

  test('hands its ledger to the next run: numbers keep their answers, an over-refund is refused, each event comes once', async () => {
    const order = await sold(stack, 'credit-card');
    const { out_trade_no } = order;
    const parts = Array.from({ length: 5 }, (_, i) => part('100.00', `part-${i}`));
    const answers: RefundAnswer[] = [];
    for (const refund of parts) {
      answers.push(await stack.payments.refund(out_trade_no, refund));
      // A run ends where nothing is under way.
      while ((await stack.payments.refunds(out_trade_no)).refunding_amount !== '0.00') await delay(50);
    }
    expect((await runsOf(stack.client, afterSaleOf(stack, out_trade_no).workflowId)).length).toBeGreaterThan(1);
    for (const [i, refund] of parts.entries()) {
      expect(await stack.payments.refund(out_trade_no, refund)).toEqual(answers[i]);
    }
    await expect(stack.payments.refund(out_trade_no, part('399.71', 'too-much'))).rejects.toMatchObject({
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
    const steps = () => told().flatMap((event) => (event.type === 'transition' ? [event.transition.to] : []));
    const hasHeard = () => steps().includes('DISPUTE');
    while (!hasHeard()) await delay(50);
    expect(steps()).toEqual(['PARTIAL_REFUND', 'DISPUTE']);
    expect(new Set(told().map(({ id }) => id)).size).toBe(told().length);
  });
});

describe('a run that an operator resets', () => {
  beforeAll(async () => {
    await stack.close();
    stack = await startStack({
      webhook: false,
      env: {
        ...{ PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms', PAYMENTS_SETTLING: '1s' },
        PAYMENTS_WATCH_WINDOW: '3d',
      },
      simulator: { refundTakes: '0s' },
    });
  });

  test('an after-sale that is reset to a moment between two parts does not send the second part twice, and knows it again', async () => {
    const { payments, client, simulator } = stack;
    const order = await sold(stack, 'credit-card');
    const { out_trade_no } = order;
    const outcomeOf = async (number: string) =>
      (await payments.refunds(out_trade_no)).refunds.find((one) => one.out_request_no === number)?.outcome;
    await payments.refund(out_trade_no, part('20.00', 'a'));
    while (!(await outcomeOf('a'))) await delay(50);
    const handle = afterSaleOf(stack, out_trade_no);
    const before = await handle.fetchHistory();
    const between = before.events?.findLast((one) => one.workflowTaskCompletedEventAttributes)?.eventId ?? null;
    await payments.refund(out_trade_no, part('20.00', 'b'));
    while (!(await outcomeOf('b'))) await delay(50);
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId: handle.workflowId },
      reason: 'by mistake',
      requestId: randomUUID(),
      workflowTaskFinishEventId: between,
    });
    // The server gives the run its second request again. Its first question tells it of the reset, and the next run reads what was known.
    const known = async () => payments.refunds(out_trade_no).catch(() => undefined);
    while ((await known())?.refunded_amount !== '40.00') await delay(50);
    const state = await payments.refunds(out_trade_no);
    const sent = simulator.requests({ path: '/trade/refund', out_trade_no }).map((one) => one.out_request_no);
    expect(sent).toEqual(['a', 'b']);
    expect(state).toMatchObject({ ledger_complete: true, refunding_amount: '0.00', attention: null });
  });
});
