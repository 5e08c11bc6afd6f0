/** Promise 7, where a later payment of the order names another trade as its own: each trade has its own refunds. */

import { DAY, HOUR } from '../../../../src/gateway/pure/durations';
import { endedPayment } from '../../../harness/ended-payment';
import { answeringFirst } from '../../hostile/answering';
import { APP } from '../../hostile/base-world';
import { refusal } from '../../hostile/gateway';
import { ask, happens, numbersMade, openWatched, world } from './acts';
import { TRADE } from './world';

/** The gateway has a second trade, and the payment has ended with that. */
async function anotherIsSold(): Promise<void> {
  world.gateway.trades.push({ ...world.sold, trade_no: 'T2', states: [{ at: world.now, status: 'SUCCESS' }] });
  const end = endedPayment(
    { app_id: APP, out_trade_no: TRADE.out_trade_no, trade_no: 'T2' },
    {},
    { ended_at: world.now, watch_until: world.now + 5 * DAY },
  );
  const handle = world.temporal.client.workflow.getHandle(world.workflowId);
  await world.within(() => handle.signal('payment', { end, claims: [], contradicted: [] }));
}

test('a refund under a number that is free again is answered by its own end', async () => {
  await openWatched();
  answeringFirst(world.gateway, '/trade/refund', async () => refusal('refund-amount-exceeded'));
  await happens(ask('50.00', 'a'), HOUR, anotherIsSold, HOUR, ask('50.00', 'a'), HOUR);
  expect({ made: numbersMade(), told: world.told.at(-1) }).toMatchObject({ made: ['a'], told: { is: 'answer' } });
});
