/** The facts of a run of an order, and what was concluded from each: a worker answers, also for a run that is over. */
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { type FactsOfRun, QUERY } from '../contract';

const text = z.string();
const conclusion = z.object({ what: text, from: text.nullable(), to: text.nullable(), rule: text });
const ms = z.number();

/** What the policy of a run is read for. */
const settings = z.looseObject({ settling_ms: ms, patience_ms: ms, poll_schedule_ms: z.array(ms), poll_every_ms: ms });

const factsOfRun = z.object({
  settings: settings.nullable(),
  facts: z.array(
    z.object({
      at: ms,
      fact: z.looseObject({ is: text }),
      by: text,
      said: text,
      concluded: z.array(conclusion),
    }),
  ),
  left_out: z.number(),
});

export type ReadFacts = z.infer<typeof factsOfRun>;
export type ReadFact = ReadFacts['facts'][number];

/** Undefined where no worker has answered within so many ms, or its code has no such query. */
export async function factsOf(
  client: Client,
  { workflow_id, run_id }: { readonly workflow_id: string; readonly run_id: string },
  within_ms: number,
): Promise<ReadFacts | undefined> {
  const handle = client.workflow.getHandle(workflow_id, run_id);
  const told = await client
    .withDeadline(Date.now() + within_ms, () => handle.query<FactsOfRun>(QUERY.facts))
    .catch(() => undefined);
  return factsOfRun.safeParse(told).data;
}
