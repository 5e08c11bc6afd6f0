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
import type { Silence, SpeiAccountQuantityState, Wait } from '../../contract';
import { FAILURE, QUERY, typedFailure, UPDATE } from '../../contract';
import { pollUntil } from '../shared/polling';
import { RecheckRequests } from '../shared/recheck-requests';
import { shownWait } from '../shared/wait';
import { accountGateway, accountPolicy } from './activities';
import { untilGatewayAnswers } from './until-answered';
import { AccountVisibility } from './visibility';
import { Waiting } from './waiting';

export const speiAccountQuantityStateQuery = defineQuery<SpeiAccountQuantityState>(QUERY.state);
export const recheckQuantityUpdate = defineUpdate<SpeiAccountQuantityState>(UPDATE.recheck);

const ANSWER_WAIT_MS = 30_000;

interface QuantityInput {
  app_id: string;
  /** Since when the run before had something for a person, and who has taken it on. */
  wait?: Wait<NonNullable<SpeiAccountQuantityState['attention']>> | null | undefined;
}

/** Never returns. Raises `few-accounts` where fewer are left than the setting allows. */
export async function speiAccountQuantity({ app_id, wait }: QuantityInput): Promise<void> {
  const state = unknownQuantity(app_id);
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
    state.attention = quantity < (state.low ?? 0) ? 'few-accounts' : null;
    show();
  };
  const onSilence = (why: Silence) => {
    state.attention = why;
    show();
  };
  const ask = (within_ms: number) => accountGateway.quantity({ app_id }, within_ms);
  const look = (patience_ms: number) =>
    rechecks.fulfil(async () => take(await untilGatewayAnswers(patience_ms, ask, onSilence)));
  /** Waits for another number, or for a recheck. */
  const watch = async (seen: number, every_ms: number) => {
    const news = await pollUntil(() => accountGateway.watchQuantity({ app_id, seen, every_ms }), {
      isInterrupted: () => rechecks.isRequested,
    });
    if (typeof news === 'number') take(news);
  };

  setHandler(speiAccountQuantityStateQuery, () => state);
  const recheck = async () => {
    if (await condition(rechecks.request(), ANSWER_WAIT_MS, { summary: 'recheck' })) return state;
    throw noAnswerYet(app_id);
  };
  setHandler(recheckQuantityUpdate, () => rechecks.whileOpen(recheck), {
    validator: () => rechecks.assertRoomToWait(),
  });

  // After the handlers: the call that starts this workflow brings an update with it.
  const { low_quantity, quantity_every_ms, patience_ms } = await accountPolicy(onSilence);
  state.low = low_quantity;
  while (!workflowInfo().continueAsNewSuggested || rechecks.isRequested) {
    if (rechecks.isRequested || state.available_quantity === null) await look(patience_ms);
    else await watch(state.available_quantity, quantity_every_ms);
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof speiAccountQuantity>({ app_id, wait: waiting.wait });
}

const unknownQuantity = (app_id: string): SpeiAccountQuantityState => ({
  app_id,
  available_quantity: null,
  low: null,
  checked_at: null,
  attention: null,
  ...shownWait(null),
});

function noAnswerYet(app_id: string) {
  const message = `The gateway has not said yet how many virtual accounts app ${app_id} has left; ask again.`;
  return typedFailure(FAILURE.pending, message);
}
