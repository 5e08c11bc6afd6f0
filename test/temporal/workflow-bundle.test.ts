/** What the bundle of our own worker brings along (performance, "What stands in the way"). */
import { runInContext } from 'node:vm';
import { ReusableVMWorkflowCreator, readBundle } from '../../src/testing/simulated-temporal/sdk-internals';
import { workflowBundle } from '../../src/testing/workflow-bundle';

/** A worker's sandbox; what its code sees can be asked for. */
class Sandbox extends ReusableVMWorkflowCreator {
  sees(expression: string): unknown {
    return runInContext(expression, this.context);
  }
}

test('stacks of a workflow are short, because the SDK keeps one of each promise', async () => {
  const { code } = await workflowBundle();
  const sandbox = await Sandbox.create(readBundle(code), 5_000, new Set());
  expect(sandbox.sees('Error.stackTraceLimit')).toBe(4);
});
