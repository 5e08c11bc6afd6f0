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
  // An app that these settings lack has no job of theirs.
  if (app_id !== undefined && !appIdsOf(config).includes(app_id)) return [];
  if (!isAsked || !config.PAYMENTS_SCHEDULES || Object.values(others).some((one) => one !== undefined)) return [];
  const jobs = scheduledJobs(app_id === undefined ? appIdsOf(config) : [app_id]);
  return (await troubledJobs(client, jobs, now)).map((one) => listedJob(one, now));
}
