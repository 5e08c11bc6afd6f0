/**
 * The workflow `eventDelivery`: delivers the events of one payment or account in order, to one address, or to the handler that has not taken
 * them at once. An address that is down delays its own events only. Temporal repeats for days; then a person decides: again, or not at all.
 */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  activityWords,
  attemptsWithin,
  DELIVERY_PAUSES,
  type DropEvents,
  EVENT_HANDLER,
  type EventActivities,
  type EventDeliveryActivities,
  type EventDeliveryInput,
  type EventDeliveryState,
  eventsOf,
  type MerchantEvent,
  onePage,
  QUERY,
  SEARCH_ATTRIBUTE,
  SIGNAL,
  UPDATE,
} from '../../contract';
import { MINUTE } from '../../gateway/pure/durations';
import { nextBackoff } from '../shared/backoff';
import { isTold } from '../shared/ended-by-hand';
import { assertResolution } from '../shared/request-rules';
import { runUntilResolved, uncancelled } from '../shared/scopes';
import { attentionSection, ShownAttributes } from '../shared/visibility';

const eventsToDeliverSignal = defineSignal<[MerchantEvent[]]>(SIGNAL.tell);
const eventDeliveryStateQuery = defineQuery<EventDeliveryState>(QUERY.state);
const deliverAgainUpdate = defineUpdate<EventDeliveryState>(UPDATE.recheck);
const dropEventUpdate = defineUpdate<EventDeliveryState, [DropEvents]>(UPDATE.resolve);

/** How many events one activity posts at most. An address that answers slowly takes fewer at once. */
const EVENTS_AT_ONCE = 50;

/** Ends once every event is delivered or dropped; the next event starts it again. */
export async function eventDelivery(input: EventDeliveryInput): Promise<EventDeliveryState> {
  const delivery = new Delivery(input);
  await uncancelled(() => delivery.run());
  await uncancelled(() => condition(allHandlersFinished));
  return delivery.state;
}

class Delivery {
  private readonly queue: MerchantEvent[];
  /** The ids of the events that this run has: an event that comes twice is delivered once. */
  private readonly knownIds: Set<string>;
  private readonly attributes = new ShownAttributes();
  private readonly post: EventDeliveryActivities['payments.postEvents'];
  private isDecided = false;
  private readonly shown: Pick<EventDeliveryState, 'attention' | 'problem' | 'dropped'> = {
    attention: null,
    problem: null,
    dropped: [],
  };

  constructor(private readonly input: EventDeliveryInput) {
    this.queue = [...(input.waiting ?? [])];
    this.knownIds = new Set(this.queue.map(({ id }) => id));
    this.post = input.endpoint === EVENT_HANDLER ? toHandler(input) : toAddress(input);
    setHandler(eventDeliveryStateQuery, () => this.state);
    setHandler(eventsToDeliverSignal, (events) => this.take(events));
    setHandler(deliverAgainUpdate, () => this.again());
    setHandler(dropEventUpdate, (decision) => this.drop(decision), { validator: (said) => this.checkDrop(said) });
  }

  get state(): EventDeliveryState {
    const { endpoint, subject } = this.input;
    return { endpoint, subject, ...this.shown, waiting: this.queue.map(({ id }) => id) };
  }

  async run(): Promise<void> {
    while (this.queue.length > 0) {
      const taken = await this.deliver(onePage(this.queue, EVENTS_AT_ONCE));
      this.queue.splice(0, taken);
      if (taken === 0) await condition(() => this.isDecided);
      this.show(null, null);
      if (workflowInfo().continueAsNewSuggested && this.fitsIntoNextRun) await this.continue();
    }
  }

  /** Anybody can send a signal without its argument, or with another one. */
  private take(events: unknown): void {
    for (const event of eventsOf(events)) {
      if (this.knownIds.has(event.id)) continue;
      this.queue.push(event);
      this.knownIds.add(event.id);
    }
  }

  /** How many of these events the address has taken; 0 if a person has to decide. */
  private async deliver(events: readonly MerchantEvent[]): Promise<number> {
    this.isDecided = false;
    try {
      return (
        (await runUntilResolved(
          () => this.isDecided,
          () => this.taken(events),
        )) ?? 0
      );
    } catch (error) {
      this.show('undelivered-event', problemOf(error));
      return 0;
    }
  }

