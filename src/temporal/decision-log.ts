/** What people decided, over all orders: read from histories, which say who and why for as long as the namespace keeps them. */
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { UPDATE } from '../contract';
import { firstArgument, historyEvents } from './history-events';
import { decidedQuery, type Period } from './payment-query';
import { refusedUpdates, terminationOf, timeOf } from './timeline';
import { collect, type ListedWorkflow, listWorkflows } from './workflow-list';

export interface LoggedDecision {
  /** ISO 8601, UTC. */
  time: string;
  workflow_id: string;
  app_id: string | null;
  out_trade_no: string | null;
  by: string;
  did: 'resolve' | 'take' | 'cancel' | 'terminate' | 'reset';
  /** The other fields of the decision, such as the outcome and the refund. */
  what: Readonly<Record<string, string>>;
  why: string;
}

const AT_A_TIME = 8;

/** The decisions of a period, the earliest first. Throws what Temporal's client throws. */
export async function decisionsIn(
  client: Client,
  period: Period,
  app_id: string | undefined,
): Promise<LoggedDecision[]> {
  const runs = await collect(listWorkflows(client, decidedQuery(period), app_id));
  const decisions: LoggedDecision[] = [];
  while (runs.length > 0)
    decisions.push(...(await Promise.all(runs.splice(0, AT_A_TIME).map((run) => decisionsOf(client, run)))).flat());
  const [since, until] = [period.since.toISOString(), period.until.toISOString()];
  return decisions
    .filter(({ time }) => time >= since && time < until)
    .sort((one, other) => one.time.localeCompare(other.time));
}

/** The decisions in one run. A refused decision changed nothing, so it is left out. */
async function decisionsOf(
  client: Client,
  { workflow_id, run_id, app_id, out_trade_no }: ListedWorkflow,
): Promise<LoggedDecision[]> {
  const { loadedDataConverter, namespace } = client.options;
  const events = await historyEvents(client, workflow_id, run_id);
  const refused = refusedUpdates(events);
  const of = { workflow_id, app_id, out_trade_no };
  const read = async (event: temporal.api.history.v1.IHistoryEvent): Promise<LoggedDecision[]> => {
    const time = timeOf(event);
    const ended = event.workflowExecutionTerminatedEventAttributes;
    if (ended) return [{ time, ...of, what: {}, ...terminationOf(ended) }];
    const { input, meta } = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest ?? {};
    const did = [UPDATE.resolve, UPDATE.take, UPDATE.cancel].find((name) => name === input?.name);
    if (did === undefined || refused.has(meta?.updateId)) return [];
    const said = textsIn(
      await firstArgument(loadedDataConverter, input?.args?.payloads, {
        type: 'workflow',
        namespace,
        workflowId: workflow_id,
      }),
    );
    // Who withdraws an order gives no name: Temporal has that of the process.
    const { by = meta?.identity ?? '', reason, note, ...what } = said;
    return [{ time, ...of, by, did, what, why: reason ?? note ?? '' }];
  };
  return (await Promise.all(events.map(read))).flat();
}

const textsIn = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value !== null ? value : {}).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text]] : [],
    ),
  );
