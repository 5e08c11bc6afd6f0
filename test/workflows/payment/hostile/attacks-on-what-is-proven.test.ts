/** Attacks on money that somebody has named and nobody has believed, on busy gateways, and on the button Cancel. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  attentions,
  begin,
  end,
  madeByAnother,
  outcomeNow,
  paid,
  pay,
  sell,
  stateNow,
  tradeAt,
  world,
} from './attack-world';
import { AMOUNT } from './world';

const SECOND = 1_000;
afterEach(end);

const broken = () => world.start('ALLOW_DUPLICATE', world.workflowId, [{ kind: 'direct', app_id: 'hostile' }]);

// — A SUCCESS that was never believed counts as known once a person, or a deadline, has ended the payment —
// Lost: the buyer's money, acknowledged or not. The merchant was told CANCEL and delivers nothing; nobody is told, nobody polls.

/** The answer to the creation says SUCCESS; queries show what the ledger says. `charges`: it is true. */
function saysSuccess(charges: boolean): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const response = await post(path, headers, text);
    if (path !== '/trade/pay') return response;
    if (charges) gateway.move(tradeAt(0), 'SUCCESS');
    const body = new TextDecoder().decode(response.body).replace('"PROCESSING"', '"SUCCESS"');
    return { ...response, body: new TextEncoder().encode(body) };
  };
}

test.each([
  [3, 'is notified and acknowledged', true],
  [5, 'is not notified', false],
])(
  'promise %s: money that comes after a person’s CANCEL, and %s, is before a person where the creation’s answer had said SUCCESS too early',
  async (_promise, _how, isNotified) => {
    await begin();
    saysSuccess(false);
    await pay(10 * MINUTE);
    expect((await stateNow()).outcome).toBe(null);
    await world.resolve('CANCEL');
    await world.pass(HOUR);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    if (isNotified) world.notify(tradeAt(0));
    await world.pass(10 * HOUR);
    expect(world.acknowledged).toHaveLength(isNotified ? 1 : 0);
    expect([(await stateNow()).outcome, attentions()]).not.toEqual(['CANCEL', []]);
  },
);

test('promise 5: a card that was charged at once is before a person where copies lag 20 minutes and a person says CANCEL meanwhile', async () => {
  await begin({ lag_ms: 20 * MINUTE });
  saysSuccess(true);
  await pay(15 * MINUTE);
  await world.resolve('CANCEL');
  await world.pass(10 * HOUR);
  expect([(await stateNow()).outcome, attentions().filter((one) => one !== 'unknown-trade')]).not.toEqual([
    'CANCEL',
    [],
  ]);
});

test('promise 3: an acknowledged SUCCESS after EXPIRED, which a person has settled, is before a person where the creation’s answer had said SUCCESS too early', async () => {
  await begin();
  saysSuccess(false);
  await pay(2 * DAY);
  expect(await outcomeNow()).toBe('EXPIRED');
  await world.resolve('EXPIRED');
  await world.pass(MINUTE);
  world.attentions.length = 0;
  paid(tradeAt(0));
  await world.pass(10 * HOUR);
  expect(world.acknowledged).toHaveLength(1);
  expect([(await stateNow()).outcome, attentions()]).not.toEqual(['EXPIRED', []]);
});

test('promise 3: the ordered amount that is acknowledged after a person said CANCEL of 1.00 is before a person', async () => {
  await begin();
  await pay(MINUTE);
  Object.assign(tradeAt(0), { amount: '1.00' });
  paid(tradeAt(0));
  await world.pass(10 * MINUTE);
  expect(attentions()).toEqual(['amount-mismatch']);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  Object.assign(tradeAt(0), { amount: AMOUNT });
  paid(tradeAt(0));
  await world.pass(10 * HOUR);
  expect(world.acknowledged.map(({ amount }) => amount)).toEqual(['1.00', AMOUNT]);
  expect([(await stateNow()).outcome, attentions()]).not.toEqual(['CANCEL', ['amount-mismatch']]);
});

