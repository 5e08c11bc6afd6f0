/** Promise 6: a state never moves backwards. */

import { defaultPayloadConverter, toPayloads } from '@temporalio/common';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { APP } from '../../hostile/base-world';
import {
  anotherMade,
  anotherTold,
  answers,
  attentions,
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
  tell,
  terminate,
  trouble,
  world,
} from './acts';
import { SECOND } from './schedule';

const RESOLVE_CANCEL = { outcome: 'CANCEL', by: 'ana', reason: 'looked' };

// — What a terminated run had not taken is not read where the run before it sold, or has no order of ours —
// Lost: acknowledged money of a second trade (a buyer has paid twice, nobody gives it back); a sale, once it is reset.

test('promise 6: a late sale of a trade whose number was refused to us stays sold where it is reset and the gateway has forgotten it', async () => {
  await begin({ takesNumbersTwice: false, forgetsAfter_ms: 12 * HOUR });
  await happens(anotherMade(), pay, MINUTE, notify('T1'), MINUTE, tell('T1', 'CANCEL'), HOUR);
  await happens(tell('T1', 'SUCCESS'), HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
  await happens(DAY, reset, HOUR);
  expect(await outcome()).toBe('SUCCESS');
});

// — What the next run knows —

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

// — What is no notification —

test('promise 6: an adoption as a child of a merchant’s workflow does not hide the sale before it', async () => {
  await begin({});
  await sell();
  const [sold] = world.runs;
  if (!sold) throw new Error('nothing was sold');
  world.gateway.trouble = 'no such order';
  const { workflowId, out_trade_no } = world;
  const args = toPayloads(defaultPayloadConverter, { kind: 'adopt', app_id: 'hostile', out_trade_no }) ?? [];
  world.temporal.begin({ workflowId, type: 'payment', args, parent: { run: sold, seq: 99 } });
  await world.pass(HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
});

// — A person's word and the limits —

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

// — A run does not know yet, or does not ask, what was sold before it —

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

test('promise 6: a sale that the gateway has forgotten stays sold where it is started again and a person says CANCEL at once', async () => {
  await begin({ forgetsAfter_ms: 4 * HOUR });
  await happens(sell, 5 * HOUR, noWorker(MINUTE), startAgain, SECOND);
  world.temporal.update(world.workflowId, 'resolve', RESOLVE_CANCEL);
  await world.pass(3 * DAY);
  expect([await outcomeNow(), attentions()]).not.toEqual(['CANCEL', []]);
});

// — What merchants are told —

test('promise 6: a late PROCESSING after the sale does not take the sale back while the gateway does not answer', async () => {
  await begin();
  await happens(sell, trouble('429'), notify('T1', 'PROCESSING'), HOUR, pay, 5 * MINUTE);
  expect([answers(), await outcome()]).toEqual([['T1', 'T1'], 'SUCCESS']);
});

test('promise 6: SUCCESS by a person does not become CANCEL by a notification unseen', async () => {
  await begin();
  await happens(pay, MINUTE, decide('SUCCESS'), MINUTE);
  expect(await outcomeNow()).toBe('SUCCESS');
  await happens(tell('T1', 'CANCEL'), 10 * MINUTE);
  expect([await outcome(), attentions()]).not.toEqual(['CANCEL', []]);
});
