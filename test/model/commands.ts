/** What can happen to a payment, as commands that fast-check plays in any order. */
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import fc from 'fast-check';
import { HOUR, MINUTE } from '../../src/gateway/durations';
import type { PaymentData, PaymentInput, PaymentState } from '../../src/workflows';
import { AMOUNT, type World } from './world';

/** The reference model: the least that says which command makes sense. */
export interface Model {
  /** Whether the trade can still move; a gateway's trade ends once. */
  open: boolean;
  /** Whether an operator may still decide. */
  resolved: boolean;
  alwaysUp: boolean;
}

type Step = fc.AsyncCommand<Model, World>;

const step = (
  name: string,
  run: (model: Model, world: World) => Promise<void>,
  check = (_: Readonly<Model>) => true,
): Step => ({
  check,
  run,
  toString: () => name,
});

const wait = (ms: number): Step => step(`wait ${ms / 1000} s`, async (_, world) => world.pass(ms));

/** The gateway moves the trade, if there is one. */
const moves = (status: string, amount = AMOUNT): Step =>
  step(
    `gateway: ${status} ${amount}`,
    async (model, world) => {
      if (world.status !== 'PROCESSING') return;
      await world.move(status, amount);
      model.open = false;
    },
    ({ open }) => open,
  );

/** A buyer who pays without a hitch, after the payment's end as well. */
const notifiesTruth = step('notify the truth', async (_, world) => {
  if (world.status) await world.notify(world.status);
});
const notifies = (status: string): Step => step(`notify ${status}`, (_, world) => world.notify(status));

const goesDown = (ms: number): Step =>
  step(`gateway down for ${ms / 60_000} min`, async (model, world) => {
    model.alwaysUp = false;
    world.isDown = true;
    await world.pass(ms);
    world.isDown = false;
  });

const asksAgain = step('the same order again', async (_, world) => {
  const answer = await created(world, world.input);
  if (answer) expect(answer).toMatchObject({ out_trade_no: world.out_trade_no });
  const again = await created(world, world.input);
  if (answer && again) expect(again).toEqual(answer);
});

const asksOther = step('another order under this number', async (_, world) => {
  const { input } = world;
  if (input.kind === 'adopt') return;
  const other = { ...input, request: { ...input.request, order_amount: '151.00' } };
  const refusal: unknown = await world.handle.executeUpdate('created', { args: [other] }).catch((error) => error);
  if (refusal instanceof WorkflowNotFoundError) return;
  expect(refusal).toMatchObject({ cause: { type: 'DifferentRequest', details: [{ fields: ['order_amount'] }] } });
});

const rechecks = step('recheck', async (_, world) => {
  if (world.isDown || !world.status) return;
  await unlessOver(async () => {
    const asked = await world.handle.startUpdate('recheck', { waitForStage: 'ACCEPTED' });
    let isAnswered = false;
    const answer = asked.result().finally(() => {
      isAnswered = true;
    });
    // The gateway may not find the order for a while, and the server's clock stands still unless somebody lets it run.
    while (!isAnswered) await Promise.race([answer, world.pass(MINUTE)]);
  });
});

const resolves = step(
  'a person decides',
  async (model, world) => {
    const resolution = { outcome: 'CANCEL', reason: 'a test', by: 'model' };
    model.resolved = true;
    await unlessOver(() => world.handle.executeUpdate<PaymentState, [object]>('resolve', { args: [resolution] }));
  },
  ({ resolved }) => !resolved,
);

async function created(world: World, input: PaymentInput): Promise<PaymentData | undefined> {
  return unlessOver(async () => {
    const update = await world.handle.startUpdate<PaymentData, [PaymentInput]>('created', {
      waitForStage: 'ACCEPTED',
      args: [input],
    });
    // It waits for the gateway by the server's clock, which stands still unless somebody lets it run.
    await world.pass(31_000);
    return update.result();
  });
}

/** What happens after the end, or fails as it may, is not this command's business. */
async function unlessOver<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError) return undefined;
    throw error;
  }
}

const MINUTES = [1, 10, 45, 90, 200].map((m) => m * MINUTE);

export const steps: fc.Arbitrary<Step>[] = [
  fc.constantFrom(5_000, 20_000, ...MINUTES, 10 * HOUR).map(wait),
  fc.constant(moves('SUCCESS')),
  fc.constant(moves('SUCCESS', '15.00')),
  fc.constantFrom('REFUSED', 'CANCEL', 'EXPIRED').map((status) => moves(status)),
  fc.constant(notifiesTruth),
  fc.constantFrom('SUCCESS', 'CANCEL', 'PROCESSING', 'INITIAL', 'CHARGEBACK').map(notifies),
  fc.constantFrom(...MINUTES).map(goesDown),
  fc.constant(asksAgain),
  fc.constant(asksOther),
  fc.constant(rechecks),
  fc.constant(resolves),
];
