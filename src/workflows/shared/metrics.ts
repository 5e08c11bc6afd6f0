/** What workflows measure. The worker counts each value once, however often the workflow is replayed or its last task repeated. */
import { proxySinks, workflowInfo } from '@temporalio/workflow';
import type { MetricSinks, WorkflowRecorder } from '../../contract';

const { paymentMetrics } = proxySinks<MetricSinks>();

export const recordMetric: WorkflowRecorder = (name, value, labels, of = '') => {
  if (!workflowInfo().unsafe.isReplaying) paymentMetrics.record(name, value, labels, of);
};

/** Seconds since a time. `since`: ms since the epoch. */
export const secondsSince = (since: number): number => Math.max(0, (Date.now() - since) / 1_000);

/** How long notifications wait until the gateway has answered for them. */
export class NotificationEffect {
  /** Since when a notification waits, in ms since the epoch. */
  private since: number | null = null;

  constructor(private readonly app_id: string) {}

  begins(): void {
    this.since ??= Date.now();
  }

  /** The gateway has answered for all that came. */
  ends(): void {
    if (this.since === null) return;
    recordMetric('notificationEffect', secondsSince(this.since), { app_id: this.app_id }, String(this.since));
    this.since = null;
  }
}
