/** Reads the story of an order: what each of its runs was told from outside, with stand-ins for what is private. */
import type { Client } from '@temporalio/client';
import { type AfterSaleState, type PaymentState, WORKFLOW } from '../contract';
import { factsOf, type ReadFact } from './facts-of-run';
import { StandIns } from './stand-ins';
import { parseStory, STORY_VERSION, type Story, storyEnd } from './story';
import { readStart } from './workflow-history';

interface RunOfOrder {
  workflow_id: string;
  run_id: string;
  type: string;
  /** ISO 8601. */
  started_at: string;
}

/** What an order has come to, and its runs, the oldest first. */
export interface OrderToTell {
  runs: readonly RunOfOrder[];
  payment: PaymentState | null;
  after_sale: AfterSaleState | null;
}

type Of = 'payment' | 'after-sale';

/** A fact of either workflow; `before` is the time of the fact before it in its run. */
interface FactInOrder extends Pick<ReadFact, 'at' | 'is' | 'world'> {
  of: Of;
  before: number;
}

/** The story; or the workflow id of a run whose facts no worker gave in full. */
export async function readStory(
  client: Client,
  { runs, payment, after_sale }: OrderToTell,
  within_ms: number,
): Promise<{ story: Story } | { unanswered: string }> {
  const began = Math.min(...runs.map(({ started_at }) => Date.parse(started_at)));
  const facts: FactInOrder[] = [];
  const inputs: object[] = [];
  const settings: Partial<Record<Of, unknown>> = {};
  for (const run of runs) {
    const told = await factsOf(client, run, within_ms);
    if (told === undefined || told.left_out > 0) return { unanswered: run.workflow_id };
    const of = run.type === WORKFLOW.payment ? 'payment' : 'after-sale';
    settings[of] ??= told.settings ?? undefined;
    if (of === 'payment') {
      const { input } = await readStart(client, run.workflow_id, run.run_id);
      // A payment that takes on a trade because of a notification is started by that notification.
      const isTold = input.kind === 'adopt' && told.facts[0]?.is === 'notified';
      const { app_id: _app, ...ordered } = input;
      if (!isTold) inputs.push({ is: 'ordered', after_ms: Date.parse(run.started_at) - began, input: ordered });
    }
    facts.push(...told.facts.map((fact, i) => ({ ...fact, of, before: told.facts[i - 1]?.at ?? fact.at }) as const));
  }
  facts.sort((one, other) => one.at - other.at);
  const hidden = new StandIns().hide([...inputs, ...eventsOf(facts, began)]);
  const story = {
    story: STORY_VERSION,
    time_of_day: new Date(began).toISOString().slice(11, 23),
    lasts_ms: Date.now() - began,
    settings: {
      payment: settings.payment ?? settings['after-sale'],
      after_sale: settings['after-sale'] ?? settings.payment,
    },
    events: hidden,
    end: storyEnd(payment, after_sale),
  };
  return { story: parseStory(story) };
}

/** When a story is played, a look that no event has caused may come this much earlier than in reality, in ms. */
const SLACK_MS = 1_000;
/** What the gateway answers to questions. */
const ANSWERS: readonly string[] = ['shown', 'missing', 'silent'];

/**
 * The events, with their times. Only the time of an answer is known: a played story gives the answer from halfway after the answer before it,
 * but not from before the last thing that anybody did.
 */
function eventsOf(facts: readonly FactInOrder[], began: number): object[] {
  let acted = began;
  let asked = began;
  const handedAt = new Set(facts.flatMap(({ is, at }) => (is === 'ended' ? [at] : [])));
  return facts.flatMap(({ world, of, at, before }) => {
    // The payment was notified, and has handed the notification to the after-sale.
    if (world === null || (of === 'after-sale' && world.is === 'notified' && handedAt.has(at))) return [];
    const event = { ...world, to: of, after_ms: at - began };
    if (!ANSWERS.includes(world.is)) {
      acted = at;
      return [event];
    }
    const answered_at = askedAt(world.trade) ?? at;
    const since = Math.max(acted, asked + (answered_at - asked) / 2, Math.min(before, answered_at) - SLACK_MS);
    asked = answered_at;
    return [{ ...event, since_ms: Math.round(Math.max(0, Math.min(since, answered_at) - began)) }];
  });
}

function askedAt(trade: unknown): number | undefined {
  const at: unknown = typeof trade === 'object' && trade !== null ? Reflect.get(trade, 'asked_at') : undefined;
  return typeof at === 'number' ? at : undefined;
}
