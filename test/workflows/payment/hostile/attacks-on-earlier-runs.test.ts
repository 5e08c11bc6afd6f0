/** Attacks on what earlier runs left to the next. The comment before a group says what is lost, and for whom. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  answers,
  attentions,
  begin,
  end,
  listIsDown,
  madeByAnother,
  outcomeNow,
  paid,
  pay,
  sell,
  startBroken,
  stateNow,
  tradeAt,
  tradesKnown,
  world,
} from './attack-world';
import { another, brokenIn, story, wait } from './schedule';
import { AMOUNT } from './world';

const SECOND = 1_000;
afterEach(() => world && end());

const broken = () => world.start('ALLOW_DUPLICATE', world.workflowId, [{ kind: 'direct', app_id: 'hostile' }]);

/** The worker is away while a run is started and notified; somebody terminates that run before a worker has taken anything. */
async function cutOff(start: () => void, notified: () => void): Promise<void> {
  await world.leaveWithoutWorker(MINUTE);
  start();
  await world.pass(SECOND);
  notified();
  await world.pass(SECOND);
  world.terminate();
  await world.pass(5 * MINUTE);
}

// — What a terminated run had not taken is not read where the run before it sold, or has no order of ours —
// Lost: acknowledged money of a second trade (a buyer has paid twice, nobody gives it back); a sale, once it is reset.

test.each([
  ['somebody adopts the number', () => world.adopt()],
  ['a third trade is notified', () => world.notify(madeByAnother())],
])(
  'promise 3: an acknowledged SUCCESS of a second trade is known where its run, a broken start after the sale, was terminated and %s',
  async (_how, act) => {
    await begin();
    await sell();
    const other = madeByAnother('SUCCESS');
    await cutOff(broken, () => world.notify(other));
    act();
    await world.pass(10 * HOUR);
    expect(world.acknowledged.map(({ trade_no }) => trade_no)).toContain('T2');
    expect(await tradesKnown()).toContain('T2');
  },
);

test('promise 3: an acknowledged SUCCESS of a trade whose number was refused to us is known where its run was terminated and another trade is notified', async () => {
  await begin({ takesNumbersTwice: false });
  const other = madeByAnother();
  await pay(MINUTE);
  expect(answers()).toEqual(['DuplicateOrderError']);
  await cutOff(
    () => world.notify(other),
    () => paid(other),
  );
  world.notify(madeByAnother());
  await world.pass(10 * HOUR);
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T1']), ['second-trade']]);
});

