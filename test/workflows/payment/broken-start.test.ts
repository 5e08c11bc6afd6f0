/** A start that no payment can be made of, and the right order that comes under its number while it is just ending. */
import { ApplicationFailure } from '@temporalio/common';
import { paymentWorkflowId } from '../../../src/contract';
import { MINUTE } from '../../../src/gateway/pure/durations';
import { type Simulation, simulate } from '../../../src/testing';
import { APP } from '../../../src/testing/stack';
import { publishedOrder } from '../../harness/orders';

const request = publishedOrder('pix');
const ID = paymentWorkflowId(APP.app_id, request.out_trade_no);

let simulation: Simulation;
beforeEach(async () => {
  simulation = await simulate();
});
afterEach(() => simulation?.close());

const isAsked = () => (simulation.temporal.temporal.latest(ID)?.takenUpdates.size ?? 0) > 0;

/** Reading the runs before, which ends a broken start, takes until somebody has asked the run. */
function endOnceAsked(): void {
  const { temporal } = simulation.temporal;
  const own = temporal.activities.functions['payments.earlierRuns'];
  simulation.temporal.work({
    'payments.earlierRuns': async (...args: unknown[]) => {
      if (!isAsked()) throw ApplicationFailure.create({ message: 'not yet', nextRetryDelay: '1 millisecond' });
      return typeof own === 'function' ? own(...args) : null;
    },
  });
}

test('a right order that comes while a broken start of its number is ending is made at once, and once', async () => {
  endOnceAsked();
  const args = [{ kind: 'direct', app_id: APP.app_id, request: { out_trade_no: request.out_trade_no } }];
  simulation.temporal.temporal.start('payment', ID, ...args);
  const paying = simulation.payments.pay(request);
  expect(await simulation.temporal.temporal.clock.until(isAsked, MINUTE)).toBe(true);
  await simulation.sleep(MINUTE);
  expect(await paying).toMatchObject({ qr_code: expect.any(String) });
  expect(simulation.gateway.trades.size).toBe(1);
  expect(simulation.temporal.temporal.latest(ID)?.status).toBe('RUNNING');
});