// Lost: the merchant's books: an event says that the payment's outcome is SUCCESS; its state, and everybody else, say CANCEL.
test('promise 4: no event calls a payment sold that a person has ended as CANCEL', async () => {
  await begin();
  saysSuccess(false);
  await pay(10 * MINUTE);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  world.notify(tradeAt(0), 'CHARGEBACK');
  await world.pass(10 * HOUR);
  const payments = world.events.flatMap((event) => ('payment' in event ? [event.payment.outcome] : []));
  expect(payments).not.toContain('SUCCESS');
});

// — An order that a busy gateway made all the same is forgotten where no later try is a duplicate —
// Lost: the buyer's money. The merchant is told that nothing was charged, and sells again under a new number.

test.each([
  ['the second try was refused for good', ['temporary', 'refused for good'] as const, async () => {}],
  ['the order was withdrawn', ['temporary'] as const, async () => world.withdraw()],
  [
    'the gateway was unreachable for the rest of its time',
    ['temporary'] as const,
    async () => {
      world.gateway.trouble = 'unreachable';
      await world.pass(2 * HOUR);
      world.gateway.trouble = undefined;
    },
  ],
])(
  'promise 2: money of an order that a busy gateway made all the same is found where %s',
  async (_how, creations, act) => {
    await begin({ creations, takesNumbersTwice: false });
    await pay(SECOND / 5);
    expect(world.gateway.exchanges.map(({ answered }) => answered)).toEqual(['temporary']);
    const ours = world.gateway.make({ out_trade_no: world.out_trade_no, amount: AMOUNT }, 'us');
    await act();
    await world.pass(10 * MINUTE);
    world.gateway.move(ours, 'SUCCESS');
    await world.pass(10 * HOUR);
    expect([(await stateNow()).trade_no, attentions().filter((one) => one !== 'no-answer')]).not.toEqual([null, []]);
  },
);

// — A broken start that somebody cancels takes with it what was acknowledged: docs/operations.md calls a cancel of a payment safe —
// Lost: the buyer's money, acknowledged; nobody polls, nobody is told.

test.each([
  ['of an order of ours', true],
  ['that was made elsewhere', false],
])(
  'promise 3: an acknowledged SUCCESS %s is not lost where the broken start that had it is canceled',
  async (_of, isOurs) => {
    await begin();
    if (isOurs) {
      await pay(MINUTE);
      world.terminate();
    } else madeByAnother();
    await world.leaveWithoutWorker(MINUTE);
    broken();
    await world.pass(SECOND);
    paid(tradeAt(0));
    await world.pass(SECOND);
    world.cancel();
    await world.pass(24 * HOUR);
    expect(world.acknowledged).toHaveLength(1);
    expect([(await stateNow()).outcome, attentions()]).not.toEqual([null, []]);
  },
);

// — A relay of events that somebody cancels drops them —
// Lost: goods: the merchant never hears of SUCCESS. docs/operations.md names what must not be canceled, and not this one.

test('the contract: events that the merchant’s handler refused are told although somebody has canceled their relay', async () => {
  await begin({ deafFor: 40 });
  await sell();
  const relay = world.runs.find(({ start, isRunning }) => start.type === 'paymentEvents' && isRunning);
  expect(relay).toBeDefined();
  relay?.requestCancel('the button');
  await world.pass(DAY);
  expect(world.events.map(({ id }) => id)).toContainEqual(expect.stringContaining('SUCCESS'));
});

// — A follow-up that somebody has canceled refuses every recheck, and says that others wait —
// Lost: a person's time: the watch goes on, and nobody can ask it to look now any more.

test('promise 8: a follow-up answers rechecks after somebody has canceled it', async () => {
  await begin();
  await pay(10 * MINUTE);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  const followUp = world.runs.find(({ start, isRunning }) => start.type === 'paymentFollowUp' && isRunning);
  followUp?.requestCancel('the button');
  await world.pass(MINUTE);
  for (let i = 0; i < 7; i += 1) {
    world.recheck();
    await world.pass(10 * MINUTE);
  }
  expect(world.told.flatMap((one) => (one.is === 'recheck failed' ? [one.message] : []))).toEqual([]);
});
