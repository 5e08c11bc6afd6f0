/** Promise 3: what was acknowledged is never lost. */

import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import fc from 'fast-check';
import { PayloadDecryptionError } from '../../../../src/codec';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { deliver } from '../../../../src/webhook/deliver';
import { StartBudget } from '../../../../src/webhook/start-budget';
import { TemporalCalls } from '../../../../src/webhook/temporal-calls';
import { APP } from '../../hostile/base-world';
import type { Act } from '../../hostile/happens';
import {
  adopt,
  anotherMade,
  anotherTold,
  answers,
  attentions,
  begin,
  cancel,
  costs,
  cutOff,
  decide,
  end,
  forget,
  found,
  happens,
  killWorker,
  leftUnread,
  listIsDown,
  madeByAnother,
  move,
  notify,
  noWorker,
  open,
  others,
  outcome,
  pay,
  recheck,
  reset,
  running,
  sale,
  say,
  sell,
  sellAdopted,
  startAgain,
  startBroken,
  startWith,
  tell,
  terminate,
  tradeAt,
  tradesBeforeAPerson,
  tradesKnown,
  trouble,
  works,
  world,
} from './acts';
import { changeQueries, hide, without } from './changed-answers';
import { SECOND } from './schedule';
import { AMOUNT } from './world';

/** What may happen next. */
const NEXT: Record<string, Act> = {
  'the list is back': () => mend(),
  'the list is down': () => {
    mend();
    mend = listIsDown();
  },
  'an operator adopts the order again': adopt,
  'the merchant asks for the order again': pay,
  'the order is started again': () => happens(startAgain, MINUTE),
  'a person settles whatever waits': decide('CANCEL'),
  'the payment is terminated': terminate,
  'the worker dies': killWorker,
  'no worker is there': noWorker(10 * MINUTE),
  'the payment is asked to look': recheck,
  'a minute passes': MINUTE,
  'two hours pass': 2 * HOUR,
};
let mend: () => void = () => undefined;

test.each([
  ['somebody adopts the number', adopt],
  ['a third trade is notified', anotherTold()],
])(
  'promise 3: an acknowledged SUCCESS of a second trade is known where its run, a broken start after the sale, was terminated and %s',
  async (_how, act) => {
    await begin();
    await happens(sell, anotherMade('SUCCESS'), cutOff(startBroken, notify('T2')), act, 10 * HOUR);
    expect(world.acknowledged.map(({ trade_no }) => trade_no)).toContain('T2');
    expect(await tradesKnown()).toContain('T2');
  },
);

test('promise 3: what a run was given by the run before it is known after it was terminated before its first task', async () => {
  await begin();
  const first = madeByAnother();
  const { out_trade_no, trade_no } = madeByAnother('SUCCESS');
  const claim = { app_id: 'hostile', out_trade_no, trade_no, trade_status: 'SUCCESS', amount: AMOUNT, currency: 'BRL' };
  // As reopenFor and a broken start continue: what was acknowledged stands in the input, and in no signal of this run.
  const adopted = { kind: 'adopt', app_id: 'hostile', out_trade_no, trade_no: first.trade_no };
  const input = { ...adopted, pending_notifications: [claim] };
  await happens(cutOff(startWith([input]), 0), notify(first), 10 * HOUR);
  expect(await tradesKnown()).toContain('T2');
});

test('promise 3: an acknowledged SUCCESS of an adopted trade is known where its run was terminated and its number adopted', async () => {
  await begin();
  await happens(anotherMade(), cutOff(notify('T1'), tell('T1', 'SUCCESS')), anotherMade(), adopt, 10 * HOUR);
  expect(await tradesKnown()).toContain('T1');
});

test('promise 3: money after CANCEL is before a person, although copies lag 45 minutes', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await happens(pay, 2 * MINUTE, 45 * MINUTE + HOUR, move('T1', 'CANCEL'), 40 * MINUTE, tell('T1', 'SUCCESS'), 3 * DAY);
  expect([await outcome(), await tradesBeforeAPerson()]).toEqual(['CANCEL', ['T1']]);
});

test('promise 3: an adopted sale is not hidden by somebody who adopts its number once more', async () => {
  await begin();
  await happens(sellAdopted, anotherMade(), adopt, 10 * MINUTE);
  expect([await sale(), attentions()]).not.toEqual([{ outcome: null, trade_no: 'T2', attention: null }, []]);
});

