/** What is measured and logged around the end of Temporal's native runtime. */
import { Runtime } from '@temporalio/worker';
import { runtimeOnce, runtimeRecorder } from '../../src/temporal/runtime';

test('what is measured after the last Worker has ended asks for no new runtime, which would take Ctrl-C and keep the process', async () => {
  const runtime = runtimeOnce();
  const record = runtimeRecorder(['app-1'], runtime);
  record('circuit', 0, { app_id: 'app-1' });
  const { logger } = runtime();
  await Runtime.instance().shutdown();

  const asked = jest.spyOn(Runtime, 'instance');
  record('jobStopped', 1, { schedule_id: 'payment-sweep:app-1' });
  logger.info('a look that was under way has ended');
  expect(runtime()).toBeInstanceOf(Runtime);
  expect(asked).not.toHaveBeenCalled();
});
