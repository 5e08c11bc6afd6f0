/**
 * Attacks on the poll that runs beside everything else, on the first short try of a creation, and on the end of a follow-up.
 * The comment before a group says what was lost, and for whom.
 */
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { attentions, begin, end, madeByAnother, outcomeNow, pay, sale, tradeAt, world } from './attack-world';

const SECOND = 1_000;

/** How long a call that was held back may not be made, in ms: a full limiter, or an open circuit. */
let mockPause_ms = SECOND;
jest.mock('../../../../src/activities/throttle', () => {
  const actual = jest.requireActual<typeof import('../../../../src/activities/throttle')>(
    '../../../../src/activities/throttle',
  );
  class CallDeferredError extends actual.CallDeferredError {
    constructor(message: string, operation: string) {
      super(message, operation, mockPause_ms);
    }
  }
  return { ...actual, CallDeferredError };
});

afterEach(async () => {
  mockPause_ms = SECOND;
  await end();
});

type Body = Readonly<Record<string, unknown>>;

/** Changes what a path of the gateway answers. */
function changeAnswers(at: string, change: (body: Body) => Body): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const response = await post(path, headers, text);
    if (path !== at) return response;
    const body: Body = JSON.parse(new TextDecoder().decode(response.body));
    return { ...response, body: new TextEncoder().encode(JSON.stringify(change(body))) };
  };
}

/** How many events the history of the latest run has. */
const events = () => world.temporal.runs(world.workflowId).at(-1)?.events ?? 0;
const openUpdates = () => world.run?.openUpdates ?? 0;

/** The first task, which a worker takes up late, meets a notification of another system's trade, and then an outage. */
async function startNotifiedInAnOutage(): Promise<void> {
  await begin();
  const other = madeByAnother();
  await world.leaveWithoutWorker(MINUTE);
  world.pay();
  await world.pass(SECOND);
  world.notify(other);
  world.gateway.trouble = '429';
  await world.pass(2 * MINUTE);
}

// — 1. `created` waits without a timer for a first try that never comes, or that comes late —
// Lost: callers of the plain contract hang until the outage is over. After ten of them Temporal takes no update any more:
// a person can neither resolve nor recheck the payment that is before him.

test('promise 8: created is answered where the first step is no try, because a notification was there before', async () => {
  await startNotifiedInAnOutage();
  await world.pass(HOUR);
  expect(openUpdates()).toBe(0);
});

test('promise 8: a person can resolve a payment after ten callers of created', async () => {
  await startNotifiedInAnOutage();
  for (let i = 0; i < 12; i += 1) await pay(10 * MINUTE);
  expect(attentions()).toContain('no-answer');
  let said = 'nothing';
  const resolution = { outcome: 'CANCEL', reason: 'not ours', by: 'ana' };
  world.temporal.client.workflow
    .getHandle(world.workflowId)
    .executeUpdate('resolve', { args: [resolution] })
    .then(
      () => {
        said = 'resolved';
      },
      (error: Error) => {
        said = String(error.cause);
      },
    );
  await world.pass(10 * MINUTE);
  expect(said).toBe('resolved');
});

test('promise 8: created is answered after a reset in an outage, which gives the run its notifications back at once', async () => {
  await begin({ creations: ['answer lost'] });
  await pay(MINUTE);
  world.notify(tradeAt(0));
  await world.pass(MINUTE);
  world.gateway.trouble = '429';
  world.reset();
  await world.pass(MINUTE);
  world.pay();
  await world.pass(HOUR);
  expect(openUpdates()).toBe(0);
});

test('the contract: created answers after 30 s where the circuit is open', async () => {
  mockPause_ms = 30 * SECOND;
  await begin({ heldBack: 5 });
  await pay(32 * SECOND);
  expect(world.told).toMatchObject([{ is: 'failure', type: 'PaymentPendingError' }]);
  expect(openUpdates()).toBe(0);
});

// — 2. What the creation's answer says is taken for what a look has said —
// Lost: a card that was paid at once is not delivered until its deadline (hours, or days), while every poll reads SUCCESS.

test('promise 5: an order that was paid at once is sold by a poll where the gateway shows it a minute late', async () => {
  await begin({ lag_ms: 60 * SECOND });
  changeAnswers('/trade/pay', (body) => {
    world.gateway.move(tradeAt(0), 'SUCCESS');
    return { ...body, trade_status: 'SUCCESS' };
  });
  await pay(60 * MINUTE);
  // A poll has read SUCCESS.
  expect(world.gateway.exchanges.some(({ shown }) => shown?.status === 'SUCCESS')).toBe(true);
  expect((await sale()).outcome).toBe('SUCCESS');
});

// — 3. After a reset, a first try that comes late does not say that it was a reset —
// Lost: whoever rechecks a paid order after a reset is answered without a look: nothing was sent.

test('promise 8: a recheck after a reset is answered by a look, also where a worker was away for ten seconds', async () => {
  await begin({}, (n) => Math.floor(n / 2));
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.reset();
  await world.pass(10);
  await world.leaveWithoutWorker(10 * SECOND);
  world.recheck();
  await world.pass(5 * MINUTE);
  const rechecked = world.told.flatMap((one) => (one.is === 'rechecked' ? [one.state] : []));
  expect(rechecked).toMatchObject([{ trade_no: 'T1', outcome: 'SUCCESS' }]);
});

test('promise 8: a recheck hears the next answer of the gateway, also while an order whose creation was lost is looked for', async () => {
  await begin({ creations: ['lost before it arrived', 'lost before it arrived', 'lost before it arrived'] });
  // The first look, whose answer has to last.
  await pay(10 * SECOND);
  world.recheck();
  await world.pass(5 * SECOND);
  const rechecked = () => world.told.filter((one) => one.is === 'rechecked').length;
  expect(rechecked()).toBe(1);
  // Before a person, while the order rests before it is sent again.
  await world.pass(2 * MINUTE);
  expect((await sale()).attention).toBe('unknown-outcome');
  world.recheck();
  await world.pass(5 * SECOND);
  expect(rechecked()).toBe(2);
});

