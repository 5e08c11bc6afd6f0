/** A poll that ends before its time leaves the deadline where it is: the gateway is asked then, and not before. */
import { ApplicationFailure } from '@temporalio/common';
import { paymentWorkflowId } from '../../../src/contract';
import { MINUTE } from '../../../src/gateway/pure/durations';
import { type Simulation, simulate } from '../../../src/testing';
import { APP } from '../../../src/testing/stack';
import { publishedOrder } from '../../harness/orders';

let simulation: Simulation;
beforeEach(async () => {
  simulation = await simulate();
});
afterEach(() => simulation?.close());

const EARLY: [why: string, watch: () => Promise<null>][] = [
  ['the clock of its worker is hours ahead', async () => null],
  [
    'the server makes no attempt after its time',
    async () => {
      throw ApplicationFailure.create({ message: 'the gateway is down', nextRetryDelay: '5 hours' });
    },
  ],
];

test.each(EARLY)('where %s, the payment expires at its deadline all the same', async (_why, watch) => {
  const { gateway, payments, temporal } = simulation;
  temporal.work({ 'gateway.watch': watch });
  gateway.statusAt = (elapsed) => (elapsed < 90 * MINUTE ? 'PROCESSING' : 'EXPIRED');
  const request = publishedOrder('pix', { timeout_express: '90m' });
  const began = await temporal.currentTimeMs();
  await payments.pay(request);
  expect(await payments.outcome(request.out_trade_no)).toMatchObject({ outcome: 'EXPIRED', attention: null });
  const lived = (await temporal.currentTimeMs()) - began;
  expect(lived).toBeGreaterThanOrEqual(90 * MINUTE);
  expect(lived).toBeLessThan(91 * MINUTE);
  expect(gateway.queries).toBe(1);
  expect((await temporal.costOf(paymentWorkflowId(APP.app_id, request.out_trade_no))).events).toBeLessThan(40);
});
