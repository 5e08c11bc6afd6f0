/** An account whose run was reset or terminated knows all that it knew, and what needs a person stays (promises 3 and 8). */

import { defaultPayloadConverter } from '@temporalio/common';
import { paymentWorkflowId } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { rewording } from '../../hostile/answering';
import { APP } from '../../hostile/base-world';
import type { Trade } from '../../hostile/gateway';
import {
  accountNow,
  deposit,
  earlierRunsAreSilent,
  happens,
  latest,
  listIsDown,
  move,
  notify,
  open,
  refusesToCancel,
  resolve,
  secondRun,
  terminate,
  transfer,
  trouble,
  update,
  world,
} from './acts';

/** Something that follows no account adopts the deposit's trade, as a merchant may. */
async function adoptElsewhere({ out_trade_no, trade_no }: Trade) {
  const args = [defaultPayloadConverter.toPayload({ kind: 'adopt', app_id: APP, out_trade_no, trade_no })];
  const adopted = { workflowId: paymentWorkflowId(APP, out_trade_no), type: 'payment', args };
  await world.within(async () => void world.temporal.begin(adopted));
  await world.pass(MINUTE);
}

// The merchant loses 100.00: one transfer credited to two buyers, no attention.
test.each(['before both', 'between the two'])(
  'promise 4: one trade is not counted by two accounts where something else has adopted its payment: %s',
  async (when) => {
    await open();
    const other = world.gateway.makeAccount('other');
    const deposit = world.gateway.deposit('A1', '100.00');
    if (when === 'before both') await adoptElsewhere(deposit);
    await happens(notify(deposit), HOUR);
    if (when === 'between the two') await adoptElsewhere(deposit);
    world.notify({ ...deposit, account_id: other.account_id });
    await world.pass(HOUR);
    // Who has counted it once is asked at each notification, and not the payment that ended last.
    world.notify({ ...deposit, account_id: other.account_id });
    await world.pass(DAY);
    const [first, second] = [await accountNow(), await world.state(other.account_id)];
    expect([first?.deposits.count, second?.deposits.count]).toEqual([1, 0]);
    expect(second).toMatchObject({ attention: 'old-deposit', deposits: { set_aside: [{ because: 'old-deposit' }] } });
  },
);

describe('promise 3: a payment of the account’s own that ended as paid does not say that the deposit is counted', () => {
  test('a deposit set aside because no query showed its amount is counted when its callback button is pressed', async () => {
    // The buyer loses 10.00: the runbook’s own cure for `unconfirmed-deposit` calls it `old-deposit`, for ever.
    await open();
    const mend = rewording(world.gateway, '', (text) => text.replace('"order_amount":"10.00",', ''));
    await happens(transfer('10.00'), DAY, mend, notify('D1'), DAY);
    expect((await accountNow())?.deposits).toMatchObject({ count: 1, total: { MXN: '10.00' } });
  });

  test('a returned deposit that is notified again stays a returned one, and needs nobody again', async () => {
    // The merchant loses 100.00: `old-deposit` tells a person to credit it where the books lack it, and the money is gone.
    await open();
    await happens(deposit('100.00'), move('D1', 'REFUNDED'), notify('D1', 'SUCCESS'), 5 * MINUTE, resolve, 5 * MINUTE);
    await happens(notify('D1', 'SUCCESS'), DAY);
    expect(await accountNow()).toMatchObject({
      ...{ attention: null, deposits: { set_aside: [{ because: 'returned-deposit' }] } },
    });
  });
});

describe('promise 8: "we keep asking" is true of a cancel', () => {
  const isAsked = async (asked: ReturnType<typeof world.temporal.update>) => {
    await world.pass(DAY);
    expect(JSON.stringify(asked?.outcome)).toContain('We keep asking it');
    expect(world.gateway.accounts[0]?.status).toBe('CANCELED');
  };

  // The merchant: the account stays open at the gateway, and nobody asks it to cancel ever again.
  test.each(['while it ends', 'while it ends, and is then terminated'])('that comes to a reset run %s', async (how) => {
    const run = await secondRun();
    await world.within(async () => void world.temporal.reset(run));
    await happens(transfer('5.00', 'PROCESSING'), 500);
    const asked = await update('cancel');
    await world.pass(5_000);
    if (how.endsWith('terminated')) {
      await happens(terminate, MINUTE, transfer('1.00'), DAY);
      expect(world.gateway.accounts[0]?.status).toBe('CANCELED');
    } else await isAsked(asked);
  });

  test('that comes while the account cannot read what it knew', async () => {
    await open();
    await happens(transfer('1.00'), MINUTE, terminate, MINUTE);
    const mend = listIsDown();
    await happens(transfer('2.00'), MINUTE);
    const asked = await update('cancel');
    await world.pass(HOUR);
    mend();
    await isAsked(asked);
  });
});

