/** What workflows measure, as a Worker takes it. */
import type { WorkflowInfo } from '@temporalio/workflow';
import { metricSinks } from '../../src/temporal/meter';

test('what a run measures is counted once, where its last task is done again for a signal that met its end', () => {
  const recorded: unknown[] = [];
  const { fn } = metricSinks((name) => recorded.push(name)).paymentMetrics.record;
  const measure = (runId: string, of: string) =>
    fn({ runId } as WorkflowInfo, 'refundsRequested', 1, { app_id: 'app-1' }, of);
  for (const part of ['part-1', 'part-2', 'part-1', 'part-2']) measure('run-1', part);
  expect(recorded).toHaveLength(2);
  measure('run-2', 'part-1');
  expect(recorded).toHaveLength(3);
});

test('ten thousand measurements later, the first is forgotten: a worker of months keeps no more', () => {
  const recorded: number[] = [];
  const { fn } = metricSinks((_, value) => recorded.push(value)).paymentMetrics.record;
  const ended = (run: number) =>
    fn(
      { runId: `run-${run}` } as WorkflowInfo,
      'ended',
      run,
      { app_id: 'app-1', method: 'PIX', outcome: 'SUCCESS' },
      '',
    );
  for (let run = 0; run <= 10_000; run++) ended(run);
  ended(10_000);
  ended(0);
  expect(recorded).toHaveLength(10_002);
});
