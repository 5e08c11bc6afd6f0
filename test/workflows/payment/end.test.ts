/** What comes while a payment ends: it has its outcome, and its workflow is still open for a moment. */
import type { PaymentState } from '../../../src/contract';
import { MINUTE } from '../../../src/gateway/pure/durations';
import { seededRandom } from '../../../src/testing/simulated-temporal/random';
import { afterSale, begin, decide, happens, move, notify, pay, recheck, world } from './hostile/acts';

/** A payment that has its outcome, and still delivers the event of it. */
async function ending(status: string, outcome = status): Promise<void> {
  await begin({}, seededRandom(7));
  await happens(pay, MINUTE, move('T1', status), recheck);
  while (!world.told.some(({ is }) => is === 'rechecked')) await world.pass(1);
  expect(world.told.at(-1)).toMatchObject({ is: 'rechecked', state: { outcome, trade_status: status } });
  expect(world.run?.isRunning).toBe(true);
}

/** The states of all runs of the payment. */
const states = (): Promise<PaymentState[]> =>
  world.within(() => Promise.all(world.temporal.runs(world.workflowId).map((run) => world.state(run))));

test('money that is notified during the end is known by the after-sale, which names the earlier outcome', async () => {
  await ending('CANCEL');
  await happens(move('T1', 'SUCCESS'), notify('T1', 'SUCCESS', { times: 7 }), MINUTE);
  const [before, ...more] = await states();
  expect([before, more]).toMatchObject([{ outcome: 'CANCEL' }, []]);
  expect((await afterSale())?.payment).toMatchObject({
    ...{ outcome: 'SUCCESS', attention: 'late-payment', payment_data: before?.payment_data },
    previous: { outcome: 'CANCEL', run_id: world.temporal.runs(world.workflowId)[0]?.runId },
  });
});

test('a person’s decision wins over a refusal that comes at the same moment', async () => {
  await begin({ creations: ['refused for good'] }, (n) => n - 1);
  world.pay();
  while (world.gateway.exchanges.length === 0) await world.pass(1);
  await happens(decide('CANCEL'), MINUTE);
  expect(world.run?.status).toBe('COMPLETED');
  expect(await states()).toMatchObject([{ outcome: 'CANCEL', confirmed_by: 'operator' }]);
});
