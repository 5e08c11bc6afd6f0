/** The refunds that a run may have sent, by its history alone: no worker has to answer for it. */
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { EarlierAfterSale } from '../contract';
import { ifExists } from '../temporal/earlier-runs';
import { activityInputs } from '../temporal/workflow-history';

const attempt = z.object({
  request: z.object({ out_request_no: z.string(), refund_amount: z.string(), refund_currency: z.string() }),
});

/** What the activity `gateway.refund` was given. What nobody can read, such as clear text where keys are set, is left out. */
export async function sentRefunds(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<EarlierAfterSale['sent'][number][]> {
  const inputs = await ifExists(() => activityInputs(client, workflowId, runId, 'gateway.refund'), []);
  return inputs.flatMap((input) => {
    const { data } = attempt.safeParse(input);
    if (data === undefined) return [];
    const { out_request_no: number, refund_amount: amount, refund_currency: currency } = data.request;
    return [{ number, amount, currency }];
  });
}
