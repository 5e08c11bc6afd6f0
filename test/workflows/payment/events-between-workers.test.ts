/** Workers have different settings for a while, or one of them for good: every event comes at least once (docs/events.md). */
import { createServer } from 'node:http';
import { type EventEndpoints, endpointActivities, endpointOf, eventActivity } from '../../../src/activities';
import {
  eventDeliveryWorkflowId,
  type MerchantEvent,
  type PostedEvents,
  paymentWorkflowId,
  SIGNAL,
  WORKFLOW,
} from '../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { FakeGateway } from '../../../src/testing/fake-gateway/fake-gateway';
import { SimulatedEnvironment } from '../../../src/testing/simulated-temporal/environment';
import { APP } from '../../../src/testing/stack';
import { fakeWorkerActivities } from '../../../src/testing/worker-activities';
import { order } from '../../harness/orders';

let env: SimulatedEnvironment;
beforeEach(async () => {
  env = await SimulatedEnvironment.create();
});
afterEach(() => env.teardown());

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** An address, and the ids of the events that it has got. */
async function receiver() {
  const got: string[] = [];
  const server = createServer((request, response) => {
    got.push(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.end());
  });
  closing.push(() => server.close());
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  const address = server.address();
  return { got, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/` };
}

const withUrls = (urls: readonly string[]): EventEndpoints | undefined =>
  urls.length === 0
    ? undefined
    : { urls, secrets: [`whsec_${Buffer.alloc(24, 1).toString('base64')}`], giveUpMs: 3 * DAY };

const SUBJECT = 'payment:app:order-1';
const EVENT: MerchantEvent = {
  ...{ id: 'event-1', type: 'stuck-payments', time: '2026-01-01T00:00:00.000Z' },
  sweep: { stuck: 1, under_attention: 0, some: [] },
};

test.each([
  ['has the other addresses', (other: string) => [other]],
  ['has no address', () => []],
])('an event comes to its address although a worker that %s takes the first tries', async (_which, urlsOfOld) => {
  const [other, own] = [await receiver(), await receiver()];
  const old = endpointActivities(withUrls(urlsOfOld(other.url)));
  const restarted = endpointActivities(withUrls([other.url, own.url]));
  let tries = 0;
  env.work({
    'payments.postEvents': (posted: PostedEvents) => {
      tries += 1;
      return (tries <= 5 ? old : restarted)['payments.postEvents'](posted);
    },
  });
  const endpoint = endpointOf(own.url);
  await env.client.workflow.signalWithStart(WORKFLOW.eventDelivery, {
    ...{ workflowId: eventDeliveryWorkflowId(endpoint, SUBJECT), taskQueue: 'simulated' },
    args: [{ endpoint, subject: SUBJECT, give_up_ms: 3 * DAY }],
    ...{ signal: SIGNAL.tell, signalArgs: [[EVENT]] },
  });
  await env.sleep(HOUR);
  expect([own.got.length, other.got.length]).toEqual([1, 0]);
});

test('the handler hears every event although a worker without it takes the first try of each', async () => {
  const gateway = new FakeGateway(() => env.currentTimeMs());
  gateway.statusAt = (elapsed) => (elapsed < 10 * MINUTE ? 'PROCESSING' : 'SUCCESS');
  const heard: string[] = [];
  const onEvent = (event: MerchantEvent) => void heard.push(event.type === 'transition' ? event.transition.to : '');
  const lacking = eventActivity(undefined);
  const whole = eventActivity(onEvent);
  let tries = 0;
  env.work({
    ...fakeWorkerActivities({ app_id: APP.app_id, gateway, onEvent }),
    'payments.onEvent': (event: MerchantEvent, listeners: readonly string[]) => {
      tries += 1;
      return (tries % 2 === 1 ? lacking : whole)['payments.onEvent'](event, listeners);
    },
  });
  const input = order();
  const workflowId = paymentWorkflowId(APP.app_id, input.request.out_trade_no);
  await env.client.workflow.start('payment', { workflowId, taskQueue: 'simulated', args: [input] });
  await env.sleep(DAY);
  expect(heard).toEqual(['PROCESSING', 'SUCCESS']);
});
