/** Attacks on promises 4 and 8: each word of the bank is asked about, and settled by nobody who has read something else. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const tell = (status: string) => world.deliver({ at: world.now, status, number: undefined });

test('promise 4: a second dispute, ten days after a first one that was decided and won, is before a person', async () => {
  await open();
  world.gateway.move('DISPUTE');
  world.notify('all');
  await world.pass(HOUR);
  expect((await world.state())?.attention).toBe('dispute');
  world.resolve({});
  await world.pass(HOUR);
  world.gateway.move('SUCCESS');
  await world.pass(10 * DAY);
  world.gateway.move('DISPUTE');
  world.notify('all');
  await world.pass(DAY);
  expect(world.acknowledged.filter(({ status }) => status === 'DISPUTE')).toHaveLength(2);
  expect((await world.state())?.attention).toBe('dispute');
});

test('promise 4: a second chargeback, ten days after a first one that was decided and reversed unheard, is before a person', async () => {
  await open();
  world.gateway.move('CHARGEBACK');
  world.notify('all');
  await world.pass(HOUR);
  world.resolve({});
  await world.pass(HOUR);
  world.gateway.move('CHARGEBACK_REVERSED');
  world.gateway.move('SUCCESS');
  await world.pass(10 * DAY);
  world.gateway.move('CHARGEBACK');
  tell('CHARGEBACK');
  await world.pass(DAY);
  expect((await world.state())?.attention).toBe('chargeback');
});

test('promise 4: a dispute after a decided chargeback is before a person, although the query is 2 s behind and an earlier dispute was shown', async () => {
  await open({ lag_ms: 2_000 });
  for (const status of ['DISPUTE', 'CHARGEBACK']) {
    world.gateway.move(status);
    tell(status);
    await world.pass(HOUR);
    world.resolve({});
    await world.pass(HOUR);
  }
  await world.pass(10 * DAY);
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(10 * DAY);
  expect((await world.state())?.attention).not.toBeNull();
});

test('promise 8: naming once more what went back elsewhere does not settle a chargeback that came a moment before', async () => {
  await open();
  world.desk('50.00', 0);
  world.notify('all');
  await world.pass(HOUR);
  // Two people answer the same question.
  world.nameElsewhere();
  await world.pass(MINUTE);
  world.gateway.move('CHARGEBACK');
  tell('CHARGEBACK');
  await world.temporal.clock.pass(1_000);
  world.nameElsewhere();
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ trade_status: 'CHARGEBACK', attention: 'chargeback' });
});
