/** What a failed activity says of the order, refund or account that it was to send. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { FAILURE, typedFailure } from '../../../src/contract';
import { sendingFailure } from '../../../src/workflows/shared/activity-failure';

const failureOf = (cause: Error, retryState: RetryState = RetryState.NON_RETRYABLE_FAILURE) =>
  new ActivityFailure('Activity task failed', 'gateway.create', '1', retryState, 'worker', cause);
const retryable = (type: string) => ApplicationFailure.create({ type, message: type });

test.each<[what: string, error: Error, is: string]>([
  ['a rule of ours is broken', failureOf(typedFailure(FAILURE.invalidRequest, 'wrong')), 'refused'],
  ['it was called off before anything was sent', failureOf(retryable('GatewayUnavailable')), 'unsent'],
  ['an interceptor threw while it was called off', failureOf(retryable('Error')), 'unknown'],
  ['an interceptor threw for good', failureOf(ApplicationFailure.nonRetryable('over', 'Quota')), 'unknown'],
  ['a person failed the activity', failureOf(ApplicationFailure.nonRetryable('by hand')), 'unknown'],
  [
    'a failure of our type was not to be retried',
    failureOf(ApplicationFailure.nonRetryable('no', 'GatewayUnavailable')),
    'unknown',
  ],
  ['its time was over', failureOf(new TimeoutFailure('', undefined, TimeoutType.START_TO_CLOSE)), 'unknown'],
  ['it was cancelled before it began', failureOf(new CancelledFailure('')), 'none'],
  ['the workflow’s own code failed', new TypeError('ours'), 'none'],
])('where %s', (_, error, is) => expect(sendingFailure(error).is).toBe(is));
