/**
 * The workflow `reconciliation`: compares a period of payments with the gateway, and with the merchant's own list. What
 * differs stays open before a person. A Schedule starts it without a period: then it is the UTC day before.
 */
import { condition, defineQuery, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  activityWords,
  type ComparedPeriod,
  comparedStatus,
  type Difference,
  type DifferencesPage,
  type DifferencesQuestion,
  FAILURE,
  inParts,
  inputProblem,
  namedByWorkflowId,
  QUERY,
  type ReconcileSlice,
  type ReconciliationActivities,
  type ReconciliationInput,
  type ReconciliationState,
  readPeriod,
  SEARCH_ATTRIBUTE,
  scheduledRun,
  timeText,
  typedFailure,
  withoutNulls,
} from '../../contract';
import { DAY, HOUR } from '../../gateway/pure/durations';
import { untilTold } from '../shared/ended-by-hand';
import { recordMetric } from '../shared/metrics';
import { invalidRequest } from '../shared/request-rules';
import { uncancelled } from '../shared/scopes';
import { takeDecision } from '../shared/until-seen';
import { Visibility } from '../shared/visibility';
import { decidedLines } from '../shared/wait';

const differencesQuery = defineQuery<DifferencesPage, [DifferencesQuestion?]>(QUERY.differences);

/** A worker that dies is noticed after the heartbeat's time-out; the next worker goes on from the last heartbeat. */
const { 'payments.reconcile': reconcile } = proxyActivities<ReconciliationActivities>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '15 seconds',
  summary: activityWords('payments.reconcile'),
  priority: { priorityKey: 5 },
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

