/** Attacks on which payment answers for a deposit, whose deposit it is, and what an account says and then forgets. */
import { defaultPayloadConverter } from '@temporalio/common';
import { paymentWorkflowId } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { APP } from '../../hostile/base-world';
import { A1, end, open, secondRun, world } from './attack-world';
import type { TrueDeposit } from './gateway';

Error.stackTraceLimit = 0;

afterEach(end);

/** Something that follows no account adopts the deposit's trade, as a merchant may. */
async function adoptElsewhere({ out_trade_no, trade_no }: TrueDeposit) {
  const args = [defaultPayloadConverter.toPayload({ kind: 'adopt', app_id: APP, out_trade_no, trade_no })];
  const adopted = { workflowId: paymentWorkflowId(APP, out_trade_no), type: 'payment', args };
  await world.within(async () => void world.temporal.begin(adopted));
  await world.pass(MINUTE);
}

describe('promise 4: one trade is not counted by two accounts where something else has adopted its payment', () => {
  // The merchant loses 100.00: one transfer credited to two buyers, no attention.
  test.each(['before both', 'between the two'])('%s', async (when) => {
    await open();
    const other = world.gateway.make('other');
    const deposit = world.gateway.deposit('A1', '100.00');
    if (when === 'before both') await adoptElsewhere(deposit);
    world.notify(deposit);
    await world.pass(HOUR);
    if (when === 'between the two') await adoptElsewhere(deposit);
    world.notify({ ...deposit, account_id: other.account_id });
    await world.pass(HOUR);
    // Who has counted it once is asked at each notification, and not the payment that ended last.
    world.notify({ ...deposit, account_id: other.account_id });
    await world.pass(DAY);
    const [first, second] = [await world.state('A1'), await world.state(other.account_id)];
    expect([first?.deposits.count, second?.deposits.count]).toEqual([1, 0]);
    expect(second).toMatchObject({ attention: 'old-deposit', deposits: { set_aside: [{ because: 'old-deposit' }] } });
  });
});

describe('promise 3: a payment of the account’s own that ended as paid does not say that the deposit is counted', () => {
  test('a deposit set aside because no query showed its amount is counted when its callback button is pressed', async () => {
    // The buyer loses 10.00: the runbook’s own cure for `unconfirmed-deposit` calls it `old-deposit`, for ever.
    await open();
    const { post } = world.gateway;
    world.gateway.post = async (...call) => {
      const { status, body } = await post.apply(world.gateway, call);
      const shown = new TextDecoder().decode(body).replace('"order_amount":"10.00",', '');
      return { status, body: new TextEncoder().encode(shown) };
    };
    const deposit = world.gateway.deposit('A1', '10.00');
    world.notify(deposit);
    await world.pass(DAY);
    world.gateway.post = post;
    world.notify(deposit);
    await world.pass(DAY);
    expect((await world.state('A1'))?.deposits).toMatchObject({ count: 1, total: { MXN: '10.00' } });
  });

  test('a returned deposit that is notified again stays a returned one, and needs nobody again', async () => {
    // The merchant loses 100.00: `old-deposit` tells a person to credit it where the books lack it, and the money is gone.
    await open();
    const deposit = world.gateway.deposit('A1', '100.00');
    world.gateway.move(deposit, 'REFUNDED');
    world.notify(deposit, 'SUCCESS');
    await world.pass(5 * MINUTE);
    await world.resolve();
    await world.pass(5 * MINUTE);
    world.notify(deposit, 'SUCCESS');
    await world.pass(DAY);
    expect(await world.state('A1')).toMatchObject({
      ...{ attention: null, deposits: { set_aside: [{ because: 'returned-deposit' }] } },
    });
  });
});

test('promise 4: a deposit whose callback button was pressed is asked for, also where the account is terminated before that look', async () => {
  // The buyer waits for 500.00 that the gateway confirms: it is set aside on the old answer, and nobody asked.
  await open();
  const deposit = world.gateway.deposit('A1', '500.00', 'CANCEL');
  world.notify(deposit, 'SUCCESS');
  await world.pass(HOUR);
  world.gateway.move(deposit, 'SUCCESS');
  const functions = world.temporal.activities.functions as Record<string, (input: unknown) => Promise<unknown>>;
  const ended = functions['payments.ended-payment'];
  let isAway = true;
  functions['payments.ended-payment'] = async (input) => {
    if (isAway) throw new Error('the frontend is away');
    return ended?.(input);
  };
  world.notify(deposit);
  await world.pass(500);
  world.terminate('A1');
  isAway = false;
  await world.pass(MINUTE);
  world.notify(world.gateway.deposit('A1', '1.00'));
  await world.pass(DAY);
  expect((await world.state('A1'))?.deposits).toMatchObject({ count: 2, total: { MXN: '501.00' } });
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
    world.notify(world.gateway.deposit('A1', '5.00', 'PROCESSING'));
    await world.pass(500);
    const asked = await world.within(async () => world.temporal.update(A1, 'cancel'));
    await world.pass(5_000);
    if (how.endsWith('terminated')) {
      world.terminate('A1');
      await world.pass(MINUTE);
      world.notify(world.gateway.deposit('A1', '1.00'));
      await world.pass(DAY);
      expect(world.gateway.accounts[0]?.status).toBe('CANCELED');
    } else await isAsked(asked);
  });

  test('that comes while the account cannot read what it knew', async () => {
    await open();
    world.notify(world.gateway.deposit('A1', '1.00'));
    await world.pass(MINUTE);
    world.terminate('A1');
    await world.pass(MINUTE);
    const list = jest.spyOn(world.temporal.client.workflow, 'list').mockImplementation(() => {
      throw new Error('visibility is down');
    });
    world.notify(world.gateway.deposit('A1', '2.00'));
    await world.pass(MINUTE);
    const asked = await world.within(async () => world.temporal.update(A1, 'cancel'));
    await world.pass(HOUR);
    list.mockRestore();
    await isAsked(asked);
  });
});

test('promise 8: the facts settle what an account said of a deposit while it could not read what it knew', async () => {
  // Operators look for an overdue deposit that there is not: the notification was a repetition of a counted one.
  await open();
  const deposit = world.gateway.deposit('A1', '100.00');
  world.notify(deposit);
  await world.pass(HOUR);
  world.terminate('A1');
  await world.pass(MINUTE);
  const list = jest.spyOn(world.temporal.client.workflow, 'list').mockImplementation(() => {
    throw new Error('visibility is down');
  });
  world.notify(deposit);
  await world.pass(HOUR);
  list.mockRestore();
  await world.pass(DAY);
  expect(await world.state('A1')).toMatchObject({ attention: null, deposits: { count: 1, pending: 0 } });
});
