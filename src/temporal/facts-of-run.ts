/** The facts of a run of an order, and what was concluded from each: a worker answers, also for a run that is over. */
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { type FactsOfRun, QUERY } from '../contract';

const text = z.string();
const conclusion = z.object({ what: text, from: text.nullable(), to: text.nullable(), rule: text });
const ms = z.number();

const factsOfRun = z.object({
  /** As the run's worker has them: a story reads them. */
  settings: z.unknown(),
  facts: z.array(
    z.object({
      at: ms,
      is: text,
      world: z.looseObject({ is: text }).nullable(),
      by: text,
      said: text,
      concluded: z.array(conclusion),
    }),
  ),
  left_out: z.number(),
});

export type ReadFacts = z.infer<typeof factsOfRun>;
export type ReadFact = ReadFacts['facts'][number];

/** Undefined if no worker has answered within `within_ms`, or its code has no such query. */
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
