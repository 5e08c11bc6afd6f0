/** Notifications that were acknowledged after the last workflow task of a run that somebody ended: only its history has them. */
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { SIGNAL } from '../contract';
import { ifExists } from '../temporal/runs';
import { givenTo, NOTHING_GIVEN } from '../temporal/workflow-history';

const text = z.string().optional();
const claim = z.object({
  ...{ trade_no: text, trade_status: text, out_request_no: text, out_trade_no: text },
  ...{ method: text, amount: text, currency: text },
});

export type UntakenNotification = z.infer<typeof claim>;

/** The notifications of a run beyond those that it had taken, without what nobody will ever read. Throws if a key is missing. */
export async function untakenNotifications(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
  taken: number,
): Promise<UntakenNotification[]> {
  const { signals } = await ifExists(() => givenTo(client, workflowId, runId), NOTHING_GIVEN);
  const notified = signals.filter(({ name }) => name === SIGNAL.notification).slice(taken);
  return notified.flatMap(({ argument }) => claim.safeParse(argument).data ?? []);
}
