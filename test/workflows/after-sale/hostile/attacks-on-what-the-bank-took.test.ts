/** Attacks on promises 4, 7 and 8: what the bank took is remembered, whoever saw it, and by whichever copy. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const DONE = { takes_ms: 0, ends: 'done' } as const;
const tell = (status: string, number?: string) => world.deliver({ at: world.now, status, number });
/** Requests for a refund that reached the gateway while the bank took the money back. */
const besideTheBank = () =>
  world.gateway.requests.filter(({ status }) => status === 'DISPUTE' || status === 'CHARGEBACK').map(({ at }) => at);

test('promise 7: a refund of a terminated after-sale that rests after a lost request is told of the dispute that starts the next one', async () => {
  await open({ lag_ms: 50_000, mishaps: ['lost before it arrived'] });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(4 * MINUTE);
  world.terminate();
  await world.pass(45_000);
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(HOUR);
  expect(world.acknowledged).toHaveLength(1);
  expect(besideTheBank()).toEqual([]);
});

test('promise 7: no refund is sent 40 s after a second dispute was notified, where the query still showed the first one then', async () => {
  await open({ lag_ms: 50_000 });
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(HOUR);
  world.resolve({});
  await world.pass(HOUR);
  world.gateway.move('SUCCESS');
  await world.pass(10_000);
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(42_000);
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(HOUR);
  expect(besideTheBank()).toEqual([]);
});

test('promise 7: no refund is sent 40 s after a second chargeback was notified, where the query still showed the reversal of the first one then', async () => {
  await open({ lag_ms: 50_000 });
  for (const status of ['CHARGEBACK', 'CHARGEBACK_REVERSED']) {
    world.gateway.move(status);
    tell(status);
    await world.pass(HOUR);
    world.resolve({});
    await world.pass(HOUR);
  }
  world.gateway.move('SUCCESS');
  await world.pass(10_000);
  world.gateway.move('CHARGEBACK');
  tell('CHARGEBACK');
  await world.pass(42_000);
  expect((await world.state())?.attention).toBe('chargeback');
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(HOUR);
  expect(besideTheBank()).toEqual([]);
});

/** Several copies, of which those asked answer that are 4 minutes behind, but for one look from now on. */
const openWithCopies = async () => {
  let isFresh = false;
  let onFresh: () => void = () => undefined;
  const pick = (n: number) => {
    if (n !== 2 || !isFresh) return 0;
    isFresh = false;
    onFresh();
    return 1;
  };
  await open({ lag_ms: 4 * MINUTE, copies: 'several', pick });
  return (then: () => void) => {
    isFresh = true;
    onFresh = then;
  };
};

test('promise 7: a refund that waits for the gateway is not sent a minute after a recheck has shown a dispute', async () => {
  let mode = 0;
  await open({ lag_ms: 4 * MINUTE, copies: 'several', pick: (n) => (n === 2 ? mode : 0) });
  world.gateway.trouble = 'refunds unreachable';
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(MINUTE);
  world.gateway.move('DISPUTE');
  mode = 1;
  world.temporal.update(world.workflowId, 'recheck');
  for (let i = 0; i < 40 && (await world.state())?.trade_status !== 'DISPUTE'; i += 1)
    await world.temporal.clock.pass(50);
  mode = 0;
  expect(await world.state()).toMatchObject({ trade_status: 'DISPUTE', attention: 'dispute' });
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(10 * MINUTE);
  expect(besideTheBank()).toEqual([]);
});

test('promise 7: a refund whose own last look has shown a dispute is not sent a minute later on the word of a copy', async () => {
  const fresh = await openWithCopies();
  world.gateway.trouble = 'refunds unreachable';
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(MINUTE);
  world.gateway.move('DISPUTE');
  fresh(() => {
    world.gateway.trouble = 'unreachable';
  });
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(10 * MINUTE);
  expect(besideTheBank()).toEqual([]);
});

test('promise 3: a chargeback that nobody has decided on is not replaced by the dispute before it, which an older copy shows', async () => {
  const fresh = await openWithCopies();
  world.gateway.move('DISPUTE');
  await world.pass(3 * MINUTE);
  world.gateway.move('CHARGEBACK');
  fresh(() => undefined);
  tell('CHARGEBACK');
  await world.temporal.clock.pass(200);
  // A late delivery of the dispute follows at once.
  tell('DISPUTE');
  await world.pass(1_000);
  await world.pass(DAY);
  expect(world.acknowledged.map(({ status }) => status)).toEqual(['CHARGEBACK', 'DISPUTE']);
  expect(world.attentions.map(({ attention }) => attention)).toContain('chargeback');
});

test('promise 8: a dispute that is closed over a part of ours does not bring the question what others gave back', async () => {
  await open({ plans: [DONE, DONE] });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(HOUR);
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(HOUR);
  world.resolve({});
  await world.pass(HOUR);
  world.gateway.move('PARTIAL_REFUND');
  world.ask({ amount: '100.00', number: 'b' });
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: null, refunded_amount: '150.00' });
});