const { 'payments.adopt': adopt } = proxyActivities<ReconciliationActivities>({
  startToCloseTimeout: '10 minutes',
  summary: activityWords('payments.adopt'),
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

const reconcileSlice = untilTold(reconcile);
const adoptOrders = untilTold(adopt);

/** Queries per second: this leaves most of the gateway's limit to payments. */
const PER_SECOND = 10;
const ADOPTED_AT_A_TIME = 200;
/** Differences that the page in Temporal UI lists. */
const LISTED = 30;
/** Each difference has some 300 bytes; Temporal takes answers of 2 MB. */
const DIFFERENCES_A_PAGE = 2_000;
/** Each difference is in the history once, and Temporal ends a workflow at 50 MB of history. */
const MOST_DIFFERENCES = 100_000;
/** How many rows one activity is given: they are in the history once for each page of differences. */
const ROWS_A_SLICE = 2_000;

/** Returns what was compared and what differs, once nobody has to look. */
export async function reconciliation(input?: ReconciliationInput): Promise<ReconciliationState> {
  const asked = input ? withoutNulls(input) : dailyInput();
  const problem = inputProblem(asked);
  if (problem) throw invalidRequest([problem]);
  const period = readPeriod(asked, Date.now());
  if ('rule' in period) throw invalidRequest([period]);
  const run = new Reconciliation({ ...asked, ...period });
  await run.run();
  return run.state;
}

/** The input of a run that a Schedule starts: its id names the app, and when it was due, however late it begins. */
function dailyInput(): ReconciliationInput {
  const { workflowId, startTime } = workflowInfo();
  const app_id = namedByWorkflowId(workflowId)?.app_id;
  if (!app_id) throw typedFailure(FAILURE.invalidRequest, `${workflowId} names no app, and has no input that does.`);
  const { due } = scheduledRun(workflowId) ?? {};
  const today = Math.floor((due === undefined ? startTime.getTime() : Date.parse(due)) / DAY) * DAY;
  return { app_id, since: new Date(today - DAY).toISOString(), until: new Date(today).toISOString() };
}

class Reconciliation {
  readonly state: ReconciliationState;
  private readonly differences: Difference[] = [];
  private readonly visibility = new Visibility();

  constructor(private readonly input: ReconciliationInput & ComparedPeriod) {
    this.state = emptyState(input);
    takeDecision(this.state, () => this.show());
    setHandler(differencesQuery, ({ from } = { from: 0 }) => this.pageFrom(from));
  }

  async run(): Promise<void> {
    const { state } = this;
    this.show();
    for (const slice of slicesOf(state, this.input)) if (!state.broken_off) await this.compare(slice);
    state.finished = true;
    if (!state.broken_off) recordMetric('reconciledAt', comparedUntil(state), { app_id: state.app_id });
    if (state.found > 0 && !state.resolved) state.attention = 'books-differ';
    this.show();
    // Whoever cancels it has not settled what differs.
    await uncancelled(() => condition(() => state.attention === null));
    this.show();
  }

  private async compare(slice: Slice): Promise<void> {
    const { app_id, adopt = false, per_second = PER_SECOND } = this.input;
    const { state } = this;
    for (let after: string | undefined; !state.broken_off; ) {
      const compared = await reconcileSlice({
        app_id,
        per_second,
        ...slice,
        period: { since: state.since, until: state.until },
        after,
      });
      this.differences.push(...compared.differences);
      state.checked += compared.checked;
      state.open += compared.open;
      state.found = this.differences.length;
      state.differences = this.differences.slice(0, DIFFERENCES_A_PAGE);
      state.broken_off = state.found >= MOST_DIFFERENCES;
      this.show();
      if (adopt) await takeOn(app_id, compared.differences);
      if (compared.after === null) return;
      after = compared.after;
    }
  }

  private pageFrom(from: number): DifferencesPage {
    const next = from + DIFFERENCES_A_PAGE;
    return { differences: this.differences.slice(from, next), next: next < this.differences.length ? next : null };
  }

  private show(): void {
    const { state, input } = this;
    this.visibility.show(attributes(state, statusOf(state, input)), details(state));
  }
}

/** The end of the period, in seconds since 1970. Not the time of the run: comparing an old hour does not show that the daily job works. */
const comparedUntil = ({ until }: ReconciliationState) => Math.floor(Math.min(Date.parse(until), Date.now()) / 1_000);

/** Takes on orders that are missing here, once the comparison is recorded: a repeated comparison would not find them missing any more. */
async function takeOn(app_id: string, differences: readonly Difference[]): Promise<void> {
  const missing = differences.filter(({ kind }) => kind === 'missing-here');
  for (let i = 0; i < missing.length; i += ADOPTED_AT_A_TIME) {
    const some = missing.slice(i, i + ADOPTED_AT_A_TIME);
    await adoptOrders({ app_id, out_trade_nos: some.map(({ out_trade_no }) => out_trade_no) });
    for (const one of some) one.adopted = true;
  }
}

const emptyState = ({ app_id, since, until }: ReconciliationInput & ComparedPeriod): ReconciliationState => ({
  ...{ app_id, since, until, checked: 0, open: 0, found: 0, differences: [], attention: null, resolved: null },
  ...{ finished: false, broken_off: false },
});

type Slice = Pick<ReconcileSlice, 'since' | 'until' | 'rows' | 'orders'>;

/**
 * Slices of an hour, so that no activity has to hold much. The merchant's list is compared with the whole period: some rows at a time,
 * with the orders in the range of their numbers.
 */
function slicesOf({ since, until }: ReconciliationState, { rows, orders }: ReconciliationInput): Slice[] {
  if (rows !== undefined) return inParts(rows, ROWS_A_SLICE).map((part) => ({ since, until, ...within(part, orders) }));
  const [begin, end] = [Date.parse(since), Date.parse(until)];
  return Array.from({ length: Math.ceil((end - begin) / HOUR) }, (_, i) => ({
    since: new Date(begin + i * HOUR).toISOString(),
    until: new Date(Math.min(begin + (i + 1) * HOUR, end)).toISOString(),
    ...(orders === undefined ? {} : { orders }),
  }));
}

type Part = Pick<Slice, 'rows' | 'orders'>;

/** The part's own range; the first and the last part reach to the ends of the whole range. */
const within = ({ rows, orders }: Part, whole: Part['orders']): Part => ({
  rows,
  orders: { from: orders?.from ?? whole?.from, to: orders?.to ?? whole?.to },
});

/** Has the period, if all of it was compared: a list of runs then tells which days are left. */
function statusOf(state: ReconciliationState, { orders }: ReconciliationInput): string {
  if (!state.finished) return 'COMPARING';
  return state.broken_off || orders !== undefined ? 'COMPARED A PART' : comparedStatus(state);
}

const attributes = ({ attention }: ReconciliationState, status: string) => [
  { key: SEARCH_ATTRIBUTE.status, value: status },
  { key: SEARCH_ATTRIBUTE.attention, value: attention },
];

function details(state: ReconciliationState): string[] {
  const { since, until, checked, open, found, differences, finished, broken_off, resolved } = state;
  const lines = differences
    .slice(0, LISTED)
    .map(
      ({ out_trade_no, kind, here, gateway, merchant, adopted }) =>
        `- ${out_trade_no}: ${kind}; here ${here ?? 'none'}, gateway ${gateway ?? 'none'}${merchant ? `, merchant ${merchant}` : ''}${adopted ? '; taken on' : ''}`,
    );
  const left = found - lines.length;
  return [
    `**${finished ? 'COMPARED' : 'COMPARING'}** · ${timeText(since)} to ${timeText(until)}`,
    `${checked} orders, ${open} of them open, ${found} differences`,
    ...(broken_off ? ['Broken off: with so many, look at the settings and at the period first.'] : []),
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(left > 0 ? [`… and ${left} more: the query \`differences\` has them.`] : []),
    ...decidedLines(resolved),
  ];
}