describe('promise 2: a reset does not repeat a cancel that the gateway has refused', () => {
  // The merchant: an account that buyers still pay into is canceled, a month after everybody was told that it is not.
  const refusedOnce = async () => {
    const { seen, mend } = refusesToCancel(() => false);
    const asked = await update('cancel');
    await world.pass(MINUTE);
    expect(asked?.outcome).toHaveProperty('failure.applicationFailureInfo.type', 'NotCanceled');
    expect(seen.cancels).toBe(1);
    mend();
    await world.pass(30 * DAY);
  };
  const isKept = async () => {
    await happens(transfer('2.00'), DAY);
    expect(world.gateway.accounts[0]?.status).toBe('ACTIVE');
    // A fresh call counts.
    await update('cancel');
    await world.pass(HOUR);
    expect(world.gateway.accounts[0]?.status).toBe('CANCELED');
  };

  test.each([0, 1, 2])('of its first run, to the task %i', async (task) => {
    await open();
    await happens(transfer('1.00'), MINUTE);
    const run = latest();
    await refusedOnce();
    await world.within(async () => void world.temporal.reset(run, task));
    await isKept();
  });

  test('whose first run was reset to before it had begun, while somebody calls it again', async () => {
    await open();
    await happens(transfer('1.00'), MINUTE);
    const run = latest();
    await refusedOnce();
    await world.within(async () => void world.temporal.reset(run));
    const asked = await update('cancel');
    await world.pass(DAY);
    expect(asked?.outcome).toBeDefined();
    expect(world.gateway.accounts[0]?.status).toBe('CANCELED');
  });
});

test('promise 8: the facts settle what an account said of a deposit while it could not read what it knew', async () => {
  // Operators look for an overdue deposit that there is not: the notification was a repetition of a counted one.
  await open();
  await happens(transfer('100.00'), HOUR, terminate, MINUTE);
  const mend = listIsDown();
  await happens(notify('D1'), HOUR);
  await happens(mend, DAY);
  expect(await accountNow()).toMatchObject({ attention: null, deposits: { count: 1, pending: 0 } });
});

// The merchant loses 700.00: acknowledged, told as counted, and in no count, no set_aside and no attention afterwards.
test.each([
  'that is terminated before a worker has it',
  'that is terminated before its watch has an answer',
  'that is reset once more before its watch has an answer',
  'that cannot be queried',
])(
  'promise 3: a deposit that a later run has counted is counted or before a person after a reset of the run before it: %s',
  async (how) => {
    const first = await secondRun();
    await happens(terminate, MINUTE, transfer('700.00'), HOUR);
    expect((await accountNow())?.deposits.latest[0]?.amount).toBe('700.00');
    const activities = world.temporal.activities.functions as Record<string, unknown>;
    const watch = activities['gateway.watch-account'];
    const waits = how.includes('watch');
    if (waits) activities['gateway.watch-account'] = () => Promise.reject(new Error('the worker is busy'));
    if (how.endsWith('a worker has it')) await world.leaveWithoutWorker(MINUTE);
    // Nobody answers for a closed run, as where its code does not replay: its history has what it was given.
    if (how.endsWith('queried')) earlierRunsAreSilent();
    await world.within(async () => {
      latest().terminate();
      world.temporal.reset(first);
    });
    await world.pass(1_000);
    if (how.startsWith('that is terminated')) world.terminate('A1');
    if (how.startsWith('that is reset')) await world.within(async () => void world.temporal.reset(latest()));
    await world.pass(2 * MINUTE);
    activities['gateway.watch-account'] = watch;
    await happens(transfer('2.00'), DAY);
    const { latest: counted = [], set_aside = [] } = (await accountNow())?.deposits ?? {};
    expect([...counted, ...set_aside].map(({ amount }) => amount)).toContain('700.00');
  },
);

test.each(['CANCEL', 'REFUSED', 'SOMETHING_NEW'])(
  'promise 6: a counted deposit that the gateway then calls %s is before a person',
  async (status) => {
    // The merchant loses 100.00: the buyer stays credited for money that is gone, and the acknowledged news is nowhere.
    await open();
    await happens(transfer('100.00'), HOUR, move('D1', status), notify('D1', status), DAY);
    expect(world.acknowledged).toHaveLength(2);
    expect(world.attentions).not.toEqual([]);
  },
);

test.each([1, 9, 15])(
  'promise 8: a deposit notified as open, and %i minutes later as paid, is overdue where the gateway does not confirm it',
  async (minutes) => {
    // The buyer waits without end, and the account shows nothing.
    await open();
    await happens(transfer('100.00', 'PROCESSING'), minutes * MINUTE);
    await happens(move('D1', 'SUCCESS'), trouble('unreachable'), notify('D1'), 6 * HOUR);
    expect((await accountNow())?.attention).toBe('overdue-deposit');
  },
);
