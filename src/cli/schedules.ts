/** `payment-gateway setup --schedules`: what Temporal starts by itself: the sweep, and a reconciliation of each app a day. */
import { type Client, ScheduleAlreadyRunning, type ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import { reconciliationWorkflowId, STUCK_SWEEP_WORKFLOW_ID, WORKFLOW } from '../contract';
import { HOUR } from '../gateway/pure/durations';
import { withDevSettings } from '../process/dev-settings';
import type { Environment } from '../process/environment';
import { type Config, loadConfig } from '../process/settings';
import { connectClient } from '../temporal/connection';
import { say } from './print';

/** Makes the Schedules, or brings those that are there up to date. Safe to repeat. */
export async function makeSchedules(given: Environment): Promise<void> {
  const { env } = withDevSettings(given);
  const config = loadConfig(env);
  const client = await connectClient(env, config);
  try {
    for (const schedule of schedulesOf(config)) {
      await makeSchedule(client, schedule);
      say(`Schedule ${schedule.scheduleId}: ready.`);
    }
  } finally {
    await client.connection.close();
  }
}

async function makeSchedule(client: Client, schedule: ScheduleOptions): Promise<void> {
  try {
    await client.schedule.create(schedule);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule.getHandle(schedule.scheduleId).update(({ state }) => ({
      spec: schedule.spec,
      action: schedule.action,
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day', pauseOnFailure: false },
      state,
    }));
  }
}

/** The sweep every quarter of an hour, and each app's day before at four in the morning, UTC. */
function schedulesOf({ apps, GATEWAY_APP_ID, PAYMENTS_TASK_QUEUE: taskQueue }: Config): ScheduleOptions[] {
  const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' } as const;
  const ids = new Set([...apps.map(({ app_id }) => app_id), ...(GATEWAY_APP_ID === undefined ? [] : [GATEWAY_APP_ID])]);
  const start = (workflowType: string, workflowId: string, input: object, staticSummary: string) =>
    ({ type: 'startWorkflow', workflowType, workflowId, taskQueue, args: [input], staticSummary }) as const;
  return [
    {
      scheduleId: 'payments-stuck-sweep',
      spec: { intervals: [{ every: '15 minutes' }] },
      action: start(WORKFLOW.stuckSweep, STUCK_SWEEP_WORKFLOW_ID, { stuck_ms: HOUR }, 'Sweep for stuck payments'),
      policies,
    },
    ...[...ids].map((app_id) => ({
      scheduleId: `payments-reconciliation:${app_id}`,
      spec: { calendars: [{ hour: 4, minute: 0 }] },
      action: start(
        WORKFLOW.reconciliation,
        reconciliationWorkflowId(app_id, 'daily'),
        { app_id },
        `Reconciliation of ${app_id}`,
      ),
      policies: { ...policies, overlap: ScheduleOverlapPolicy.ALLOW_ALL },
    })),
  ];
}
