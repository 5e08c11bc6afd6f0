/**
 * The workflow `stuckSweep`, which a Schedule starts: looks for open payments that should have moved on. While there are any, it
 * stays open under attention, a line in the desk, and looks again; it ends once there are none.
 */
import {
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  activityWords,
  QUERY,
  SEARCH_ATTRIBUTE,
  type StuckSweepActivities,
  type StuckSweepInput,
  type StuckSweepState,
  UPDATE,
} from '../../contract';
import { MINUTE } from '../../gateway/pure/durations';
import { assertResolution } from '../shared/resolution';
import { Visibility } from '../shared/visibility';

const { 'payments.sweep': sweep } = proxyActivities<StuckSweepActivities>({
  startToCloseTimeout: '2 minutes',
  summary: activityWords('payments.sweep'),
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

const LOOK_AGAIN_MS = 10 * MINUTE;

const stuckSweepStateQuery = defineQuery<StuckSweepState>(QUERY.state);
const resolveStuckSweepUpdate = defineUpdate<StuckSweepState, [{ by: string; reason: string }]>(UPDATE.resolve);

/** Returns what the last look found. */
export async function stuckSweep(input: StuckSweepInput): Promise<StuckSweepState> {
  const visibility = new Visibility();
  let state: StuckSweepState = { stuck: 0, under_attention: 0, some: [], looked_at: null, attention: null };
  let isResolved = false;
  setHandler(stuckSweepStateQuery, () => state);
  setHandler(
    resolveStuckSweepUpdate,
    () => {
      isResolved = true;
      state = { ...state, attention: null };
      return state;
    },
    { validator: (decision) => assertResolution(decision) },
  );
  do {
    const found = await sweep(input);
    const attention = found.stuck > 0 && !isResolved ? 'stuck-payments' : null;
    state = { ...found, looked_at: new Date().toISOString(), attention };
    visibility.show(attributes(state), details(state));
    if (attention && workflowInfo().continueAsNewSuggested) await continueAsNew<typeof stuckSweep>(input);
    if (attention) await condition(() => isResolved, LOOK_AGAIN_MS, { summary: 'before it is looked again' });
  } while (state.attention !== null);
  visibility.show(attributes(state), details(state));
  return state;
}

const attributes = ({ attention }: StuckSweepState) => [{ key: SEARCH_ATTRIBUTE.attention, value: attention }];

function details({ stuck, under_attention, some, looked_at }: StuckSweepState): string[] {
  const lines = some.map(({ workflow_id, status }) => `- ${workflow_id}: ${status ?? 'no worker has taken it'}`);
  return [
    `**${stuck} stuck**, ${under_attention} workflows need a person · looked at ${looked_at}`,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
  ];
}
