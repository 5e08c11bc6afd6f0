/** Attacks on what is left to refund: each once gave more back than was paid, or took a decision for something else. */
import { AsyncResource } from 'node:async_hooks';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, watchWindow: '3d', ...traits });
};
afterEach(() => world?.close());

const DONE = { takes_ms: 0, ends: 'done' } as const;

const numbersMade = () => world.gateway.refunds.map(({ number }) => number);
const goneBack = () => world.gateway.gone().toFixed(2);
const refundOf = async (number: string) =>
  (await world.state())?.refunds.find(({ out_request_no }) => out_request_no === number);
/** The gateway's desk tries a refund that ends without money. */
const deskInVain = (amount: string, ends: 'refused' | 'revoked' = 'refused') =>
  world.gateway.make('desk-in-vain', amount, 'the desk', { takes_ms: 0, ends });

test.each([
  ['trade_no', 'T9'],
  ['out_trade_no', 'order-9'],
])('a refund whose body has another order’s %s is refused, and nothing is sent', async (field, value) => {
  await open();
  const user_info = { name: 'Mariana Souza Lima', email: 'mariana@example.com', identify: { number: '12345678909' } };
  const order = { refund_amount: '50.00', refund_currency: 'BRL', out_request_no: 'a', user_info, [field]: value };
  const refused = expect(world.payments.refund('order-1', order)).rejects.toThrow(`${field}: not allowed`);
  await world.pass(HOUR);
  await refused;
  expect([world.gateway.requests, world.neighbour.refunds]).toEqual([[], []]);
});

test('a refund that was refused elsewhere hides one that was made there: ours is not sent until a person has named it', async () => {
  await open();
  world.resolve({});
  await world.pass(5 * HOUR);
  world.desk('100.00', 0);
  await world.pass(1_000);
  deskInVain('50.00');
  world.ask({ amount: '100.00', number: 'a' });
  await world.pass(DAY);
  expect(goneBack()).toBe('100.00');
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
});

test('REFUNDED of a gateway that has called our parts PARTIAL_REFUND says that others gave the rest back', async () => {
  await open();
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(HOUR);
  world.ask({ amount: '50.00', number: 'b' });
  await world.pass(10_000);
  world.desk('50.00', 0);
  await world.pass(3 * HOUR);
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', refunded_amount: '100.00' });
  world.ask({ amount: '50.00', number: 'c' });
  await world.pass(DAY);
  expect(goneBack()).toBe('150.00');
});

test('what the trade shows where a person says that ours was not made is from elsewhere', async () => {
  await open({ mishaps: ['none', 'lost before it arrived'] });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(HOUR);
  world.ask({ amount: '50.00', number: 'b' });
  await world.pass(10 * MINUTE);
  world.desk('50.00', 5 * HOUR);
  await world.pass(2 * HOUR);
  world.resolve({ outcome: 'NOT_CREATED', out_request_no: 'b' });
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
  await world.pass(12 * HOUR);
  world.ask({ amount: '100.00', number: 'c' });
  await world.pass(DAY);
  expect(goneBack()).toBe('100.00');
});

test('a refusal after a part is not that of our refund whose answer was lost: it stays before a person', async () => {
  await open({ mishaps: ['none', 'answer lost'], plans: [DONE, DONE] });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(HOUR);
  world.ask({ amount: '50.00', number: 'b' });
  await world.pass(10 * MINUTE);
  deskInVain('40.00');
  await world.pass(3 * HOUR);
  expect(await refundOf('b')).toMatchObject({ outcome: null, attention: 'unknown-refund' });
  world.ask({ amount: '100.00', number: 'c' });
  await world.pass(DAY);
  expect(goneBack()).toBe('100.00');
});

test.each(['refused', 'revoked'] as const)(
  'a notification that another refund was %s does not end ours',
  async (ends) => {
    await open({ tells_ms: 500, plans: [{ takes_ms: 5 * HOUR, ends: 'done' }] });
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(10 * MINUTE);
    deskInVain('50.00', ends);
    await world.pass(HOUR);
    world.resolve({ refunded_elsewhere: '0.00' });
    await world.pass(MINUTE);
    world.ask({ amount: '150.00', number: 'c' });
    await world.pass(DAY);
    expect(goneBack()).toBe('100.00');
    expect(await refundOf('a')).not.toMatchObject({ attention: null, outcome: expect.stringContaining('REFUND_RE') });
  },
);

test('a refund that a person calls not made is sent when it is asked for again, whatever was taken for it before', async () => {
  await open({ mishaps: ['lost before it arrived'] });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(40_000);
  world.desk('50.00', MINUTE);
  await world.pass(30 * MINUTE);
  world.notify('the latest');
  await world.pass(10 * MINUTE);
  world.nameElsewhere();
  await world.pass(MINUTE);
  world.resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' });
  await world.pass(MINUTE);
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(HOUR);
  expect(numbersMade()).toEqual(['desk-1', 'a']);
  expect(await world.state()).toMatchObject({ refunded_amount: '50.00', refunded_elsewhere: '50.00' });
});

