/** What a deposit costs: events and workflow tasks in Temporal, and CPU of server and worker. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** What processes have used so far, in ms; NaN where the machine does not tell. */
export interface Cpu {
  server: number;
  worker: number;
}

/** `server`: the development server is a child of this process. */
export function cpuOf(worker: number | undefined): Cpu {
  return { server: cpuMs(childNamed('temporal')), worker: cpuMs(worker) };
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

function cpuMs(pid: number | undefined): number {
  const [user, system] = (pid === undefined ? undefined : statOf(pid))?.slice(11, 13) ?? [];
  return (Number(user) + Number(system)) * TICK_MS;
}

function childNamed(name: string): number | undefined {
  const pids = read(() => readdirSync('/proc'))?.filter((entry) => /^\d+$/.test(entry)) ?? [];
  const found = pids.find((pid) => {
    const isNamed = read(() => readFileSync(`/proc/${pid}/comm`, 'utf8'))?.startsWith(name) === true;
    return isNamed && statOf(Number(pid))?.[1] === String(process.pid);
  });
  return found === undefined ? undefined : Number(found);
}

/** The fields of a process after its name, which may hold spaces: its state, its parent, and so on. */
function statOf(pid: number): string[] | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Only Linux has these files, and a process may have ended. */
function read<T>(what: () => T): T | undefined {
  try {
    return what();
  } catch {
    return undefined;
  }
}
