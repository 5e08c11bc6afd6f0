/** `payment-gateway show ORDER --why`: the facts of an order, each with the conclusions from it and their rules. */
import type { Client } from '@temporalio/client';
import { type Conclusion, WORKFLOW } from '../../contract';
import { factsOf, type ReadFact } from '../../temporal/facts-of-run';
import { printable } from '../print';
import { type OrderRun, QUERY_TIMEOUT_MS } from './case';
import { utc } from './times';

/** Facts as a run reports them. Null if no worker has answered. */
export interface WhyOfRun {
  workflow_id: string;
  run_id: string;
  facts: readonly ToldFact[] | null;
  /** How many earlier facts are left out. */
  left_out: number;
}

/** A fact in words only: the fact itself may hold what only the buyer may see. */
interface ToldFact extends Pick<ReadFact, 'by' | 'said' | 'concluded'> {
  /** ISO 8601, UTC. */
  time: string;
}

const HAS_FACTS: readonly string[] = [WORKFLOW.payment, WORKFLOW.afterSale];

/** The runs of an order that can tell their facts, the oldest first. */
export const runsWithFacts = (runs: readonly OrderRun[]): OrderRun[] =>
  runs.filter(({ type }) => HAS_FACTS.includes(type)).reverse();

/** Asks each run of the order's payment and after-sale. */
export async function readWhy(client: Client, runs: readonly OrderRun[]): Promise<WhyOfRun[]> {
  return Promise.all(
    runsWithFacts(runs).map(async ({ workflow_id, run_id }) => {
      const told = await factsOf(client, { workflow_id, run_id }, QUERY_TIMEOUT_MS);
      const facts = told?.facts.map(({ at, by, said, concluded }) => ({
        ...{ time: new Date(at).toISOString(), by, said, concluded },
      }));
      return { workflow_id, run_id, facts: facts ?? null, left_out: told?.left_out ?? 0 };
    }),
  );
}

/** The same as lines. */
export function whyText(why: readonly WhyOfRun[]): string[] {
  return why.flatMap(({ workflow_id, run_id, facts, left_out }) => [
    '',
    // A workflow has a run for each time that it was started again.
    printable(`${workflow_id}, run ${run_id}`),
    ...(facts === null ? ['  No worker has answered for it. Is one running, of this version?'] : []),
    ...(left_out > 0 ? [`  … ${left_out} earlier facts are not told`] : []),
    ...(facts ?? []).flatMap(({ time, by, said, concluded }) => [
      printable(`  ${utc(time)}  ${by}: ${said}`),
      ...concluded.map((one) => printable(`      ${conclusionText(one)}`)),
    ]),
  ]);
}

function conclusionText({ what, from, to, rule }: Conclusion): string {
  if (from === to) return `${what} changes nothing: ${rule}`;
  const because = `${rule.charAt(0).toUpperCase()}${rule.slice(1)}`;
  return `${what}: ${from === null ? '' : `${from} → `}${to ?? 'none'}. ${because}`;
}
