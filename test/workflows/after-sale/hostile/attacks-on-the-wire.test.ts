/** Attacks with requests that are still on their way when somebody decides. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const goneBack = () => world.gateway.gone().toFixed(2);

/** Somebody ends the after-sale a moment after it has sent the refund. */
async function terminate() {
  await world.pass(1_000);
  world.terminate();
  await world.pass(1_000);
}

test.each(['NOT_CREATED', 'REFUND_REFUSED'] as const)(
  'promise 7: %s of a refund whose after-sale was terminated does not count while its request may be on its way',
  async (outcome) => {
    // The merchant gives 300.00 back of 150.00: the dashboard shows no refund, because it comes 20 s later.
    await open({ mishaps: ['carried out late'] });
    world.ask({ amount: '150.00', number: 'a' });
    await terminate();
    world.resolve({ outcome, out_request_no: 'a' });
    await world.pass(5_000);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(HOUR);
    expect(goneBack()).toBe('150.00');
    expect(world.told.find(({ is }) => is === 'not resolved')).toMatchObject({
      message: expect.stringContaining('less than two minutes ago'),
    });
    // Later the dashboard shows it, and that is believed.
    world.resolve({ outcome: 'REFUNDED', out_request_no: 'a' });
    await world.pass(HOUR);
    expect(await world.state()).toMatchObject({ refunded_amount: '150.00' });
  },
);

test('promise 8: NOT_CREATED of a refund whose after-sale was terminated counts once no request of it can be on its way', async () => {
  await open({ mishaps: ['lost before it arrived'] });
  world.ask({ amount: '150.00', number: 'a' });
  await terminate();
  await world.pass(2 * MINUTE);
  world.resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' });
  await world.pass(MINUTE);
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ refunded_amount: '150.00' });
});
