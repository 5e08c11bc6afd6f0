/** Watches how many virtual accounts an app has left to create, and tells a person when they become few. One per app. */
import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { accountPolicy, askQuantity, watchQuantity } from './account-activities';
import type { SpeiAccountQuantityState } from './account-contract';
import { AccountAttributes, quantityDetails } from './account-visibility';
import { FAILURE, QUERY, UPDATE } from './contract';
import { pollUntil } from './polling';
import { Rechecks } from './rechecks';

export const speiAccountQuantityStateQuery = defineQuery<SpeiAccountQuantityState>(QUERY.state);
export const recheckQuantityUpdate = defineUpdate<SpeiAccountQuantityState>(UPDATE.recheck);

const ANSWER_WAIT_MS = 30_000;

/** Never returns. */
export async function speiAccountQuantity({ app_id }: { app_id: string }): Promise<void> {
  const { low_quantity: low, quantity_every_ms: every_ms } = await accountPolicy();
  const state: SpeiAccountQuantityState = { app_id, available_quantity: null, low, checked_at: null, attention: null };
  const attributes = new AccountAttributes();
  const rechecks = new Rechecks();

  const take = (quantity: number) => {
    state.available_quantity = quantity;
    state.checked_at = new Date().toISOString();
    state.attention = quantity < low ? 'few-accounts' : null;
    attributes.update(null, state.attention);
    quantityDetails(state);
  };
  const look = () => rechecks.looking(async () => take(await askQuantity({ app_id })));
  /** Waits for another number, or for somebody who wants to know. */
  const watch = async (seen: number) => {
    const news = await pollUntil(
      () => watchQuantity({ app_id, seen, every_ms }),
      () => rechecks.wantsCheck,
    );
    if (typeof news === 'number') take(news);
  };

  setHandler(speiAccountQuantityStateQuery, () => state);
  setHandler(recheckQuantityUpdate, async () => {
    if (await condition(rechecks.ask(), ANSWER_WAIT_MS, { summary: 'recheck' })) return state;
    throw ApplicationFailure.create({
      type: FAILURE.pending,
      message: `The gateway has not said yet how many virtual accounts app ${app_id} has left; ask again.`,
      nonRetryable: true,
    });
  });

  while (!workflowInfo().continueAsNewSuggested || rechecks.wantsCheck) {
    if (rechecks.wantsCheck || state.available_quantity === null) await look();
    else await watch(state.available_quantity);
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof speiAccountQuantity>({ app_id });
}
