/** Attacks with requests that are still on their way when somebody decides. */
import { refundWorkflowId } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { RunningRefund } from '../../../../src/workflows/after-sale/refund/record';
import { APP } from '../../hostile/base-world';
import { TRADE } from './gateway';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => world?.close());

const goneBack = () => world.gateway.gone().toFixed(2);

/** Somebody ends the workflow of the refund `a`, not a moment after it was sent. */
async function terminateRefund() {
  await world.pass(1_000);
  await world.within(async () => world.temporal.latest(refundWorkflowId(APP, TRADE.out_trade_no, 'a'))?.terminate());
  await world.pass(1_000);
}

test.each(['NOT_CREATED', 'REFUND_REFUSED'] as const)(
  'promise 7: %s of a refund whose workflow was terminated does not count while its request may be on its way',
  async (outcome) => {
    // The merchant gives 300.00 back of 150.00: the dashboard shows no refund, because it comes 20 s later.
    await open({ mishaps: ['carried out late'] });
    world.ask({ amount: '150.00', number: 'a' });
    await terminateRefund();
    world.resolve({ outcome, out_request_no: 'a' });
    await world.pass(5_000);
    world.ask({ amount: '150.00', number: 'b' });
    await world.pass(HOUR);
    expect(goneBack()).toBe('150.00');
    expect(world.told.find(({ is }) => is === 'not resolved')).toMatchObject({
      message: expect.stringContaining('may still be on its way'),
    });
    // Later the dashboard shows it, and that is believed.
    world.resolve({ outcome: 'REFUNDED', out_request_no: 'a' });
    await world.pass(HOUR);
    expect(await world.state()).toMatchObject({ refunded_amount: '150.00' });
  },
);

test('promise 8: NOT_CREATED of a refund whose workflow was terminated counts once no request of it can be on its way', async () => {
  await open({ mishaps: ['lost before it arrived'] });
  world.ask({ amount: '150.00', number: 'a' });
  await terminateRefund();
  await world.pass(2 * MINUTE);
  world.resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' });
  await world.pass(MINUTE);
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ refunded_amount: '150.00' });
});

test.each([
  ['NOT_CREATED', true],
  ['REFUND_REFUSED', true],
  ['REFUND_REVOKE', true],
  ['REFUNDED', false],
] as const)('promise 7: %s of a refund that was sent since the person looked is outdated: %p', async (outcome, is) => {
  // Each of the first three makes its amount free, and another refund gives it back once more.
  await open();
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(HOUR);
  const [entry] = (await world.state())?.refunds ?? [];
  if (!entry) throw new Error('there is no refund');
  const decision = { by: 'ana', reason: 'the dashboard', outcome, out_request_no: 'a', sent_at: null };
  expect(new RunningRefund({ ...entry, outcome: null }).isOutdated(decision, world.now)).toBe(is);
});
