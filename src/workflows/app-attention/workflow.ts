/** Waits for a person to mend a reason for which every order of an app fails: one question instead of a thousand. */
import {
  CancellationScope,
  condition,
  defineQuery,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow';
import { type AppAttentionInput, type AppAttentionState, QUERY, SEARCH_ATTRIBUTE, UPDATE } from '../../contract';
import { assertResolution } from '../shared/request-rules';
import { Visibility } from '../shared/visibility';
import { decidedLines } from '../shared/wait';

const appAttentionStateQuery = defineQuery<AppAttentionState>(QUERY.state);
const resolveAppAttentionUpdate = defineUpdate<AppAttentionState, [{ by: string; reason: string }]>(UPDATE.resolve);

/** Returns once a person has said that the reason is mended. The next order that fails for it asks again. */
export async function appAttention({ app_id, attention }: AppAttentionInput): Promise<AppAttentionState> {
  const state: AppAttentionState = { app_id, attention, resolved: null };
  const visibility = new Visibility();
  const show = () =>
    visibility.show(
      [{ key: SEARCH_ATTRIBUTE.attention, value: state.attention }],
      [`Orders of app ${app_id} fail.`, ...decidedLines(state.resolved)],
    );
  setHandler(appAttentionStateQuery, () => state);
  setHandler(
    resolveAppAttentionUpdate,
    ({ by, reason }) => {
      state.attention = null;
      state.resolved = { by, reason, time: new Date().toISOString() };
      show();
      return state;
    },
    { validator: (decision) => assertResolution(decision) },
  );
  setDefaultSignalHandler(() => undefined);
  show();
  // A cancellation does not mend the reason.
  await CancellationScope.nonCancellable(() => condition(() => state.attention === null));
  return state;
}
