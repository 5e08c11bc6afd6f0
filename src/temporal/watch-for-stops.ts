/** What a worker looks at beside its work, because what has stopped cannot say so itself: jobs, and a deploy that nobody has ended. */
import type { Client } from '@temporalio/client';
import type { Logger } from '@temporalio/common';
import type { Recorder, ScheduledJob } from '../contract';
import { messageOf } from '../process/message-of';
import { Deployments } from './deployments';
import { troubledJobs } from './schedules';

interface Watched {
  jobs: readonly ScheduledJob[];
  /** The Worker Deployment that the worker is a version of. */
  deployment: string | undefined;
}

interface Teller {
  record: Recorder;
  log: Pick<Logger, 'error' | 'warn'>;
}

const EVERY_MS = 15 * 60_000;

/** Looks at once and then regularly, until it is closed. */
export function watchForStops(client: Client, watched: Watched, told: Teller): { close(): void } {
  const timer = setInterval(() => look(client, watched, told, new Date()), EVERY_MS);
  void look(client, watched, told, new Date());
  return { close: () => clearInterval(timer) };
}

/** Looks once. Never throws: what cannot be read keeps its last reported value. */
export async function look(client: Client, { jobs, deployment }: Watched, told: Teller, now: Date): Promise<void> {
  const tried = (what: string, act: () => Promise<void>) =>
    act().catch((error: unknown) => told.log.warn(`it was not found out ${what}`, { reason: messageOf(error) }));
  await tried('whether the scheduled jobs do their work', () => lookAtJobs(client, jobs, told, now));
  if (deployment !== undefined) await tried('how far the deploy is', () => lookAtRamp(client, deployment, told, now));
}

async function lookAtJobs(client: Client, jobs: readonly ScheduledJob[], told: Teller, now: Date): Promise<void> {
  const troubles = await troubledJobs(client, jobs, now);
  for (const { schedule_id } of jobs) {
    const { problem, text } = troubles.find((trouble) => trouble.schedule_id === schedule_id) ?? {};
    const of = { schedule_id, problem };
    if (problem === 'unknown') {
      told.log.warn(`the job ${schedule_id}: ${text}`, of);
      continue;
    }
    told.record('jobStopped', problem === undefined ? 0 : 1, { schedule_id });
    if (problem !== undefined) told.log.error(`the job ${schedule_id} needs a person (job-stopped): ${text}`, of);
  }
}

async function lookAtRamp(client: Client, deployment: string, { record }: Teller, now: Date): Promise<void> {
  const deployments = new Deployments(client.workflowService, client.options.namespace, client.options.identity);
  const since = await deployments.rampedSince(deployment);
  record('ramped', since === null ? 0 : Math.max(0, (now.getTime() - since.getTime()) / 1_000), {});
}
