/**
 * The workflow `reconciliation`: compares a period of payments with the gateway, and with the merchant's own list. What
 * differs stays open before a person. A Schedule starts it without a period: then it is the UTC day before.
 */
import {
  condition,
  defineQuery,
  defineUpdate,
  proxyActivities,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  activityWords,
  type Difference,
  QUERY,
  type ReconciliationActivities,
  type ReconciliationInput,
  type ReconciliationState,
  SEARCH_ATTRIBUTE,
  UPDATE,
} from '../../contract';
import { DAY, HOUR } from '../../gateway/pure/durations';
import { assertResolution } from '../shared/resolution';
import { Visibility } from '../shared/visibility';

interface Decision {
  by: string;
  reason: string;
}

const reconciliationStateQuery = defineQuery<ReconciliationState>(QUERY.state);
const resolveReconciliationUpdate = defineUpdate<ReconciliationState, [Decision]>(UPDATE.resolve);

/** A worker that dies is noticed after this long; the next one goes on where its last heartbeat was. */
const { 'payments.reconcile': reconcileSlice } = proxyActivities<ReconciliationActivities>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '15 seconds',
  summary: activityWords('payments.reconcile'),
  priority: { priorityKey: 5 },
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

const { 'payments.adopt': adoptOrders } = proxyActivities<ReconciliationActivities>({
  startToCloseTimeout: '10 minutes',
  summary: activityWords('payments.adopt'),
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

/** So many a second leave most of the gateway's limit to payments. */
const PER_SECOND = 10;
const ADOPTED_AT_A_TIME = 200;
/** Differences that the page in Temporal UI lists; the state has all. */
const LISTED = 30;

/** Returns what was compared and what differs, once nobody has to look. */
export async function reconciliation(input: ReconciliationInput): Promise<ReconciliationState> {
  const visibility = new Visibility();
  const state = emptyState(input);
  const show = () => visibility.show(attributes(state), details(state));
  setHandler(reconciliationStateQuery, () => state);
  setHandler(
    resolveReconciliationUpdate,
    ({ by, reason }) => {
      Object.assign(state, { attention: null, resolved: { by, reason, time: new Date().toISOString() } });
      show();
      return state;
    },
    { validator: (decision) => assertResolution(decision) },
  );
  setDefaultSignalHandler(() => undefined);
  show();
  const { app_id, rows, adopt = false, per_second = PER_SECOND } = input;
  for (const slice of slicesOf(state, rows !== undefined)) {
    const found = await reconcileSlice({ app_id, rows, per_second, ...slice });
    state.checked += found.checked;
    state.differences.push(...found.differences);
    show();
    if (adopt) await takeOn(app_id, found.differences);
  }
  state.finished = true;
  if (state.differences.length > 0 && !state.resolved) state.attention = 'books-differ';
  show();
  await condition(() => state.attention === null);
  show();
  return state;
}

/** Takes on what is missing here, once the comparison is kept: one that is done again would not find it missing any more. */
async function takeOn(app_id: string, differences: readonly Difference[]): Promise<void> {
  const missing = differences.filter(({ kind }) => kind === 'missing-here');
  for (let i = 0; i < missing.length; i += ADOPTED_AT_A_TIME) {
    const some = missing.slice(i, i + ADOPTED_AT_A_TIME);
    await adoptOrders({ app_id, out_trade_nos: some.map(({ out_trade_no }) => out_trade_no) });
    for (const one of some) one.adopted = true;
  }
}

function emptyState({ app_id, since, until }: ReconciliationInput): ReconciliationState {
  const today = Math.floor(workflowInfo().startTime.getTime() / DAY) * DAY;
  const period = {
    since: since ?? new Date(today - DAY).toISOString(),
    until: until ?? new Date(since === undefined ? today : Date.now()).toISOString(),
  };
  return { app_id, ...period, checked: 0, differences: [], attention: null, finished: false, resolved: null };
}

/** Hours, so that no activity has to keep much. The merchant's list is held against the whole period at once. */
function slicesOf({ since, until }: ReconciliationState, isWhole: boolean): { since: string; until: string }[] {
  if (isWhole) return [{ since, until }];
  const [begin, end] = [Date.parse(since), Date.parse(until)];
  const hours = Math.max(Math.ceil((end - begin) / HOUR), 0);
  return Array.from({ length: hours }, (_, i) => ({
    since: new Date(begin + i * HOUR).toISOString(),
    until: new Date(Math.min(begin + (i + 1) * HOUR, end)).toISOString(),
  }));
}

const attributes = ({ attention, finished }: ReconciliationState) => [
  { key: SEARCH_ATTRIBUTE.status, value: finished ? 'COMPARED' : 'COMPARING' },
  { key: SEARCH_ATTRIBUTE.attention, value: attention },
];

function details({ since, until, checked, differences, finished, resolved }: ReconciliationState): string[] {
  const lines = differences
    .slice(0, LISTED)
    .map(
      ({ out_trade_no, kind, here, gateway, merchant, adopted }) =>
        `- ${out_trade_no}: ${kind}; here ${here ?? 'none'}, gateway ${gateway ?? 'none'}${merchant ? `, merchant ${merchant}` : ''}${adopted ? '; taken on' : ''}`,
    );
  const left = differences.length - lines.length;
  return [
    `**${finished ? 'COMPARED' : 'COMPARING'}** · ${since} to ${until}`,
    `${checked} orders, ${differences.length} differences`,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(left > 0 ? [`… and ${left} more in the state.`] : []),
    ...(resolved ? [`Resolved at ${resolved.time}.`] : []),
  ];
}
