/** Workers have different settings for a while, or one of them for good: every event comes at least once (docs/events.md). */
import { createServer } from 'node:http';
import { ApplicationFailure } from '@temporalio/common';
import {
  type EventEndpoints,
  endpointActivities,
  eventActivity,
  listenersOf,
  policyActivity,
  previousRunActivities,
} from '../../../src/activities';
import {
  EVENT_HANDLER,
  type EventActivities,
  eventDeliveryWorkflowId,
  isSold,
  type MerchantEvent,
  type PostedEvents,
  paymentWorkflowId,
  SIGNAL,
  WORKFLOW,
} from '../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { endpointOf, loadConfig } from '../../../src/process/settings';
import { simulate } from '../../../src/testing';
import { FakeGateway } from '../../../src/testing/fake-gateway/fake-gateway';
import { SimulatedEnvironment } from '../../../src/testing/simulated-temporal/environment';
import { APP } from '../../../src/testing/stack';
import { fakeWorkerActivities } from '../../../src/testing/worker-activities';
import { order, publishedOrder } from '../../harness/orders';
import { newSale } from '../after-sale/harness';

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

/** Hands events to their delivery, as a workflow does: `payments.postEvents` or `payments.onEvent` of the worker takes them. */
const hand = (endpoint: string, events: readonly MerchantEvent[], listeners?: readonly string[]) =>
  env.client.workflow.signalWithStart(WORKFLOW.eventDelivery, {
    ...{ workflowId: eventDeliveryWorkflowId(endpoint, SUBJECT), taskQueue: 'simulated' },
    args: [{ endpoint, subject: SUBJECT, give_up_ms: 3 * DAY, ...(listeners && { listeners }) }],
    ...{ signal: SIGNAL.tell, signalArgs: [events] },
  });

/** A worker with these addresses takes the first tries; then one that has been restarted with others takes all. */
function restartedAfter(first: number, before: readonly string[], after: readonly string[]) {
  const [old, restarted] = [endpointActivities(withUrls(before)), endpointActivities(withUrls(after))];
  let tries = 0;
  env.work({
    'payments.postEvents': (posted: PostedEvents) => {
      tries += 1;
      return (tries <= first ? old : restarted)['payments.postEvents'](posted);
    },
  });
}

test.each([
  ['has the other addresses', (other: string) => [other]],
  ['has no address', () => []],
])('an event comes to its address although a worker that %s takes the first tries', async (_which, urlsOfOld) => {
  const [other, own] = [await receiver(), await receiver()];
  restartedAfter(5, urlsOfOld(other.url), [other.url, own.url]);
  await hand(endpointOf(own.url), [EVENT]);
  await env.sleep(HOUR);
  expect([own.got.length, other.got.length]).toEqual([1, 0]);
});

/** Every second try is of a worker without the handler, the first one too. */
function everySecondLacks(onEvent: (event: MerchantEvent) => void) {
  const [lacking, whole] = [eventActivity(undefined), eventActivity(onEvent)];
  let tries = 0;
  const tell: EventActivities['payments.onEvent'] = (event, listeners) => {
    tries += 1;
    return (tries % 2 === 1 ? lacking : whole)['payments.onEvent'](event, listeners);
  };
  return { 'payments.onEvent': tell };
}

const statusOf = (event: MerchantEvent) => (event.type === 'transition' ? event.transition.to : '');

/** A payment that is SUCCESS after ten minutes. The worker has a handler, which is told as `telling` says. */
async function sell(telling: object) {
  const gateway = new FakeGateway(() => env.currentTimeMs());
  gateway.statusAt = (elapsed) => (elapsed < 10 * MINUTE ? 'PROCESSING' : 'SUCCESS');
  const onEvent = () => undefined;
  env.work({ ...fakeWorkerActivities({ app_id: APP.app_id, gateway, onEvent }), ...telling });
  const input = order();
  const workflowId = paymentWorkflowId(APP.app_id, input.request.out_trade_no);
  await env.client.workflow.start('payment', { workflowId, taskQueue: 'simulated', args: [input] });
  await env.sleep(DAY);
}