test.each([
  ['has forgotten it', 5 * HOUR, undefined],
  ['does not answer', 0, '429' as const],
])(
  'promise 3: a sale that is reset where the gateway %s stays, and its order is answered again',
  async (_, ms, kind) => {
    await begin({ forgetsAfter_ms: 4 * HOUR });
    await happens(sell, ms, trouble(kind), reset, HOUR, pay, 5 * MINUTE);
    expect([answers(), await outcome()]).toEqual([['T1', 'T1'], 'SUCCESS']);
  },
);

test('promise 3: a chargeback of the trade that was sold is before a person, although the first word was of another one', async () => {
  await begin({});
  await happens(sell, anotherTold('DISPUTE'), HOUR, decide('SUCCESS'), HOUR, tell('T1', 'CHARGEBACK'), 5 * DAY);
  expect(await tradesBeforeAPerson()).toContain('T1');
});

test.each([
  ['of an order of ours', true],
  ['that was made elsewhere', false],
])(
  'promise 3: an acknowledged SUCCESS %s is not lost where the broken start that had it is canceled',
  async (_of, isOurs) => {
    await begin();
    if (isOurs) await happens(pay, MINUTE, terminate);
    else madeByAnother();
    await happens(noWorker(MINUTE), startBroken, SECOND, tell('T1', 'SUCCESS'), SECOND, cancel, 24 * HOUR);
    expect(world.acknowledged).toHaveLength(1);
    expect([await outcome(), attentions()]).not.toEqual([null, []]);
  },
);

test('promise 3: a chargeback that a look had contradicted reaches the after-sale where a person says SUCCESS', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await happens(pay, 2 * HOUR, move('T1', 'SUCCESS'), MINUTE, tell('T1', 'CHARGEBACK'), 40 * MINUTE);
  await happens(decide('SUCCESS'), 3 * DAY);
  expect([await outcome(), running()]).not.toEqual(['SUCCESS', []]);
});

test('promise 3: money that is notified in an outage at the last deadline is before a person, although an old copy says CANCEL', async () => {
  await begin({ lag_ms: HOUR });
  await happens(pay, 2 * HOUR);
  const began = world.asked[0] ?? 0;
  const until = (minutes: number) => world.pass(minutes * MINUTE - (world.now - began));
  await until(930);
  world.gateway.trouble = '503';
  await until(935);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await until(950);
  await happens(tell('T1', 'SUCCESS'));
  await until(966);
  await happens(works, 3 * DAY);
  expect([await outcome(), open()]).not.toEqual(['EXPIRED', []]);
});

test.each(['SUCCESS', 'CANCEL'] as const)(
  'promises 3 and 8: a person who has said %s of another amount is not asked again by a repeated notification',
  async (word) => {
    await begin({});
    await happens(pay, MINUTE, costs('T1', '15.00'), tell('T1', 'SUCCESS'), HOUR);
    expect(attentions()).toEqual(['amount-mismatch']);
    await happens(decide(word), HOUR);
    expect(open()).toEqual([]);
    await happens(notify('T1'), HOUR);
    expect([open(), await outcome()]).toEqual([[], word]);
  },
);

test('promise 3: somebody hears of a second trade that an earlier run left, whatever happens while it is unread', async () => {
  const stories = fc.array(fc.constantFrom(...Object.keys(NEXT)), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(stories, fc.constantFrom(SECOND, MINUTE, HOUR), async (names, first_ms) => {
      mend = await leftUnread(0);
      const shown = new Set<string>();
      const look = () => {
        for (const attention of found()) shown.add(attention);
      };
      await world.pass(first_ms);
      for (const name of names) {
        await happens(NEXT[name] ?? 0, SECOND);
        look();
      }
      await happens(mend, HOUR);
      // Who terminates a run takes with it what it had, until the next run reads that.
      if (names.includes('the payment is terminated')) world.adopt();
      await world.pass(DAY);
      look();
      const known = await tradesKnown();
      await end();
      expect({ names, isKnown: known.includes('T2'), isShown: shown.has('second-trade') }).toEqual({
        names,
        isKnown: true,
        isShown: true,
      });
    }),
    { numRuns: Number(process.env.UNREAD_RUNS ?? 15), seed: 20261125 },
  );
});

test('promise 3: an acknowledged SUCCESS of a second trade is known where the list of workflows goes down between two reads', async () => {
  await begin();
  await happens(sell, anotherMade('SUCCESS'), noWorker(MINUTE), startBroken, SECOND, notify('T2'), SECOND);
  await happens(terminate, 5 * MINUTE);
  const mend = listIsDown(1);
  await happens(adopt, HOUR, mend, 10 * HOUR);
  // Nor is it by whoever comes next.
  await happens(adopt, 10 * HOUR);
  expect(world.acknowledged.map(({ trade_no }) => trade_no)).toContain('T2');
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T2']), ['no-answer', 'second-trade']]);
});

