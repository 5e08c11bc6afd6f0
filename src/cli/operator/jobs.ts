/** The jobs that do not do their work, for the lists of what needs a person. */
import { scheduledJobs } from '../../contract';
import { appIdsOf } from '../../process/settings';
import type { PaymentFilter } from '../../temporal/payment-query';
import { listedJob, troubledJobs } from '../../temporal/schedules';
import type { ListedWorkflow } from '../../temporal/workflow-list';
import type { Operator } from './connection';

/** Empty if the filter asks for something else, or if the settings say that there are no Schedules. */
export async function jobsInTrouble(
  { client, config }: Operator,
  { attention, app_id, ...others }: PaymentFilter,
  now: Date,
): Promise<ListedWorkflow[]> {
  const isAsked = attention === true || attention === 'job-stopped';
  if (!isAsked || !config.PAYMENTS_SCHEDULES || Object.values(others).some((one) => one !== undefined)) return [];
  const apps = appIdsOf(config).filter((one) => app_id === undefined || one === app_id);
  // An app that these settings lack has no job of theirs.
  const jobs = apps.length === 0 && app_id !== undefined ? [] : scheduledJobs(apps);
  return (await troubledJobs(client, jobs, now)).map((one) => listedJob(one, now));
}