test.each([
  ['queries are 45 s behind', 45_000],
  ['the gateway carries it out a minute later', 0],
])('a refund that is refused in unknown words and made all the same is made once, where %s', async (_where, lag_ms) => {
  await open({ lag_ms });
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  const words = { code: '40004', msg: 'Business Failed', sub_code: 'refund-in-process', sub_msg: 'it runs' };
  let isFirst = true;
  gateway.post = async (path, headers, text) => {
    if (path !== '/trade/refund' || !isFirst) return post(path, headers, text);
    isFirst = false;
    if (lag_ms > 0) await post(path, headers, text);
    else world.temporal.clock.in(MINUTE, () => void post(path, headers, text));
    return { status: 200, body: new TextEncoder().encode(JSON.stringify(words)) };
  };
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(36_000);
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(DAY);
  expect(numbersMade()).toEqual(['a']);
  expect(await refundOf('a')).toMatchObject({ outcome: 'REFUNDED' });
});

/** Does something so many ms after the gateway has been queried next. */
async function afterTheNextQuery(ms: number, act: () => void): Promise<void> {
  const outside = AsyncResource.bind(act);
  const post = world.gateway.post.bind(world.gateway);
  world.gateway.post = (path, headers, text) => {
    world.gateway.post = post;
    world.temporal.clock.in(ms, outside);
    return post(path, headers, text);
  };
  await world.pass(6 * HOUR);
}

test('a decision that no refund was made counts only where none has been sent since: at each moment around the request', async () => {
  const told: unknown[] = [];
  for (let i = 0; i < 24; i += 1) {
    const offset_ms = (i % 8) * 8;
    let seed = (1 + Math.floor(i / 8)) * 7919 + offset_ms;
    const pick = (n: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * n);
    };
    await open({ pick });
    world.resolve({});
    await world.pass(HOUR);
    world.gateway.trouble = 'unreachable';
    world.ask({ amount: '100.00', number: 'a' });
    await world.pass(6 * HOUR);
    expect(await world.state()).toMatchObject({ attention: 'no-answer' });
    world.gateway.trouble = undefined;
    await afterTheNextQuery(offset_ms, () => world.resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' }));
    const { outcome } = (await refundOf('a')) ?? {};
    told.push([world.told.findLast(({ is }) => is.endsWith('resolved'))?.is, outcome, world.gateway.refunds.length]);
    await world.close();
  }
  const wrong = told.filter(
    (one) =>
      JSON.stringify(one) !== JSON.stringify(['resolved', 'NOT_CREATED', 0]) &&
      JSON.stringify(one) !== JSON.stringify(['not resolved', 'REFUNDED', 1]) &&
      JSON.stringify(one) !== JSON.stringify(['not resolved', 'ACCEPTED', 1]),
  );
  expect(wrong).toEqual([]);
});

test('ten rechecks of a trade whose gateway is down leave room for a person’s word', async () => {
  await open();
  world.resolve({});
  await world.pass(HOUR);
  world.gateway.trouble = 'unreachable';
  for (let i = 0; i < 10; i += 1) world.temporal.update(world.workflowId, 'recheck');
  await world.pass(MINUTE);
  world.resolve({});
  await world.pass(MINUTE);
  expect(world.told.map(({ is }) => is)).toEqual(['resolved', 'resolved']);
});

describe('a reason for a person is not lost behind another', () => {
  const shownAfter = async (before: string) => {
    world.gateway.move('SUCCESS');
    await world.pass(5 * HOUR);
    expect(await world.state()).toMatchObject({ attention: before });
    world.resolve({});
    await world.pass(DAY);
    return (await world.state())?.attention;
  };

  test('late money whose refund is refused for a chargeback is before a person once that is settled', async () => {
    await open({ late: 'refund' });
    world.gateway.trouble = 'refunds unreachable';
    await world.comesLate();
    await world.pass(5 * MINUTE);
    world.gateway.move('CHARGEBACK');
    world.notify('all');
    await world.pass(5 * MINUTE);
    world.gateway.trouble = undefined;
    await world.pass(HOUR);
    world.gateway.move('CHARGEBACK_REVERSED');
    world.notify('all');
    await world.pass(10 * MINUTE);
    expect(await shownAfter('chargeback-reversed')).toBe('late-payment');
  });

  test('late money that stood before a person is there again after a dispute', async () => {
    await open({ late: 'refund', mishaps: ['refused for good'] });
    await world.comesLate();
    await world.pass(MINUTE);
    expect(await world.state()).toMatchObject({ attention: 'late-payment' });
    world.gateway.move('DISPUTE');
    world.notify('all');
    await world.pass(HOUR);
    expect(await shownAfter('dispute')).toBe('late-payment');
  });

  test('it is there in the next run, too', async () => {
    await open({ late: 'refund', mishaps: ['refused for good'], continuesAfter: 40 });
    await world.comesLate();
    await world.pass(MINUTE);
    world.gateway.move('DISPUTE');
    world.notify('all');
    await world.pass(HOUR);
    const { runId } = world.run ?? {};
    for (let i = 0; i < 30 && world.run?.runId === runId; i += 1) {
      world.deliver({ at: world.now, status: 'DISPUTE', number: undefined });
      await world.pass(10 * MINUTE);
    }
    expect(world.run?.runId).not.toBe(runId);
    expect(await shownAfter('dispute')).toBe('late-payment');
  });
});
