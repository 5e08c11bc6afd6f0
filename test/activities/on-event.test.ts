/** What becomes of an error that a merchant's event handler throws, which delivery an address's events go to, and who listens. */
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { endpointActivities } from '../../src/activities/event-endpoints';
import { eventActivity } from '../../src/activities/on-event';
import {
  attemptsWithin,
  EVENT_HANDLER,
  eventDeliveryWorkflowId,
  type MerchantEvent,
  runStream,
} from '../../src/contract';
import { HOUR } from '../../src/gateway/pure/durations';
import { endpointOf } from '../../src/process/settings';
import { notingClient } from '../harness/noting-client';

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
  const failure: unknown = await activities['payments.onEvent'](EVENT, []).catch((error: unknown) => error);
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

test('a failure may say that there is no next try, and not when it is: attempts are counted for three days', async () => {
  const failure = await failureOf(ApplicationFailure.create({ nonRetryable: true, nextRetryDelay: '1 year' }));
  expect(failure).toMatchObject({ nonRetryable: true, nextRetryDelay: undefined });
});

test('a handler that succeeds gets the event', async () => {
  const heard: MerchantEvent[] = [];
  await eventActivity((event) => void heard.push(event))['payments.onEvent'](EVENT, []);
  expect(heard).toEqual([EVENT]);
});

const URLS = ['https://one.example.com'];
test.each([
  ['the handler', [EVENT_HANDLER], undefined],
  ['an address', URLS.map(endpointOf), undefined],
  ['one of two addresses', [...URLS, 'https://two.example.com'].map(endpointOf), URLS],
])(
  'a worker that lacks %s with which a payment began tells nobody, and another one tries',
  async (_what, began, urls) => {
    const client = notingClient();
    const signalWithStart = jest.fn();
    Object.assign(client.workflow, { signalWithStart });
    const activities = eventActivity(undefined, urls && { urls, secrets: [], giveUpMs: 1 });
    const tried = new MockActivityEnvironment({}, { client }).run(activities['payments.onEvent'], EVENT, began);
    await expect(tried).rejects.toMatchObject({ type: 'EventNotTaken' });
    expect(signalWithStart).not.toHaveBeenCalled();
  },
);

test('where nobody listens any more, an event is told to nobody', async () => {
  await expect(eventActivity(undefined)['payments.onEvent'](EVENT, [])).resolves.toMatchObject({ told: [] });
});

describe('the delivery to an address', () => {
  const ACCOUNT_ID = 'spei-account:app-1:account-1';
  const account = {
    ...{ app_id: 'app-1', account_id: 'account-1', account: { account_id: 'account-1' }, status: 'ACTIVE' },
    ...{ attention: null, attention_since: null, taken: null, deposits: { count: 0, total: {} } },
  };
  const ofAccount: MerchantEvent = { ...{ id: 'event-2', type: 'account-status', time: EVENT.time }, account };

  /** The deliveries to two addresses that have the event which this workflow tells. */
  async function deliveriesOf(event: MerchantEvent, workflowExecution: { workflowId: string; runId: string }) {
    const ids: string[] = [];
    const client = notingClient();
    Object.assign(client.workflow, {
      signalWithStart: async (_type: string, { workflowId }: { workflowId: string }) => ids.push(workflowId),
    });
    const urls = ['https://one.example.com', 'https://two.example.com'];
    const activities = eventActivity(undefined, { urls, secrets: [], giveUpMs: 1 });
    await new MockActivityEnvironment({ workflowExecution }, { client }).run(activities['payments.onEvent'], event, []);
    return ids.map((id) => id.replace(/^event-delivery:[0-9a-f]{12}:/, ''));
  }

  test('each run of an account has its own, so that no number of deposits fills one', async () => {
    const runs = ['run-1', 'run-2'].map((runId) => ({ workflowId: ACCOUNT_ID, runId }));
    const streams = await Promise.all(runs.map((run) => deliveriesOf(ofAccount, run)));
    expect(streams).toEqual(runs.map((run) => [runStream(run), runStream(run)]));
  });

  test('an account’s event that the handler takes late goes to the one of the run that told it', async () => {
    const run = { workflowId: ACCOUNT_ID, runId: 'run-1' };
    const late = { workflowId: eventDeliveryWorkflowId(EVENT_HANDLER, runStream(run)), runId: 'of-the-delivery' };
    expect(await deliveriesOf(ofAccount, late)).toEqual(await deliveriesOf(ofAccount, run));
  });

  /** As many attempts as the delivery makes in that time. */
  const TWO_HOURS = attemptsWithin(2 * HOUR);

  /** What the deliveries to the addresses of the settings get of those that wait for one which is not among them. */
  async function movedTo(urls: readonly string[], attempt: number, heartbeatDetails?: string) {
    const told: object[] = [];
    const client = notingClient();
    Object.assign(client.workflow, {
      signalWithStart: async (
        _type: string,
        { workflowId, signalArgs }: { workflowId: string; signalArgs: unknown[] },
      ) => told.push({ workflowId, signalArgs }),
    });
    const stream = runStream({ workflowId: ACCOUNT_ID, runId: 'run-1' });
    const workflowExecution = { workflowId: eventDeliveryWorkflowId('mistyped', stream), runId: 'of-the-delivery' };
    const endpoints = urls.length === 0 ? undefined : { urls, secrets: [], giveUpMs: 1 };
    const activities = endpointActivities(endpoints);
    const events = [ofAccount, { ...ofAccount, id: 'event-3' }];
    const input = { endpoint: 'mistyped', events };
    const env = new MockActivityEnvironment({ workflowExecution, attempt, heartbeatDetails }, { client });
    return { told, stream, events, taken: await env.run(activities['payments.postEvents'], input) };
  }

  test('that no worker has had for hours goes, with the same ids, to those of the addresses that are there', async () => {
    const url = 'https://one.example.com';
    const { told, stream, events, taken } = await movedTo([url], TWO_HOURS);
    expect(told).toEqual([{ workflowId: eventDeliveryWorkflowId(endpointOf(url), stream), signalArgs: [events] }]);
    expect(taken).toBe(2);
  });

  test.each([
    ['no worker has had for hours, where there is no other', [], TWO_HOURS, undefined],
    ['one worker lacks for less', ['https://one.example.com'], TWO_HOURS - 1, undefined],
    ['one worker lacks and another one has', ['https://one.example.com'], 10 * TWO_HOURS, 'present'],
  ])('that %s keeps its events', async (_which, urls, attempt, noted) => {
    await expect(movedTo(urls, attempt, noted)).rejects.toMatchObject({ type: 'EventNotTaken' });
  });
});
