/** What a run's history has of the creation of its order: what it has sent, and what the runs before it, which it has read, had sent. */
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { dataOfCreation, type EarlierPayment, fieldsUnlikeKnown, type Order } from '../contract';
import { activitiesIn } from './activities-in-history';
import type { ShownRun } from './taken-run';

const CREATE = 'gateway.create';
const READ = 'payments.earlierRuns';

const created = z.object({ is: z.literal('created'), answer: z.looseObject({}) });

const text = z.string().optional();
const request = z.looseObject({
  ...{ out_trade_no: z.string(), order_amount: z.string(), order_currency: z.string() },
  ...{ method: text, timeout_express: text, cancellation_express: text },
});
const earlier = z.object({
  made: z.literal('order'),
  order: z.object({ kind: z.enum(['direct', 'checkout']), request }),
  payment_data: z.looseObject({ recovered: z.boolean() }).nullable(),
});
const told = z.object({ is: z.literal('told'), told: z.object({ runs: z.array(z.unknown()) }) });

export interface CreationInHistory extends Pick<EarlierPayment, 'payment_data' | 'trade_no'> {
  /** Whether the order may be made, by this run or by one before it. */
  mayBeMade: boolean;
}

export const NOTHING_CREATED: CreationInHistory = { mayBeMade: false, payment_data: null, trade_no: null };

/** The answer is that of the run's own creation, or else the one that it goes on from. Throws WorkflowNotFoundError. */
export async function creationIn(
  client: Client,
  run: Pick<ShownRun, 'workflowId' | 'runId'>,
  order: Order,
): Promise<CreationInHistory> {
  const begun = await activitiesIn(client, run, CREATE, READ);
  const sent = begun.filter(({ type }) => type === CREATE);
  const before = begun
    .flatMap(({ result }) => told.safeParse(result).data?.told.runs ?? [])
    .flatMap((one) => earlier.safeParse(one).data ?? [])
    .filter((one) => fieldsUnlikeKnown(order, one.order, null).length === 0);
  const answers = sent.flatMap(({ result }) => created.safeParse(result).data ?? []);
  const [payment_data = null] = [
    ...answers.map(({ answer }) => dataOfCreation(answer)),
    ...before.flatMap((one) => one.payment_data ?? []),
  ];
  const trade_no = z.string().min(1).safeParse(payment_data?.trade_no).data ?? null;
  return { mayBeMade: sent.length + before.length > 0, payment_data, trade_no };
}