// — 4. The end of a follow-up's watch after a person has settled an earlier reason —
// Lost: the buyer's money. It came in an outage at the end of the watch; nobody looks any more, and nobody is told.

test('promise 5: a follow-up that has no answer at its end is before a person, also where one has settled another reason before', async () => {
  await begin();
  await pay(MINUTE);
  await world.pass(17 * HOUR);
  expect([await outcomeNow(), attentions()]).toEqual(['EXPIRED', ['never-ended']]);
  await world.resolve('CANCEL');
  await world.pass(10 * HOUR);
  const before = world.now;
  world.gateway.trouble = '429';
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(8 * HOUR);
  world.gateway.trouble = undefined;
  await world.pass(24 * HOUR);
  const told = world.attentions.filter(({ at }) => at > before);
  expect([await outcomeNow(), told.length > 0]).not.toEqual(['EXPIRED', false]);
});

// — 5. A poll's answer is thrown away where a look beside it has no answer —
// Lost: the gateway has said SUCCESS to us, and the merchant does not hear of it for as long as the outage goes on.

test('promise 5: a poll that reads SUCCESS while a look has no answer is heard', async () => {
  await begin();
  const began = world.now;
  await pay(20 * SECOND);
  world.gateway.trouble = '429';
  world.notify(tradeAt(0), 'PROCESSING');
  await world.pass(39 * SECOND);
  // The look rests until 83 s after the creation. The poll goes on beside it, and asks after 60 s: the gateway answers it.
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.gateway.trouble = undefined;
  await world.pass(2 * SECOND);
  world.gateway.trouble = '429';
  expect(world.gateway.exchanges.filter(({ shown }) => shown?.status === 'SUCCESS')).toMatchObject([
    { at: began + MINUTE, asked: { trade_no: 'T1' } },
  ]);
  await world.pass(5 * HOUR);
  expect((await sale()).outcome).toBe('SUCCESS');
});

// — 6. A poll that is replaced begins its schedule anew —
// Lost: two copies that differ, or a key that one of two nodes does not know, are asked four times a minute for as long as the
// payment waits; 1,300 events an hour end a payment of three days at Temporal's limit of 51,200.

test.each([
  ['two copies of the gateway differ', (n: number) => ({ trade_status: n % 2 ? 'RISK_CONTROLLING' : 'PROCESSING' })],
  [
    'one of two nodes of the gateway does not take our key',
    (n: number) => (n % 2 ? { code: '40002', msg: 'Business Failed', sub_code: 'invalid-signature' } : {}),
  ],
])('promise 5: a payment asks ever less often where %s', async (_what, change) => {
  await begin();
  await pay(MINUTE);
  let asked = 0;
  changeAnswers('/trade/query', (body) => {
    asked += 1;
    return { ...body, ...change(asked) };
  });
  await world.pass(HOUR);
  const before = { asked, events: events() };
  await world.pass(HOUR);
  expect(asked - before.asked).toBeLessThan(30);
  expect(events() - before.events).toBeLessThan(200);
});

// — 7. Updates that wait for a gateway that is down —
// Lost: Temporal takes ten updates at once, so whoever has looked at the gateway's dashboard could not say what became of the order.

/** A person's word, and whether the workflow has taken it. */
async function resolvesNow(): Promise<boolean> {
  const before = world.told.length;
  await world.pass(SECOND);
  void world.resolve('CANCEL');
  await world.pass(MINUTE);
  return world.told.slice(before).some(({ is }) => is === 'resolved');
}

const rechecked = () => world.told.filter(({ is }) => is === 'rechecked').length;

test('promise 8: rechecks of an adoption are answered while its gateway is down, and a person can resolve it after ten of them', async () => {
  await begin();
  world.notify(madeByAnother('CANCEL'), 'SUCCESS');
  await world.pass(5 * SECOND);
  world.gateway.trouble = '429';
  await world.pass(30 * MINUTE);
  expect(attentions()).toEqual(['no-answer']);
  for (let i = 0; i < 10; i += 1) {
    world.recheck();
    await world.pass(HOUR);
  }
  expect([rechecked(), openUpdates()]).toEqual([10, 0]);
  expect(await resolvesNow()).toBe(true);
});

test('promise 8: ten rechecks at once, of a gateway that is down, leave room for a person’s word', async () => {
  await begin();
  await pay(MINUTE);
  world.gateway.trouble = '429';
  for (let i = 0; i < 10; i += 1) world.recheck();
  await world.pass(SECOND);
  expect(openUpdates()).toBeLessThan(10);
  expect(await resolvesNow()).toBe(true);
});

test('promise 8: a cancel of an order whose earlier runs cannot be read is answered, and a person can resolve it after ten of them', async () => {
  await begin();
  Object.assign(world.temporal.client.workflow, {
    list: () => {
      throw new Error('the list of workflows is down');
    },
  });
  world.start('REJECT_DUPLICATE');
  await world.pass(30 * MINUTE);
  expect(attentions()).toEqual(['no-answer']);
  for (let i = 0; i < 10; i += 1) {
    world.withdraw();
    await world.pass(2 * MINUTE);
  }
  const failures = world.told.flatMap((one) =>
    one.is === 'failure' ? [[one.type, one.message.includes('is not withdrawn yet')]] : [],
  );
  expect(failures).toEqual(Array(10).fill(['PaymentPendingError', true]));
  expect(openUpdates()).toBe(0);
  expect(await resolvesNow()).toBe(true);
});
