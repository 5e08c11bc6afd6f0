/** `payment-gateway setup`: prepares a namespace for payments: search attributes, and the jobs that Temporal starts by itself. Safe to repeat. */
import { Client } from '@temporalio/client';
import { scheduledJobs } from '../contract';
import { withDevSettings } from '../process/dev-settings';
import type { Environment } from '../process/environment';
import { appIdsOf, loadConfig } from '../process/settings';
import { connect } from '../temporal/connection';
import { makeSchedule } from '../temporal/schedules';
import { registerSearchAttributes } from '../temporal/search-attributes';
import { say } from './print';

/** Nothing that it sends is encrypted, so it needs no keys. Throws ConfigError, and TemporalUnreachableError. */
export async function setup(given: Environment): Promise<void> {
  const { env } = withDevSettings(given);
  const config = loadConfig(env);
  const { connection, namespace } = await connect(env);
  try {
    const added = await registerSearchAttributes(connection, namespace);
    const said = added.length > 0 ? `registered ${added.join(', ')}` : 'every search attribute is registered already';
    say(`Namespace ${namespace}: ${said}.`);
    if (!config.PAYMENTS_SCHEDULES) return say('No Schedules were made: PAYMENTS_SCHEDULES is false.');
    const app_ids = appIdsOf(config);
    const client = new Client({ connection, namespace });
    for (const job of scheduledJobs(app_ids)) {
      await makeSchedule(client, job, config.PAYMENTS_TASK_QUEUE);
      say(`Schedule ${job.schedule_id}: ready.`);
    }
    if (app_ids.length === 0)
      say('No reconciliation was scheduled: set GATEWAY_APP_ID or GATEWAY_APPS_FILE, and run setup again.');
  } finally {
    await connection.close();
  }
}
