/** What can happen to a payment, as commands that fast-check plays in any order. */
import fc from 'fast-check';
import { DAY, HOUR, MINUTE } from '../../src/gateway/durations';
import type { PaymentData } from '../../src/workflows';
import { UpdateFailed } from '../simulated/temporal';
import { AMOUNT, type World } from './world';

/** The reference model: the least that says which command makes sense. */
export interface Model {
  /** Whether the trade can still move; a gateway's trade ends once. */
  open: boolean;
  /** Whether an operator may still decide. */
  resolved: boolean;
}

type Step = fc.AsyncCommand<Model, World>;

const step = (
  name: string,
  run: (model: Model, world: World) => Promise<unknown> | unknown,
  check = (_: Readonly<Model>) => true,
): Step => ({
  check,
  run: async (model, world) => {
    await run(model, world);
  },
  toString: () => name,
});

const wait = (ms: number): Step => step(`wait ${ms / 1000} s`, async (_, world) => world.pass(ms));

/** The gateway moves the trade, if there is one. */
const moves = (status: string, amount = AMOUNT): Step =>
  step(
    `gateway: ${status} ${amount}`,
    (model, world) => {
      if (world.status !== 'PROCESSING') return;
      world.move(status, amount);
      model.open = false;
    },
    ({ open }) => open,
  );

/** Money that comes when the trade had ended without any. */
const paysLate = step('gateway: SUCCESS after all', async (_, world) => {
  if (world.status !== 'EXPIRED' && world.status !== 'CANCEL') return;
  world.move('SUCCESS');
  await world.notify('SUCCESS');
});

const notifiesTruth = (times: number): Step =>
  step(`notify the truth, ${times} at once`, async (_, world) => {
    if (world.status) await world.notify(world.status, times);
  });
const notifies = (status: string): Step => step(`notify ${status}`, (_, world) => world.notify(status));
const notifiesBoth = step('notify SUCCESS and CANCEL at once', async (_, world) => {
  await world.notify('SUCCESS');
  await world.notify('CANCEL');
});

const losesWorker = (after_ms: number): Step =>
  step(`the worker is killed after ${after_ms} ms`, async (_, world) => {
    await world.pass(after_ms);
    await world.temporal.killWorker();
  });

const goesDown = (ms: number): Step =>
  step(`gateway down for ${ms / 60_000} min`, async (_, world) => {
    world.isDown = true;
    await world.pass(ms);
    world.isDown = false;
  });

const asksAgain = step('the same order again', async (_, world) => {
  const answer = await world.update<PaymentData>('created', MINUTE, world.input);
  if (!answer) return;
  expect(answer).toMatchObject({ out_trade_no: world.out_trade_no });
  const again = await world.update<PaymentData>('created', MINUTE, world.input);
  if (again) expect(again).toEqual(answer);
});

const asksOther = step('another order under this number', async (_, world) => {
  const { input } = world;
  const other = { ...input, request: { ...input.request, order_amount: '151.00' } };
  const asked = world.temporal.update(world.workflowId, 'created', other);
  if (!asked) return;
  const refusal: unknown = await world.temporal.answerTo(asked, MINUTE).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UpdateFailed);
  const cause = refusal instanceof UpdateFailed ? refusal.cause : undefined;
  // Nothing is known yet of a trade that was made elsewhere, and an order that was never made has its own failure.
  const { failure, start } = world.run ?? {};
  if (failure || start?.args[0] === undefined || world.isAdopted) return;
  expect(cause).toMatchObject({ type: 'DifferentRequest', details: [{ fields: ['order_amount'] }] });
});

const rechecks = step('recheck', async (_, world) => {
  // The gateway may not find the order for a while.
  if (!world.isDown && world.status) await world.update('recheck', 4 * DAY);
});

const resolves = step(
  'a person decides',
  async (model, world) => {
    model.resolved = true;
    await world.resolve('CANCEL');
  },
  ({ resolved }) => !resolved,
);

const MINUTES = [1, 10, 45, 90, 200].map((m) => m * MINUTE);

export const steps: fc.Arbitrary<Step>[] = [
  fc.constantFrom(5_000, 20_000, ...MINUTES, 10 * HOUR).map(wait),
  fc.constant(moves('SUCCESS')),
  fc.constant(moves('SUCCESS', '15.00')),
  fc.constantFrom('REFUSED', 'CANCEL', 'EXPIRED').map((status) => moves(status)),
  fc.constant(paysLate),
  fc.constantFrom(1, 7).map(notifiesTruth),
  fc.constantFrom('SUCCESS', 'CANCEL', 'PROCESSING', 'INITIAL', 'CHARGEBACK').map(notifies),
  fc.constant(notifiesBoth),
  fc.nat(5_000).map(losesWorker),
  fc.constantFrom(...MINUTES).map(goesDown),
  fc.constant(asksAgain),
  fc.constant(asksOther),
  fc.constant(rechecks),
  fc.constant(resolves),
];
