/**
 * The workflow `stuckSweep`, which a Schedule starts: looks for open payments that should have moved on. While there are any, it
 * stays open under attention, a line in the desk, and looks again; it ends once there are none.
 */
import { condition, continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import {
  activityWords,
  SEARCH_ATTRIBUTE,
  type StuckSweepActivities,
  type StuckSweepInput,
  type StuckSweepState,
  SWEEP_RUN_MS,
  SWEPT,
  type SweepEvent,
  timeText,
} from '../../contract';
import { HOUR, MINUTE } from '../../gateway/pure/durations';
import { untilTold } from '../shared/ended-by-hand';
import { EventRelay, InlineDelivery } from '../shared/outbox/delivery';
import { takeDecision } from '../shared/until-seen';
import { Visibility } from '../shared/visibility';
import { decidedLines } from '../shared/wait';

const { 'payments.sweep': sweepOnce } = proxyActivities<StuckSweepActivities>({
  // Each workflow that somebody has ended in a month is looked at by itself: tens of thousands take minutes.
  startToCloseTimeout: '10 minutes',
  summary: activityWords('payments.sweep'),
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});
const sweep = untilTold(sweepOnce);

const LOOK_AGAIN_MS = 10 * MINUTE;
const STUCK_MS = HOUR;
/** A Schedule limits the time of a run, to end one that hangs: a sweep continues as new long before that. */
const MOST_LOOKS = SWEEP_RUN_MS / 2 / LOOK_AGAIN_MS;

/** Returns what the last look found. */
export async function stuckSweep(input: StuckSweepInput = {}): Promise<StuckSweepState> {
  const run = new Sweep(input);
  await run.run();
  return run.state;
}

class Sweep {
  readonly state: StuckSweepState = {
    ...{ stuck: 0, under_attention: 0, some: [], looked_at: null, attention: null, resolved: null },
  };
  private readonly visibility = new Visibility();
  /** The listeners of events, from the worker of the last look. */
  private listeners: readonly string[] = [];
  private readonly delivery = new InlineDelivery(EventRelay.ofRun(), () => this.listeners);
  private isReported: boolean;

  constructor(private readonly input: StuckSweepInput) {
    this.isReported = input.is_reported === true;
    takeDecision(this.state, () => this.show());
  }

  async run(): Promise<void> {
    const isSettled = () => this.state.attention === null;
    await this.look();
    for (let looks = 1; !isSettled(); looks += 1, await this.look()) {
      if (looks > MOST_LOOKS || workflowInfo().continueAsNewSuggested) await this.continue();
      if (await condition(isSettled, LOOK_AGAIN_MS, { summary: 'before it is looked again' })) break;
    }
    this.show();
    await this.delivery.drain();
  }

  private async look(): Promise<void> {
    const { listeners, ...found } = await sweep({ stuck_ms: this.input.stuck_ms ?? STUCK_MS });
    const attention = found.stuck > 0 && this.state.resolved === null ? 'stuck-payments' : null;
    Object.assign(this.state, { ...found, looked_at: new Date().toISOString(), attention });
    this.show();
    this.listeners = listeners;
    if (attention && listeners.length > 0) this.tell(found);
  }

  /** Tells once for a sweep, however often it looks and continues as new. */
  private tell(found: SweepEvent['sweep']): void {
    if (this.isReported) return;
    this.isReported = true;
    const { workflowId, firstExecutionRunId } = workflowInfo();
    const id = `${workflowId}:${firstExecutionRunId}:stuck-payments`;
    this.delivery.put([{ id, type: 'stuck-payments', time: new Date().toISOString(), sweep: found }]);
  }

  private async continue(): Promise<void> {
    await this.delivery.drain();
    await continueAsNew<typeof stuckSweep>({ ...this.input, is_reported: this.isReported });
  }

  private show(): void {
    const attributes = [
      { key: SEARCH_ATTRIBUTE.attention, value: this.state.attention },
      { key: SEARCH_ATTRIBUTE.status, value: SWEPT },
    ];
    this.visibility.show(attributes, details(this.state));
  }
}

function details({ stuck, under_attention, some, looked_at, resolved }: StuckSweepState): string[] {
  const lines = some.map(({ workflow_id, status }) => `- ${workflow_id}: ${status ?? 'no worker has taken it'}`);
  return [
    `**${stuck} stuck**, ${under_attention} workflows need a person · looked at ${looked_at === null ? 'not yet' : timeText(looked_at)}`,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...decidedLines(resolved),
  ];
}
