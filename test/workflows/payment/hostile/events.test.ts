/** Events of a payment: each once, and none is lost. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { begin, end, paid, pay, sell, tradeAt, world } from './acts';

/** The steps of which the merchant heard. */
const heard = () => world.events.flatMap((event) => (event.type === 'transition' ? [event.transition.to] : []));
afterEach(end);
afterEach(() => (world ? end() : undefined));

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
    event.type === 'transition' && event.transition.to === 'SUCCESS' ? [event.id] : [],
  );
  expect(told).toHaveLength(1);
});

// — Money of another amount is called SUCCESS twice where the trade moved on before a person decided —

test('events: a merchant hears one SUCCESS where a trade of another amount was disputed before a person called it sold', async () => {
  await begin();
  await pay(MINUTE);
  Object.assign(tradeAt(0), { amount: '100.00' });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  world.gateway.move(tradeAt(0), 'DISPUTE');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  await world.resolve('SUCCESS');
  await world.pass(HOUR);
  expect(heard().filter((to) => to === 'SUCCESS')).toHaveLength(1);
});

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

// — What merchants are told —

test('promise 8: after a reset the event SUCCESS has an id of its own', async () => {
  await begin();
  await pay(MINUTE);
  world.gateway.trouble = 'credentials';
  await world.pass(10 * MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(10 * MINUTE);
  world.reset();
  await world.pass(5 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  const heard = new Map<string, string>();
  for (const event of world.events) {
    const said = event.type === 'transition' ? event.transition.to : event.type;
    if (!heard.has(event.id)) heard.set(event.id, said);
  }
  expect([...heard.values()]).toContain('SUCCESS');
});

test.each(['carried out late', 'none'] as const)(
  'events of an order whose creation was %s, and whose gateway could not be reached then',
  async (first) => {
    await begin({
      takesNumbersTwice: false,
      lag_ms: 120_000,
      shows: 'the first',
      creations: [first, ...Array(8).fill('unreachable')],
      late_ms: 300_000,
      notifies_ms: 20_000,
    });
    for (const ms of [5 * MINUTE, 2 * MINUTE, MINUTE, 2 * MINUTE, 20 * MINUTE, HOUR, 15 * HOUR, 5 * DAY]) {
      await (ms === 5 * MINUTE ? pay(ms) : world.pass(ms));
    }
  },
);
