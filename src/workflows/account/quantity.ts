/** The workflow `speiAccountQuantity`: watches how many virtual accounts an app can still create. One per app. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountPolicy, Silence, SpeiAccountQuantityState, Wait } from '../../contract';
import { ANSWER_WAIT_MS, FAILURE, QUERY, typedFailure, UPDATE } from '../../contract';
import { pollUntil } from '../shared/polling';
import { RecheckRequests } from '../shared/recheck-requests';
import { assertResolution } from '../shared/request-rules';
import { shownWait } from '../shared/wait';
import { accountGateway, accountPolicy, untilGatewayAnswers } from './activities';
import { AccountVisibility } from './visibility';
import { Waiting } from './waiting';

const speiAccountQuantityStateQuery = defineQuery<SpeiAccountQuantityState>(QUERY.state);
const recheckQuantityUpdate = defineUpdate<SpeiAccountQuantityState>(UPDATE.recheck);
const resolveQuantityUpdate = defineUpdate<SpeiAccountQuantityState, [{ by: string; reason: string }]>(UPDATE.resolve);

interface QuantityInput {
  app_id: string;
  /** The run before's wait for a person: since when, and who has taken it on. */
  wait?: Wait<NonNullable<SpeiAccountQuantityState['attention']>> | null | undefined;
  seen?: number | null | undefined;
}

/** Never returns. Raises `few-accounts` if fewer are left than the setting allows. */
export async function speiAccountQuantity({ app_id, wait, seen = null }: QuantityInput): Promise<void> {
  const state: SpeiAccountQuantityState = { ...unknownQuantity(app_id), seen };
  const visibility = new AccountVisibility();
  const rechecks = new RecheckRequests();

  const show = () => {
    waiting.note();
    visibility.showQuantity(state);
  };
  const waiting = new Waiting(state, show, wait);
  const take = (quantity: number) => {
    state.available_quantity = quantity;
    state.checked_at = new Date().toISOString();
    judge(quantity);
  };
  const judge = (quantity: number) => {
    const isFew = quantity < (state.low ?? 0);
    const seen = state.seen ?? Number.POSITIVE_INFINITY;
    // Another setting alone does not undo what a person has seen: two workers may have different settings for long.
    if (!isFew && quantity > seen) state.seen = null;
    state.attention = isFew && quantity < seen ? 'few-accounts' : null;
    show();
  };
  let policy: AccountPolicy;
  const follow = (changed: AccountPolicy) => {
    policy = changed;
    state.low = changed.low_quantity;
  };
  const onSilence = (why: Silence) => {
    state.attention = why;
    show();
  };
  const ask = (within_ms: number) => accountGateway.quantity({ app_id }, within_ms);
  const look = () => rechecks.fulfil(async () => take(await untilGatewayAnswers(policy.patience_ms, ask, onSilence)));
  /** Waits for another number, for other settings, or for a recheck. */
  const watch = async (known: number) => {
    const news = await pollUntil(() => accountGateway.watchQuantity({ app_id, seen: known, policy }), {
      isInterrupted: () => rechecks.isRequested,
    });
    if (typeof news === 'number') take(news);
    if (typeof news !== 'object') return;
    follow(news.policy);
    judge(known);
  };

  setHandler(speiAccountQuantityStateQuery, () => state);
  const recheck = async () => {
    if (await condition(rechecks.request(), ANSWER_WAIT_MS, { summary: 'recheck' })) return state;
    throw noAnswerYet(app_id);
  };
  setHandler(recheckQuantityUpdate, () => rechecks.whileOpen(recheck), {
    validator: () => rechecks.assertRoomToWait(),
  });

  const resolve = () => {
    if (state.attention === 'few-accounts') state.seen = state.available_quantity;
    state.attention = null;
    show();
    return state;
  };
  setHandler(resolveQuantityUpdate, resolve, { validator: (resolution) => assertResolution(resolution) });

  // After the handlers: the call that starts this workflow brings an update with it.
  follow(await accountPolicy(onSilence));
  while (!workflowInfo().continueAsNewSuggested || rechecks.isRequested) {
    if (rechecks.isRequested || state.available_quantity === null) await look();
    else await watch(state.available_quantity);
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof speiAccountQuantity>({ app_id, wait: waiting.wait, seen: state.seen });
}

const unknownQuantity = (app_id: string): SpeiAccountQuantityState => ({
  app_id,
  available_quantity: null,
  low: null,
  seen: null,
  checked_at: null,
  attention: null,
  ...shownWait(null),
});

function noAnswerYet(app_id: string) {
  const message = `The gateway has not said yet how many virtual accounts app ${app_id} has left; ask again.`;
  return typedFailure(FAILURE.pending, message);
}
