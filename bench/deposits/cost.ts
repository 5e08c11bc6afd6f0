/** What a deposit costs: events and workflow tasks in Temporal, and CPU of server and worker. */
import type { Client } from '@temporalio/client';
import { processes, processOf } from '../processes.cjs';

/** What processes have used so far, in ms; NaN where the machine does not tell. */
export interface Cpu {
  server: number;
  worker: number;
}

export function cpuOf(worker: number | undefined): Cpu {
  const used = worker === undefined ? undefined : processOf(worker);
  return { server: server()?.cpu_ms ?? Number.NaN, worker: used?.cpu_ms ?? Number.NaN };
}

/** Temporal's development server, a child of this process. */
export function server() {
  return processes().find(({ name, parent }) => parent === process.pid && name.startsWith('temporal'));
}

export function usedSince(before: Cpu, now: Cpu): Cpu {
  return { server: now.server - before.server, worker: now.worker - before.worker };
}

/** Counted over every run of a workflow. */
export interface HistoryCost {
  events: number;
  tasks: number;
}

export async function historyCost(client: Client, workflowId: string): Promise<HistoryCost> {
  const cost = { events: 0, tasks: 0 };
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    cost.events += events?.length ?? 0;
    cost.tasks += (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes).length;
  }
  return cost;
}