  /** How many of them the address has taken, at least 1. Anything else does not come from the activity. */
  private async taken(events: readonly MerchantEvent[]): Promise<number> {
    for (let pause_ms = AGAIN_AFTER_MS; ; pause_ms = nextBackoff(pause_ms)) {
      const count: unknown = await this.post({ endpoint: this.input.endpoint, events });
      if (typeof count === 'number' && count > 0) return count;
      await sleep(pause_ms, { summary: 'a person has ended the post: before it is made again' });
    }
  }

  /** Events that piled up while the address was down are delivered in this run until the rest fits into the next. */
  private get fitsIntoNextRun(): boolean {
    return onePage(this.queue).length === this.queue.length;
  }

  /** Tries the events that wait for a person, or for the next try, at once. */
  private again(): EventDeliveryState {
    this.isDecided = true;
    return this.state;
  }

  /** Throws `InvalidRequest` without a name and a reason, or if no event waits for a person, or somebody has just decided. */
  private checkDrop(said: DropEvents | undefined): void {
    const rule = 'nothing waits for a person here: the event is being tried. `recheck` tries it at once';
    const isWaiting = this.shown.attention !== null && !this.isDecided;
    assertResolution(said, isWaiting ? [] : [{ field: '(request)', rule }]);
  }

  /** Leaves out the event that waits for a person, or all of them. Later ones are delivered. */
  private drop({ by, reason, all = false }: DropEvents): EventDeliveryState {
    const events = this.queue.splice(0, all ? this.queue.length : 1);
    this.shown.dropped.push({ ids: events.map(({ id }) => id), by, reason });
    this.isDecided = true;
    return this.state;
  }

  private show(attention: EventDeliveryState['attention'], problem: string | null): void {
    this.shown.attention = attention;
    this.shown.problem = problem;
    const now = new Date().toISOString();
    this.attributes.update([
      { key: SEARCH_ATTRIBUTE.attention, value: attention },
      { key: SEARCH_ATTRIBUTE.attentionSince, value: attention && new Date(now) },
    ]);
    const { workflowId } = workflowInfo();
    const details = attention === null ? [] : [...attentionSection({ attention }, now, workflowId), problem ?? ''];
    setCurrentDetails(details.join('\n\n'));
  }

  private async continue(): Promise<void> {
    await condition(allHandlersFinished);
    await continueAsNew<typeof eventDelivery>({ ...this.input, waiting: this.queue });
  }
}

/** The pause before events are posted again, in ms: a person may complete the activity by hand, with anything. */
const AGAIN_AFTER_MS = MINUTE;

/** The limit counts attempts, and not time: while no worker runs, nobody has tried the receiver. */
const untilGivenUp = (give_up_ms: number) => ({
  startToCloseTimeout: '30 seconds' as const,
  retry: {
    initialInterval: DELIVERY_PAUSES.first_ms,
    backoffCoefficient: 2,
    maximumInterval: DELIVERY_PAUSES.longest_ms,
    maximumAttempts: attemptsWithin(give_up_ms),
  },
});

const toAddress = ({ give_up_ms }: EventDeliveryInput) =>
  proxyActivities<EventDeliveryActivities>({
    ...untilGivenUp(give_up_ms),
    summary: activityWords('payments.postEvents'),
  })['payments.postEvents'];

/** One event at a time: the handler may take as long as the activity. Listeners that are gone after one event are left out for the next. */
function toHandler({ give_up_ms, ...input }: EventDeliveryInput): EventDeliveryActivities['payments.postEvents'] {
  const tell = proxyActivities<EventActivities>({
    ...untilGivenUp(give_up_ms),
    summary: activityWords('payments.onEvent'),
  })['payments.onEvent'];
  let { listeners = [] } = input;
  return async ({ events: [event] }) => {
    const answer = event && (await tell(event, listeners));
    // A person who completes it by hand tells nothing to the handler.
    if (!answer || !isTold(answer)) return 0;
    listeners = answer.told;
    return 1;
  };
}

/** The message of the activity: it tells the status of the answer, and never the address. */
function problemOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