describe('the handler hears every event although a worker without it takes the first try of each', () => {
  test('of a payment', async () => {
    const heard: string[] = [];
    await sell(everySecondLacks((event) => void heard.push(statusOf(event))));
    expect(heard).toEqual(['PROCESSING', 'SUCCESS']);
  });

  test('of a sweep', async () => {
    const swept = { stuck: 1, under_attention: 0, some: [], listeners: [EVENT_HANDLER] };
    const heard: string[] = [];
    env.work({
      'payments.sweep': async () => ({ is: 'told', told: swept }),
      ...everySecondLacks(({ type }) => void heard.push(type)),
    });
    await env.client.workflow.start('stuckSweep', { workflowId: 'sweep', taskQueue: 'simulated', args: [{}] });
    await env.sleep(HOUR);
    expect(heard).toEqual(['stuck-payments']);
  });
});

describe('what happens after the setting that was missing is there is heard, of a workflow that began without it', () => {
  /** What the worker's handler hears: the states that transitions tell, and the types of other events. */
  function hearing(env: SimulatedEnvironment, gateway: FakeGateway): MerchantEvent[] {
    const heard: MerchantEvent[] = [];
    const onEvent = (event: MerchantEvent) => void heard.push(event);
    env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway, onEvent }));
    return heard;
  }

  const told = (heard: readonly MerchantEvent[]) => heard.map((event) => statusOf(event) || event.type);

  test('of a payment', async () => {
    const gateway = new FakeGateway(() => env.currentTimeMs());
    gateway.statusAt = (elapsed) => (elapsed < 10 * MINUTE ? 'PROCESSING' : 'SUCCESS');
    env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway }));
    const input = order();
    const workflowId = paymentWorkflowId(APP.app_id, input.request.out_trade_no);
    const sale = await env.client.workflow.start('payment', { workflowId, taskQueue: 'simulated', args: [input] });
    await env.sleep(5 * MINUTE);
    const heard = hearing(env, gateway);
    await sale.result();
    expect(told(heard)).toEqual(['SUCCESS']);
  });

  test('of an after-sale, which waits for a person at last', async () => {
    const sale = await newSale();
    const began = await sale.env.currentTimeMs();
    sale.gateway.refundPlans = [{ takes_ms: HOUR, ends: 'done' }];
    sale.gateway.bankStatus = (now) => (now > began + DAY ? 'DISPUTE' : undefined);
    await sale.ask('50.00');
    await sale.pass(HOUR / 2);
    const heard = hearing(sale.env, sale.gateway);
    await sale.pass(3 * DAY);
    expect(told(heard)).toEqual(['PARTIAL_REFUND', 'DISPUTE', 'attention', 'attention.overdue']);
  });

  test('of an after-sale that reads for two hours what was before it', async () => {
    const sale = await newSale();
    const knownBefore = previousRunActivities['payments.knownBefore'];
    let lacksKey = true;
    const reading = {
      'payments.knownBefore': (input: Parameters<typeof knownBefore>[0]) => {
        if (lacksKey) throw ApplicationFailure.retryable('This worker lacks a key');
        return knownBefore(input);
      },
    };
    sale.env.work(reading);
    sale.gateway.bankStatus = () => 'DISPUTE';
    await sale.open();
    await sale.notify({ trade_status: 'DISPUTE' });
    await sale.pass(HOUR);
    const heard = hearing(sale.env, sale.gateway);
    sale.env.work(reading);
    await sale.pass(HOUR);
    lacksKey = false;
    await sale.pass(HOUR);
    expect(told(heard)).toEqual(['attention', 'DISPUTE']);
  });

  test('a payment that is reset after its refund, of which nobody was told that it was sold, is not told as sold', async () => {
    const simulation = await simulate({ seed: 2 });
    const { gateway, payments, sleep, temporal } = simulation;
    const request = publishedOrder('pix', { timeout_express: '4d' });
    const { out_trade_no } = request;
    gateway.statusAt = (elapsed) => (elapsed < 2 * MINUTE ? 'PROCESSING' : 'SUCCESS');
    await payments.pay(request);
    await payments.outcome(out_trade_no);
    const heard = hearing(temporal, gateway);
    await sleep(HOUR);
    const user_info = { email: 'a@example.com', identify: { number: '50284414727' } };
    await payments.refund(out_trade_no, { user_info, bank_info: { number: '123456-7' } });
    await sleep(DAY);
    expect(told(heard)).toContain('REFUNDED');
    const run = temporal.temporal.latest(paymentWorkflowId(APP.app_id, out_trade_no));
    if (run) temporal.temporal.reset(run, -1);
    await sleep(DAY);
    await simulation.close();
    expect(heard.flatMap((event) => ('payment' in event && isSold(event.payment) ? [event.id] : []))).toEqual([]);
  });
});

