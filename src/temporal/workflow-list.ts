/** Workflows as lists show them: from Temporal's visibility store alone, so that no worker is needed. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import {
  moneyRead,
  NOTHING_SAID,
  namedByWorkflowId,
  SEARCH_ATTRIBUTE,
  TEMPORALS_ATTRIBUTE,
  type TemporalAttention,
} from '../contract';
import { isSayable, runsOfAll } from './list-query';

export interface ListedWorkflow {
  workflow_id: string;
  run_id: string;
  type: string;
  app_id: string | null;
  out_trade_no: string | null;
  /** Temporal's name of its state: RUNNING, COMPLETED, FAILED, TERMINATED, … */
  execution: string;
  status: string | null;
  outcome: string | null;
  attention: string | null;
  /** ISO 8601, UTC: since when it waits for a person; null if it does not. */
  waits_since: string | null;
  taken_by: string | null;
  method: string | null;
  /** Exact, in currency units. */
  amount: string | null;
  currency: string | null;
  trade_no: string | null;
  /** ISO 8601, UTC. */
  started_at: string;
  closed_at: string | null;
  expires_at: string | null;
}

/** Temporal's own largest page. */
const PAGE_SIZE = 1_000;

/**
 * Every run that the query finds, page after page, of one app if it is given. Temporal gives what is open, the newest first, then what ended
 * last. A run that two pages hold is given once.
 */
export async function* listWorkflows(client: Client, query: string, app_id?: string): AsyncGenerator<ListedWorkflow> {
  for await (const found of findWorkflows(client, query)) {
    const row = listed(found);
    if (app_id === undefined || row.app_id === app_id) yield row;
  }
}

/** The same, of every app, as Temporal gives them. */
export async function* findWorkflows(client: Client, query: string): AsyncGenerator<WorkflowExecutionInfo> {
  const seen = new Set<string>();
  for await (const found of client.workflow.list({ query, pageSize: PAGE_SIZE })) {
    if (!seen.has(found.runId)) yield found;
    seen.add(found.runId);
  }
}

export async function collect<Row>(list: AsyncIterable<Row>, most = Number.POSITIVE_INFINITY): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of list) {
    rows.push(row);
    if (rows.length >= most) break;
  }
  return rows;
}

const IDS_OF_A_QUERY = 100;

/** Every run under these workflow ids that did not continue as new; none for an id that a query cannot contain. */
export async function runsUnder(client: Client, workflowIds: readonly string[]): Promise<ListedWorkflow[]> {
  const ids = workflowIds.filter(isSayable);
  const rows: ListedWorkflow[] = [];
  for (let i = 0; i < ids.length; i += IDS_OF_A_QUERY)
    rows.push(...(await collect(listWorkflows(client, runsOfAll(ids.slice(i, i + IDS_OF_A_QUERY))))));
  return rows;
}

export function newestRuns(rows: readonly ListedWorkflow[]): Map<string, ListedWorkflow> {
  const newest = new Map<string, ListedWorkflow>();
  for (const row of rows) {
    const known = newest.get(row.workflow_id);
    if (known === undefined || known.started_at < row.started_at) newest.set(row.workflow_id, row);
  }
  return newest;
}

export async function countWorkflows(client: Client, query: string): Promise<number> {
  return (await client.workflow.count(query)).count;
}

/** What a list needs of a run, from a list or from its description. */
type Found = Pick<
  WorkflowExecutionInfo,
  'typedSearchAttributes' | 'workflowId' | 'runId' | 'type' | 'status' | 'startTime'
> & {
  closeTime?: Date | undefined;
};

/** What the run itself waits for, or waited for when it was ended, and since when: Temporal's own reasons have no time, so since its start. */
export function waitOf({ typedSearchAttributes: attributes, startTime }: Found) {
  const since = attributes.get(SEARCH_ATTRIBUTE.attentionSince) ?? startTime;
  return { attention: attributes.get(SEARCH_ATTRIBUTE.attention) ?? null, waits_since: since.toISOString() };
}

/**
 * Why the run needs a person: a failing task first, because nothing goes on before it is mended. A pause comes last: a server goes on
 * saying so where the activity that was paused is no more.
 */
function attentionOf(found: Found): string | null {
  const { typedSearchAttributes: attributes, status } = found;
  // A closed run needs nobody: the run that goes on with its work says what is needed.
  if (status.name !== 'RUNNING') return null;
  const says = (why: TemporalAttention, words: readonly string[] = []) => (words.length > 0 ? why : undefined);
  return (
    says('failing-tasks', attributes.get(TEMPORALS_ATTRIBUTE.problems)) ??
    waitOf(found).attention ??
    says('paused-activity', attributes.get(TEMPORALS_ATTRIBUTE.paused)) ??
    null
  );
}

export function listed(found: Found): ListedWorkflow {
  const { typedSearchAttributes: attributes, workflowId, runId } = found;
  const attention = attentionOf(found);
  const status = attributes.get(SEARCH_ATTRIBUTE.status) ?? null;
  const named = namedByWorkflowId(workflowId);
  return {
    workflow_id: workflowId,
    run_id: runId,
    type: found.type,
    app_id: named?.app_id ?? null,
    out_trade_no: named?.out_trade_no ?? null,
    execution: found.status.name,
    status: status === NOTHING_SAID ? null : status,
    outcome: attributes.get(SEARCH_ATTRIBUTE.outcome) ?? null,
    attention,
    waits_since: attention === null ? null : waitOf(found).waits_since,
    taken_by: attributes.get(SEARCH_ATTRIBUTE.takenBy) ?? null,
    method: attributes.get(SEARCH_ATTRIBUTE.method) ?? null,
    ...moneyRead(attributes.get(SEARCH_ATTRIBUTE.money)),
    trade_no: attributes.get(SEARCH_ATTRIBUTE.tradeNo) ?? null,
    started_at: found.startTime.toISOString(),
    closed_at: found.closeTime?.toISOString() ?? null,
    expires_at: attributes.get(SEARCH_ATTRIBUTE.expiresAt)?.toISOString() ?? null,
  };
}
