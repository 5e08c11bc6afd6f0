/** What activities record: on the recorder of their Worker. Outside of one, nothing is recorded. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import type { Recorder } from '../contract';

const recorders = new AsyncLocalStorage<Recorder>();

export const recordInActivity: Recorder = (name, value, labels) => recorders.getStore()?.(name, value, labels);

export class MeasuredActivities implements ActivityInboundCallsInterceptor {
  constructor(private readonly record: Recorder) {}

  execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    return recorders.run(this.record, () => next(input));
  }
}
