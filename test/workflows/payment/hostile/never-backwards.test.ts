/** Promise 6: a state never moves backwards. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { APP } from '../../hostile/base-world';
import {
  anotherTold,
  answers,
  begin,
  decide,
  happens,
  madeByAnother,
  notify,
  noWorker,
  outcome,
  outcomeNow,
  pay,
  reset,
  sale,
  sell,
  startAgain,
  terminate,
  trouble,
  world,
} from './acts';
import { SECOND } from './schedule';

const RESOLVE_CANCEL = { outcome: 'CANCEL', by: 'ana', reason: 'looked' };

test.each(['completed', 'terminated'])(
  'promise 6: a person cannot end a sale as CANCEL in the moment in which a later run starts, where the last run %s',
  async (ended) => {
    await begin({});
    await happens(sell, trouble('503'));
    if (ended === 'terminated') await happens(anotherTold(), SECOND, terminate);
    await happens(anotherTold(), decide('CANCEL'), HOUR);
    expect(await outcomeNow()).toBe('SUCCESS');
  },
);

test.each([
  ['while nobody decides', async () => undefined],
  ['although a person says CANCEL of what is open', decide('CANCEL')],
])(
  'promise 6: a sold deposit that is reset where the gateway has forgotten it stays sold %s',
  async (_when, decide) => {
    await begin({ forgetsAfter_ms: 4 * HOUR });
    const { out_trade_no, trade_no } = madeByAnother('SUCCESS');
    const deposit = { kind: 'adopt', app_id: APP, out_trade_no, trade_no };
    world.start('REJECT_DUPLICATE', world.workflowId, [deposit]);
    await world.pass(10 * MINUTE);
    expect(await outcomeNow()).toBe('SUCCESS');
    await happens(5 * HOUR, reset, HOUR, decide, HOUR);
    expect(await sale()).toMatchObject({ outcome: 'SUCCESS', trade_no: 'T1' });
  },
);

test.each([
  ['started again', startAgain],
  ['reset', reset],
])('promise 6: a person cannot end a sale as CANCEL in the moment in which its order is %s', async (_, act) => {
  await begin({});
  await sell();
  const before = world.events.length;
  await happens(noWorker(MINUTE), act, SECOND);
  world.temporal.update(world.workflowId, 'resolve', RESOLVE_CANCEL);
  await world.pass(3 * DAY);
  const told = world.events
    .slice(before)
    .flatMap((event) => (event.type === 'transition' ? [`${event.type} ${event.payment.outcome}`] : []));
  expect(told).not.toContain('transition CANCEL');
});

test('promise 6: a late PROCESSING after the sale does not take the sale back while the gateway does not answer', async () => {
  await begin();
  await happens(sell, trouble('429'), notify('T1', 'PROCESSING'), HOUR, pay, 5 * MINUTE);
  expect([answers(), await outcome()]).toEqual([['T1', 'T1'], 'SUCCESS']);
});