test('promise 3: another trade that was notified as paid is known where queries name no trade, and ours has ended', async () => {
  await begin({ hidesTradeNo: true, shows: 'the first' });
  changeQueries({ answer: without('trade_no') });
  await happens(pay, MINUTE, anotherTold('SUCCESS'), MINUTE, move('T1', 'CANCEL'), 10 * DAY);
  expect((await sale()).attention).not.toBe(null);
});

test('promise 3: money of an adopted order that was notified in an outage is known after a person has said CANCEL', async () => {
  await begin({ findsBy: 'trade_no alone' });
  await happens(adopt, 30 * MINUTE, trouble('503'), anotherTold('SUCCESS'), HOUR, decide('CANCEL'), HOUR);
  await happens(works, 10 * DAY);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS' });
});

test.each([
  ['a recheck', recheck],
  ['news of ours', notify('T1')],
  ['our end', tell('T1', 'CANCEL')],
])(
  'promise 3: another trade that was settled unpaid, and is notified as paid in an outage, is known also where %s interrupts the look at it',
  async (_what, act) => {
    await begin({ kind: 'checkout' });
    await happens(pay, MINUTE, anotherTold('PROCESSING'), 2 * MINUTE, say({}), 2 * MINUTE);
    const shown = hide(['T2']);
    await happens(tell('T2', 'SUCCESS'), 30 * SECOND, act, 2 * MINUTE, shown, 10 * DAY);
    expect([await others(), found()]).toEqual([['T2 SUCCESS'], expect.arrayContaining(['second-trade'])]);
  },
);

test('promise 4: another trade that was notified is asked for once the gateway answers again, whatever became of our own', async () => {
  await begin({ findsBy: 'out_trade_no alone', takesNumbersTwice: false });
  await happens(anotherTold('SUCCESS'), anotherTold(), 5 * SECOND, () => world.lackApp('all', 2 * HOUR), DAY);
  const asked = new Set(world.gateway.exchanges.map(({ asked: { trade_no } }) => trade_no));
  expect([...asked].sort()).toEqual(expect.arrayContaining(['T1', 'T2']));
});

describe('promise 3: an order’s own notification may name an account: it is the order’s, and no deposit', () => {
  /** The gateway notifies our trade as paid, with an account; `client`: that of the webhook. */
  const notifyWithAccount = (client = world.temporal.client) =>
    world.within(() => {
      const { out_trade_no, trade_no, amount, currency, method } = tradeAt(0);
      const trade = { app_id: APP, out_trade_no, trade_no, trade_status: 'SUCCESS', amount, currency, method };
      const unknown = { provider: undefined, buyer_id: undefined, transfer_timestamp: undefined };
      const account = { account_id: 'A1', account_number: '646180157000000004' };
      const transfer_account = { ...unknown, ...account, beneficiary_name: undefined };
      const notification = { ...trade, out_request_no: undefined, timestamp: undefined, transfer_account };
      const temporal = new TemporalCalls(client, 'simulated');
      return deliver({ notification, digest: 'one', temporal, startBudget: new StartBudget(100) });
    });
  const types = () => new Set(world.temporal.allRuns().map(({ start }) => start.type));

  test('also where Temporal has forgotten the payment, and its after-sale goes on', async () => {
    await begin();
    await happens(sell, tell('T1', 'DISPUTE'), 31 * DAY, forget);
    await happens(move('T1', 'SUCCESS'), () => notifyWithAccount(), HOUR);
    expect(types()).not.toContain('speiAccount');
    expect(world.events.map(({ type }) => type)).not.toContain('deposit');
  });

  test('also where the webhook lacks a key: it does not acknowledge what it cannot tell', async () => {
    await begin();
    await happens(pay, MINUTE, move('T1', 'EXPIRED'), 30 * DAY, move('T1', 'SUCCESS'));
    await expect(notifyWithAccount(withoutKey(world.temporal.client))).rejects.toThrow('k2');
    expect(types()).not.toContain('speiAccount');
    await happens(() => notifyWithAccount(), HOUR);
    expect(await sale()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
  });
});

/** A client whose process lacks the key that orders are encrypted with. */
function withoutKey(client: Client): Client {
  const decode = async () => {
    throw new PayloadDecryptionError('it was encrypted with the key "k2"');
  };
  const payloadCodecs = [{ encode: async (payloads: Payload[]) => payloads, decode }];
  const options = { ...client.options, loadedDataConverter: { ...client.options.loadedDataConverter, payloadCodecs } };
  return new Proxy(client, { get: (own, name) => (name === 'options' ? options : Reflect.get(own, name, own)) });
}
