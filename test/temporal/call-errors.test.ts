/** A call that comes while a workflow is just ending is made once more; an answer is never asked for again. */
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { FAILURE, typedFailure } from '../../src/contract';
import { askWhileClosing } from '../../src/temporal/call-errors';

const updateFailed = (type: string) => new WorkflowUpdateFailedError('failed', typedFailure(type, 'no'));

/** Fails with each error in turn, then answers with how often it was called. */
function failing(...errors: Error[]): () => Promise<number> {
  let calls = 0;
  return async () => {
    const error = errors[calls];
    calls += 1;
    if (error) throw error;
    return calls;
  };
}

const soon = () => Date.now() + 60_000;

test.each([
  ['says that it is ending', updateFailed(FAILURE.closing)],
  ['has ended before it took the call', new WorkflowNotFoundError('gone', 'payment:x:y', undefined)],
])('a call is made again where the run %s', async (_what, error) => {
  expect(await askWhileClosing(failing(error), soon())).toBe(2);
});

test.each([
  ['NotFound', updateFailed(FAILURE.notFound)],
  ['PaymentPending', updateFailed(FAILURE.pending)],
  ['an error of another kind', new Error('no connection')],
])('%s is thrown at once', async (_what, error) => {
  await expect(askWhileClosing(failing(error), soon())).rejects.toBe(error);
});

test('a call is not made again where its time is over', async () => {
  const error = updateFailed(FAILURE.closing);
  await expect(askWhileClosing(failing(error), Date.now() + 500)).rejects.toBe(error);
});
