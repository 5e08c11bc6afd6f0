/** What becomes of an error that a merchant's event handler throws. */
import { ApplicationFailure } from '@temporalio/common';
import { eventActivity } from '../../src/activities/on-event';
import type { MerchantEvent } from '../../src/contract';

const EVENT: MerchantEvent = {
  id: 'event-1',
  type: 'stuck-payments',
  time: '2026-01-01T00:00:00.000Z',
  sweep: { stuck: 1, under_attention: 0, some: [] },
};
const BUYER = 'mail to maria@example.com (CPF 502.844.147-27) bounced';

/** The failure of the activity whose handler throws this. */
async function failureOf(thrown: unknown): Promise<ApplicationFailure> {
  const activities = eventActivity(() => {
    throw thrown;
  });
  const failure: unknown = await activities['payments.onEvent'](EVENT).catch((error: unknown) => error);
  if (failure instanceof ApplicationFailure) return failure;
  throw new Error('The activity has not failed');
}

test.each([
  ['an error', new TypeError(BUYER)],
  ['an error of many lines', new Error(`no\n    at ${BUYER}:1:1\n${BUYER}`)],
  ['an error with a cause', new Error(BUYER, { cause: new Error(BUYER) })],
  ['an error whose name is a text', Object.assign(new Error(BUYER), { name: BUYER })],
  ['a failure with details', ApplicationFailure.create({ type: BUYER, message: BUYER, details: [BUYER] })],
  ['a text', BUYER],
])('%s leaves nothing of its text: only its kind and where it was thrown', async (_, thrown) => {
  const failure = await failureOf(thrown);
  const { message, type, stack, details, cause } = failure;
  expect(type).toBe('EventHandlerFailed');
  expect(JSON.stringify({ message, type, stack, details, cause })).not.toMatch(/maria|502\.844/);
  if (thrown instanceof Error) expect(stack).toContain('on-event.test.ts');
});

test('a failure keeps what it says about the next try', async () => {
  const failure = await failureOf(ApplicationFailure.create({ nonRetryable: true, nextRetryDelay: '1 hour' }));
  expect(failure).toMatchObject({ nonRetryable: true, nextRetryDelay: '1 hour' });
});

test('a handler that succeeds gets the event', async () => {
  const heard: MerchantEvent[] = [];
  await eventActivity((event) => void heard.push(event))['payments.onEvent'](EVENT);
  expect(heard).toEqual([EVENT]);
});