test('an address that is gone from all workers for five hours hears what happened meanwhile once it is there again', async () => {
  const own = await receiver();
  const gateway = new FakeGateway(() => env.currentTimeMs());
  gateway.statusAt = (elapsed) => (elapsed < 10 * MINUTE ? 'PROCESSING' : 'SUCCESS');
  const work = (urls: readonly string[]) =>
    env.work({
      ...fakeWorkerActivities({ app_id: APP.app_id, gateway }),
      ...policyActivity(loadConfig({}), listenersOf(undefined, withUrls(urls))),
      ...eventActivity(undefined, withUrls(urls)),
      ...endpointActivities(withUrls(urls)),
    });
  work([own.url]);
  const input = order();
  const workflowId = paymentWorkflowId(APP.app_id, input.request.out_trade_no);
  await env.client.workflow.start('payment', { workflowId, taskQueue: 'simulated', args: [input] });
  await env.sleep(5 * MINUTE);
  work([]);
  await env.sleep(5 * HOUR);
  work([own.url]);
  await env.sleep(HOUR);
  // PROCESSING, and SUCCESS.
  expect(own.got).toHaveLength(2);
});

test('a handler that is gone from all workers is waited for once, and not with each event', async () => {
  const asked: (readonly string[])[] = [];
  const lacking = eventActivity(undefined);
  env.work({
    'payments.onEvent': (event: MerchantEvent, listeners: readonly string[]) => {
      asked.push(listeners);
      return lacking['payments.onEvent'](event, listeners);
    },
  });
  await hand(EVENT_HANDLER, [EVENT, { ...EVENT, id: 'event-2' }], [EVENT_HANDLER]);
  await env.sleep(3 * HOUR);
  expect(asked.at(-2)).toEqual([EVENT_HANDLER]);
  expect(asked.at(-1)).toEqual([]);
});

test('an hour without any worker is no try: an address that the next worker lacks is not taken for gone', async () => {
  const [other, own] = [await receiver(), await receiver()];
  restartedAfter(2, [other.url], [other.url, own.url]);
  const { workflowId } = await hand(endpointOf(own.url), [EVENT]);
  await env.temporal.clock.until(() => Boolean(env.temporal.latest(workflowId)?.activities), MINUTE);
  env.temporal.leaveWithoutWorker(3 * HOUR);
  await env.temporal.killWorker();
  await env.sleep(5 * HOUR);
  expect([own.got.length, other.got.length]).toEqual([1, 0]);
});

test.each([[null], [0], ['ok'], [{}]])('a post that a person completes with %p is made again', async (byHand) => {
  let posts = 0;
  env.work({
    'payments.postEvents': async ({ events }: PostedEvents) => {
      posts += 1;
      return posts === 1 ? byHand : events.length;
    },
  });
  const handle = await hand('address', [EVENT]);
  await env.sleep(HOUR);
  expect([posts, (await handle.describe()).status.name]).toEqual([2, 'COMPLETED']);
});

test.each([[null], ['ok'], [{}]])(
  'an event for the handler that a person completes with %p is told to it all the same',
  async (byHand) => {
    const heard: string[] = [];
    const whole = eventActivity((event) => void heard.push(event.id));
    let tries = 0;
    env.work({
      'payments.onEvent': async (event: MerchantEvent, listeners: readonly string[]) => {
        tries += 1;
        return tries === 1 ? byHand : whole['payments.onEvent'](event, listeners);
      },
    });
    await hand(EVENT_HANDLER, [EVENT]);
    await env.sleep(HOUR);
    expect([tries, heard]).toEqual([2, ['event-1']]);
  },
);
