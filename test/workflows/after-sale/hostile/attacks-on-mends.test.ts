/** Attacks with refunds whose after-sale somebody has reset: what the run before sent, and what nobody waits for any more. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { ExchangeError } from '../../../../src/gateway/transport';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const goneBack = () => world.gateway.gone().toFixed(2);
const reset = () =>
  world.within(async () => {
    const { run } = world;
    if (run) world.temporal.reset(run);
  });

/** The worker that has the first request is paused for 100 s. */
function pauseFirstRequest(): void {
  const { post } = world.gateway;
  let isPaused = false;
  world.gateway.post = async (path, ...more) => {
    const ask = () => post.call(world.gateway, path, ...more);
    if (path !== '/trade/refund' || isPaused) return ask();
    isPaused = true;
    world.temporal.clock.in(100_000, () => void ask().catch(() => undefined));
    throw new ExchangeError(true, 'UND_ERR_SOCKET');
  };
}

async function untilAttention(): Promise<void> {
  for (let s = 0; s < 90 && (await world.state())?.attention === null; s += 1) await world.pass(1_000);
}

test.each(['NOT_CREATED', 'REFUND_REFUSED'] as const)(
  'promise 7: %s of a refund whose after-sale was reset does not count while the request of the run before may be on its way',
  async (outcome) => {
    // The merchant gives 300.00 back of 150.00: the worker that had the request was paused.
    await open();
    pauseFirstRequest();
    world.ask({ amount: '150.00', number: 'a' });
    await world.pass(1_000);
    await reset();
    await untilAttention();
    world.resolve({ outcome, out_request_no: 'a' });
    await world.pass(5_000);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(HOUR);
    expect(goneBack()).toBe('150.00');
    // Later the trade shows it.
    expect(await world.state()).toMatchObject({ refunded_amount: '150.00' });
  },
);

test('promise 8: NOT_CREATED of a refund whose after-sale was reset counts once no request of it can be on its way', async () => {
  await open({ mishaps: ['lost before it arrived'] });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(1_000);
  await reset();
  await world.pass(2 * MINUTE + 5_000);
  world.resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' });
  await world.pass(MINUTE);
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ refunded_amount: '150.00' });
});

test('promise 7: NOT_CREATED of a reset refund does not count at once where the gateway denies the trade to the run after the reset', async () => {
  // The merchant gives 300.00 back of 150.00.
  await open();
  pauseFirstRequest();
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(1_000);
  const { post } = world.gateway;
  const text = JSON.stringify({ code: '40004', msg: 'Business Failed', sub_code: 'trade-not-exist', sub_msg: 'none' });
  world.gateway.post = async () => ({ status: 200, body: new TextEncoder().encode(text) });
  await reset();
  await untilAttention();
  world.gateway.post = post;
  world.resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' });
  await world.pass(5_000);
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(HOUR);
  expect(goneBack()).toBe('150.00');
});
