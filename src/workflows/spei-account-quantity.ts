/** Watches how many virtual accounts an app has left to create, and tells a person when they become few. One per app. */
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { accountPolicy, askQuantity, watchQuantity } from './account-activities';
import type { SpeiAccountQuantityState } from './account-contract';
import { AccountAttributes, quantityDetails } from './account-visibility';
import { FAILURE, QUERY, UPDATE } from './contract';

export const speiAccountQuantityStateQuery = defineQuery<SpeiAccountQuantityState>(QUERY.state);
export const recheckQuantityUpdate = defineUpdate<SpeiAccountQuantityState>(UPDATE.recheck);

const ANSWER_WAIT_MS = 30_000;

/** Never returns. */
export async function speiAccountQuantity({ app_id }: { app_id: string }): Promise<void> {
  const { low_quantity: low, quantity_every_ms: every_ms } = await accountPolicy();
  const state: SpeiAccountQuantityState = { app_id, available_quantity: null, low, checked_at: null, attention: null };
  const attributes = new AccountAttributes();
  let wanted = 1;
  let answered = 0;

  const take = (quantity: number) => {
    state.available_quantity = quantity;
    state.checked_at = new Date().toISOString();
    state.attention = quantity < low ? 'few-accounts' : null;
    attributes.update(null, state.attention);
    quantityDetails(state);
  };
  const look = async () => {
    const mine = wanted;
    take(await askQuantity({ app_id }));
    answered = mine;
  };
  /** Waits for another number, or for somebody who wants to know. */
  const watch = async (seen: number) => {
    const scope = new CancellationScope();
    const isWanted = condition(() => answered < wanted).then(() => scope.cancel());
    try {
      take(await scope.run(() => watchQuantity({ app_id, seen, every_ms })));
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await isWanted;
    }
  };

  setHandler(speiAccountQuantityStateQuery, () => state);
  setHandler(recheckQuantityUpdate, async () => {
    const mine = ++wanted;
    if (await condition(() => answered >= mine, ANSWER_WAIT_MS, { summary: 'recheck' })) return state;
    throw ApplicationFailure.create({
      type: FAILURE.pending,
      message: `The gateway has not said yet how many virtual accounts app ${app_id} has left; ask again.`,
      nonRetryable: true,
    });
  });

  while (!workflowInfo().continueAsNewSuggested) {
    if (answered < wanted || state.available_quantity === null) await look();
    else await watch(state.available_quantity);
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof speiAccountQuantity>({ app_id });
}
