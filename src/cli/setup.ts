/**
 * `payment-gateway setup`: prepares a namespace for payments: the namespace itself if asked for, its search attributes, and the jobs that
 * Temporal starts by itself. Safe to repeat.
 */
import { Client } from '@temporalio/client';
import { RETENTION_MS, scheduledJobs } from '../contract';
import { DAY, HOUR } from '../gateway/pure/durations';
import { withDevSettings } from '../process/dev-settings';
import type { Environment } from '../process/environment';
import { appIdsOf, loadConfig } from '../process/settings';
import { connect, connectToServer, temporalConfig } from '../temporal/connection';
import { prepareNamespace } from '../temporal/namespaces';
import { makeSchedule, unwantedSchedules } from '../temporal/schedules';
import { registerSearchAttributes } from '../temporal/search-attributes';
import { durationOf } from './operator/options';
import { say } from './print';

export interface SetupOptions {
  /** Make this namespace if it is missing, and prepare it. */
  namespace?: string;
  /** How long it keeps closed payments, such as `30d`. */
  retention?: string;
}

/**
 * Sends nothing encrypted, so it needs no keys. Throws ConfigError, TemporalUnreachableError, UnknownNamespaceError,
 * NamespaceRefusedError and AttributesNotOfferedError.
 */
export async function setup({ namespace: named, retention }: SetupOptions, given: Environment): Promise<void> {
  const { env: settings } = withDevSettings(given);
  const config = loadConfig(settings);
  const env = named === undefined ? settings : { ...settings, TEMPORAL_NAMESPACE: named };
  const kept = retention === undefined ? undefined : durationOf('--retention', retention);
  const { connection, namespace } = await (named === undefined ? connect(env) : connectToServer(env));
  try {
    if (named !== undefined || kept !== undefined)
      for (const line of told(namespace, await prepareNamespace(connection, namespace, kept))) say(line);
    const added = await registerSearchAttributes(connection, namespace);
    const said = added.length > 0 ? `registered ${added.join(', ')}` : 'every search attribute is registered already';
    say(`Namespace ${namespace}: ${said}.`);
    const others = temporalConfig(settings).namespace;
    if (namespace !== others)
      say(
        `Set TEMPORAL_NAMESPACE=${namespace} for worker, webhook and commands: with these settings they use ${others}.`,
      );
    const app_ids = appIdsOf(config);
    const client = new Client({ connection, namespace });
    const jobs = config.PAYMENTS_SCHEDULES ? scheduledJobs(app_ids) : [];
    for (const job of jobs) {
      const paused = await makeSchedule(client, job, config.PAYMENTS_TASK_QUEUE);
      say(`Schedule ${job.schedule_id}: ${paused === null ? 'ready.' : `up to date, but ${paused}`}`);
    }
    for (const schedule_id of await unwantedSchedules(client, jobs)) say(leftOver(schedule_id, namespace));
    if (!config.PAYMENTS_SCHEDULES) say('No Schedules were made: PAYMENTS_SCHEDULES is false.');
    else if (app_ids.length === 0)
      say('No reconciliation was scheduled: set GATEWAY_APP_ID or GATEWAY_APPS_FILE, and run setup again.');
  } finally {
    await connection.close();
  }
}

/** The Schedule is not deleted here: workers with other settings may use the namespace, too. */
const leftOver = (schedule_id: string, namespace: string) =>
  `Schedule ${schedule_id}: runs on, and these settings do not want it. Where no others in ${namespace} do, end it: temporal schedule delete --namespace ${namespace} --schedule-id '${schedule_id}'`;

const CHANGES = {
  made: 'made, and keeps',
  changed: 'there already, and from now on keeps',
  none: 'there already, and keeps',
};

/** A retention that is too short is reported at once: otherwise only `check` would find it, later. */
function told(namespace: string, { change, retention }: Awaited<ReturnType<typeof prepareNamespace>>): string[] {
  const kept = retention % DAY === 0 ? `${retention / DAY}d` : `${Number((retention / HOUR).toFixed(1))}h`;
  const said = `Namespace ${namespace}: ${CHANGES[change]} closed payments for ${kept}.`;
  const days = `${RETENTION_MS / DAY}d`;
  const short = `That is too short for real money: after it Temporal guards no number. Keep them for ${days}: payment-gateway setup --namespace ${namespace} --retention ${days}`;
  return retention < RETENTION_MS ? [said, short] : [said];
}
