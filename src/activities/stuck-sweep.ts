/** Counts what is stuck and what needs a person, from Temporal's lists. */
import { getClient, log, metricMeter } from '@temporalio/activity';
import type { StuckSweepActivities } from '../contract';
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
    gauge('payments_stuck', 'open payments past their time, unsent, or without a worker', stuck);
    gauge('payments_under_attention', 'workflows that need a person', under_attention);
    return { stuck, under_attention, some, has_listener };
  },
});

const gauge = (name: string, meaning: string, value: number) =>
  metricMeter.createGauge(name, 'int', undefined, meaning).set(value);
