/**
 * Promise 7, and "what was sold stays sold": a refund reads which trade was sold from the latest run of the payment alone. One that somebody
 * started by mistake and ended seconds later, before Temporal's list had it, has read nothing: the money of another trade under the number is
 * sent back, before nobody.
 */

import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { answering } from '../../hostile/answering';
import { anotherMade, begin, happens, listIsDown, open, refund, sell, terminate, world } from './acts';

const SECOND = 1_000;

/** As Temporal's UI does; and its list lags until the mistake is mended. */
async function startLikeAndEnd(): Promise<void> {
  const mend = listIsDown();
  const { run } = world;
  if (!run) throw new Error('no run');
  const { workflowId, type, args } = run.start;
  world.temporal.begin({ workflowId, type, args });
  await happens(5 * SECOND, terminate, mend, MINUTE);
}

const sentBack = () => world.gateway.refunds.map(({ trade_no }) => trade_no);

test('a refund of a sale is of the trade that was sold, also where a start like it was ended at once', async () => {
  await begin({ method: 'Wallet' });
  await happens(sell, anotherMade('SUCCESS'));
  await startLikeAndEnd();
  await happens(refund, HOUR);
  expect(sentBack()).not.toContain('T2');
  expect(sentBack().length + open().length).toBeGreaterThan(0);
});

test('a refund names the buyer of the order that was sold, also where another order under its number was ended at once', async () => {
  await begin({ method: 'Wallet' });
  await sell();
  const users: unknown[] = [];
  answering(world.gateway, ({ path, text, ask }) => {
    if (path === '/trade/refund') users.push(JSON.parse(text).user_info.email);
    return ask();
  });
  const order = world.order('151.00');
  const request = { ...order, customer: { ...order.customer, name: 'Another Buyer', email: 'another@example.com' } };
  const mend = listIsDown();
  world.start('ALLOW_DUPLICATE', world.workflowId, [{ kind: 'direct', app_id: 'hostile', request }]);
  await happens(5 * SECOND, terminate, mend, MINUTE, refund, HOUR);
  expect(users).toEqual(['mariana@example.com']);
});