test('promise 6: a late sale of a trade whose number was refused to us stays sold where it is reset and the gateway has forgotten it', async () => {
  await begin({ takesNumbersTwice: false, forgetsAfter_ms: 12 * HOUR });
  const other = madeByAnother();
  await pay(MINUTE);
  world.notify(other);
  await world.pass(MINUTE);
  world.gateway.move(other, 'CANCEL');
  world.notify(other);
  await world.pass(HOUR);
  paid(other);
  await world.pass(HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
  await world.pass(DAY);
  world.reset();
  await world.pass(HOUR);
  expect((await stateNow()).outcome).toBe('SUCCESS');
});

test('promise 3: what a run was given by the run before it is known after it was terminated before its first task', async () => {
  await begin();
  const first = madeByAnother();
  const { out_trade_no, trade_no } = madeByAnother('SUCCESS');
  const claim = { app_id: 'hostile', out_trade_no, trade_no, trade_status: 'SUCCESS', amount: AMOUNT, currency: 'BRL' };
  // As reopenFor and a broken start continue: what was acknowledged stands in the input, and in no signal of this run.
  const adopted = { kind: 'adopt', app_id: 'hostile', out_trade_no, trade_no: first.trade_no };
  const input = { ...adopted, pending_notifications: [claim] };
  await cutOff(
    () => world.start('ALLOW_DUPLICATE', world.workflowId, [input]),
    () => {},
  );
  world.notify(first);
  await world.pass(10 * HOUR);
  expect(await tradesKnown()).toContain('T2');
});

// — A run that only watched a trade of others is no earlier run —
// Lost: money that the merchant was told would not come is an ordinary sale (goods go out twice, or nobody gives it back); a trade that
// was notified, and of two trades under a number nobody hears.

test.each([
  ['its run was reset', () => world.reset()],
  ['its number was adopted once more', () => world.adopt()],
])(
  'promise 8: money of an adopted trade that a person has ended as CANCEL is told as late where %s',
  async (_how, act) => {
    await begin();
    const other = madeByAnother();
    world.notify(other);
    await world.pass(10 * MINUTE);
    await world.resolve('CANCEL');
    await world.pass(MINUTE);
    expect(await outcomeNow()).toBe('CANCEL');
    act();
    await world.pass(5 * MINUTE);
    paid(other);
    await world.pass(10 * HOUR);
    expect(await outcomeNow()).toBe('SUCCESS');
    expect(attentions()).toContain('late-payment');
  },
);

test('promise 3: an acknowledged SUCCESS of an adopted trade is known where its run was terminated and its number adopted', async () => {
  await begin();
  const other = madeByAnother();
  await cutOff(
    () => world.notify(other),
    () => paid(other),
  );
  madeByAnother();
  world.adopt();
  await world.pass(10 * HOUR);
  expect(await tradesKnown()).toContain('T1');
});

test('promise 1: of two adopted trades the first is known where its run was terminated before the second was notified', async () => {
  await begin();
  world.notify(madeByAnother());
  await world.pass(MINUTE);
  world.terminate();
  await world.pass(MINUTE);
  world.notify(madeByAnother());
  await world.pass(10 * HOUR);
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T1', 'T2']), ['second-trade']]);
});

// — Earlier runs that cannot be read for ten minutes are none —
// Lost: the sale. Whoever asks is told of another system's trade, or that the order broke a rule, and before nobody.

test('promise 3: a sale is not hidden by an adoption of its number in an hour without the list of workflows', async () => {
  await begin();
  await sell();
  madeByAnother();
  const mend = listIsDown();
  world.adopt();
  await world.pass(HOUR);
  mend();
  await world.pass(10 * HOUR);
  const { outcome, trade_no, attention } = await stateNow();
  expect({ outcome, trade_no, attention }).not.toEqual({ outcome: null, trade_no: 'T2', attention: null });
});

test('promise 3: a sale is not hidden by a broken start in an hour without the list of workflows', async () => {
  await begin();
  await sell();
  const mend = listIsDown();
  await startBroken(HOUR);
  mend();
  await world.pass(HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
});

// — One payment, two events SUCCESS —
// Lost: goods, where a merchant delivers on each event SUCCESS and keeps their ids, as docs/events.md asks.

test('the contract: a payment of another amount that a person calls SUCCESS is told once', async () => {
  await begin();
  await pay(MINUTE);
  Object.assign(tradeAt(0), { amount: '1.00' });
  paid(tradeAt(0));
  await world.pass(10 * MINUTE);
  await world.resolve('SUCCESS');
  await world.pass(HOUR);
  const told = world.events.flatMap((event) =>
    'transition' in event && event.transition?.to === 'SUCCESS' ? [event.id] : [],
  );
  expect(told).toHaveLength(1);
});

// — Two trades are notified while the gateway refuses every query —
// Lost: a person's word on the second trade, for as long as nobody mends the credentials.

test('promise 1: of two trades that were notified a person hears although the gateway answers no query', async () => {
  const steps = [{ do: 'queries refused for good', kind: 'credentials' } as const, another(false), another(false)];
  const traits = { takesNumbersTwice: false, shows: 'the first', forgetsAfter_ms: 4 * HOUR } as const;
  // The chance of a random story that was red.
  const told = { ...story([...steps, wait(10 * HOUR)], traits), chance: 1207150565 };
  expect(await brokenIn(told)).toEqual([]);
});
