/** Events of refunds: each new outcome once. */
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { APP } from '../../hostile/base-world';
import { ask, DONE, happens, open, recheck, world } from './acts';
import { TRADE } from './world';

const start = () =>
  void world.temporal.start('afterSale', world.workflowId, { app_id: APP, out_trade_no: TRADE.out_trade_no });
/** What a merchant hears who takes each id once. */
const heard = () => [...new Map(world.events.map((event) => [event.id, event])).values()];
const told = () =>
  heard().map((event) => {
    if (event.type === 'refund') return `${event.refund.out_request_no} ${event.refund.outcome}`;
    return event.type === 'transition' ? event.transition.to : event.type;
  });

test('events: a reset to the first task of a run that another one has continued as tells nothing again', async () => {
  await open({ watchWindow: '3d', continuesAfter: 200, plan: DONE });
  await happens(start, MINUTE, ...Array.from({ length: 10 }, () => [recheck, MINUTE]).flat());
  await happens(ask('50.00', 'a'), 10 * MINUTE);
  const [before, run] = [told(), world.run];
  if (run) world.temporal.reset(run, 0);
  await world.pass(HOUR);
  const statuses = world.temporal.runs(world.workflowId).map(({ status }) => status);
  expect([statuses, told()]).toEqual([['CONTINUED_AS_NEW', 'TERMINATED', 'RUNNING'], before]);
});

test('events: a number that is free again is told of again, also where the ledger has dropped its first try', async () => {
  await open({ watchWindow: '3d', mishaps: Array.from({ length: 60 }, () => 'refused for good' as const) });
  const others = Array.from({ length: 51 }, (_, i) => [ask('1.00', `b${i}`), MINUTE]).flat();
  await happens(ask('1.00', 'a'), MINUTE, ...others, ask('1.00', 'a'), MINUTE);
  expect(told().filter((one) => one === 'a NOT_CREATED')).toHaveLength(2);
});

test('events: one more refund is told of in as few bytes as the first', async () => {
  await open({ watchWindow: '3d', plan: DONE });
  await happens(...Array.from({ length: 20 }, (_, i) => [ask('1.00', `merchant-${i}`), 2 * MINUTE]).flat());
  const sizes = heard().flatMap((event) => (event.type === 'refund' ? [JSON.stringify(event).length] : []));
  expect(sizes).toHaveLength(20);
  expect(sizes.at(-1)).toBeLessThan(2 * (sizes[0] ?? 0));
});
