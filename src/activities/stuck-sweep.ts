/** Counts what is stuck and what needs a person, from Temporal's lists. */
import { getClient, log, metricMeter } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ATTENTION_WORDS, METRIC, type Metric, type StuckSweepActivities } from '../contract';
import { paymentQuery } from '../temporal/payment-query';
import { countWorkflows, listWorkflows } from '../temporal/workflow-list';

/** How many of the stuck payments are named. */
const NAMED = 20;

/** `has_listener`: the worker has an event handler, or addresses for events. */
export const stuckSweepActivities = (has_listener: boolean): StuckSweepActivities => ({
  async 'payments.sweep'({ stuck_ms }) {
    const client = getClient();
    const now = new Date();
    const query = paymentQuery({ stuck_ms }, now);
    const [stuck, under_attention] = await Promise.all([
      countWorkflows(client, query),
      countWorkflows(client, paymentQuery({ attention: true }, now)),
    ]);
    const some: { workflow_id: string; status: string | null }[] = [];
    if (stuck > 0) {
      for await (const { workflow_id, status } of listWorkflows(client, query)) {
        some.push({ workflow_id, status });
        if (some.length === NAMED) break;
      }
      log.warn('payments are stuck', { stuck });
    }
    gauge(METRIC.stuck, stuck);
    await countReasons(client, now);
    gauge(METRIC.sweptAt, Math.floor(now.getTime() / 1_000));
    return { stuck, under_attention, some, has_listener };
  },
});

/** Each reason is counted by itself, also those of nobody: a gauge that is not set again would stay as it was. */
async function countReasons(client: Client, now: Date): Promise<void> {
  for (const reason of ATTENTION_WORDS)
    gauge(METRIC.underAttention, await countWorkflows(client, paymentQuery({ attention: reason }, now)), { reason });
}

const gauge = ({ name, meaning }: Metric, value: number, labels: Record<string, string> = {}) =>
  metricMeter.createGauge(name, 'int', undefined, meaning).set(value, labels);
