/**
 * Events for every language: PAYMENTS_EVENTS_URL on a whole stack. Receivers are HTTP servers that
 * check each event with the library of Standard Webhooks.
 */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { ConfigError, loadConfig, PaymentGatewayPlugin } from '../../src';
import { signedHeaders } from '../../src/activities/event-endpoints';
import { LiveWorld } from '../../src/cli/check/world';
import {
  type EventDeliveryState,
  eventDeliveryWorkflowId,
  type MerchantEvent,
  paymentWorkflowId,
} from '../../src/contract';
import { endpointOf } from '../../src/process/settings';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { key, setting } from '../codec/support';
import { built } from '../harness/built';
import { type EventReceiver, eventReceiver } from '../harness/event-receiver';
import { eventually } from '../harness/eventually';
import { publishedOrder } from '../harness/orders';
import { ROOT, Terminal } from '../harness/terminal';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const SECRET = newSecret();
const NEXT = newSecret();

const KEYS = setting(key('k1'));

let stack: Stack;
/** One that takes everything, one with the next secret that fails at first, and one that fails until it is mended. */
let well: EventReceiver;
let shaky: EventReceiver;
let dead: EventReceiver;
let isMended = false;

beforeAll(async () => {
  await built();
  well = await eventReceiver(SECRET);
  shaky = await eventReceiver(NEXT, (count) => (count === 1 ? 503 : 204));
  dead = await eventReceiver(SECRET, () => (isMended ? 200 : 500));
  stack = await startStack({
    env: {
      PAYMENTS_EVENTS_URL: [well, shaky, dead].map(({ url }) => url).join(','),
      PAYMENTS_EVENTS_SECRETS: `${SECRET},${NEXT}`,
      PAYMENTS_EVENTS_GIVE_UP: '4s',
      PAYMENTS_ENCRYPTION_KEYS: KEYS,
    },
  });
});

afterAll(async () => {
  await stack?.close();
  for (const receiver of [well, shaky, dead]) await receiver?.close();
});

const ofOrder = ({ received }: EventReceiver, out_trade_no: string): MerchantEvent[] =>
  received
    .map(({ event }) => event)
    .filter((event) => 'payment' in event && event.payment.out_trade_no === out_trade_no);
const told = (receiver: EventReceiver, out_trade_no: string) =>
  ofOrder(receiver, out_trade_no).map((event) => ('transition' in event ? event.transition.to : event.type));

async function paid(): Promise<string> {
  const { out_trade_no, ...order } = publishedOrder('pix');
  await stack.payments.pay({ ...order, out_trade_no });
  await stack.simulator.pay(out_trade_no);
  await stack.payments.outcome(out_trade_no);
  return out_trade_no;
}

const deliveryTo = (receiver: EventReceiver, out_trade_no: string) =>
  stack.client.workflow.getHandle(
    eventDeliveryWorkflowId(endpointOf(receiver.url), paymentWorkflowId(APP.app_id, out_trade_no)),
  );

test('every address gets every event of a payment in order, though another address is down', async () => {
  const number = await paid();
  await well.until(() => told(well, number).includes('SUCCESS'));
  await shaky.until(() => told(shaky, number).includes('SUCCESS'));
  expect(told(well, number)).toEqual(['PROCESSING', 'SUCCESS']);
  expect(told(shaky, number)).toEqual(['PROCESSING', 'SUCCESS']);
  expect(told(dead, number)).toEqual([]);
  const [first] = ofOrder(well, number);
  expect(first).toMatchObject({ type: 'transition', payment: { method: 'PIX', outcome: null } });
  expect(ofOrder(shaky, number)).toEqual(ofOrder(well, number));
});

test('check knows the address that has taken nothing yet', async () => {
  const env = {
    ...{ TEMPORAL_ADDRESS: stack.temporal.address, PAYMENTS_ENCRYPTION_KEYS: KEYS, PAYMENTS_EVENTS_SECRETS: SECRET },
    PAYMENTS_EVENTS_URL: [well, dead].map(({ url }) => url).join(','),
  };
  const world = new LiveWorld(loadConfig(env), env, false);
  await eventually('the delivery is listed', async () => !(await world.withoutEvents()).includes(well.url));
  expect(await world.withoutEvents()).toEqual([dead.url]);
  await world.close();
});

test('an event that is tried again has the same id in its header and its body', async () => {
  const ids = shaky.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(well.received.slice(0, ids.length).map(({ headers }) => headers['webhook-id']));
});

test('an event that nobody takes in time is shown to operators, and is delivered once a person sends it again', async () => {
  const number = await paid();
  const delivery = deliveryTo(dead, number);
  const state = () => delivery.query<EventDeliveryState>('state');
  await eventually('both events wait for a person', async () => {
    const { attention, waiting } = await state();
    return attention === 'undelivered-event' && waiting.length === 2;
  });
  expect(await state()).toMatchObject({
    problem: expect.stringMatching(/^127\.0\.0\.1:\d+ answered HTTP 500$/),
    waiting: [expect.stringContaining('PROCESSING'), expect.stringContaining('SUCCESS')],
  });
  const { searchAttributes } = await delivery.describe();
  expect(searchAttributes.PaymentAttention).toEqual(['undelivered-event']);

  isMended = true;
  const env = { TEMPORAL_ADDRESS: stack.temporal.address, PAYMENTS_ENCRYPTION_KEYS: KEYS };
  const command = new Terminal({ cwd: ROOT, env }, 'recheck', '--attention', 'undelivered-event', '--yes');
  expect([await command.ended, command.printed]).toEqual([0, expect.stringContaining(delivery.workflowId)]);
  expect(await delivery.result()).toMatchObject({ attention: null, waiting: [], dropped: [] });
  expect(told(dead, number)).toEqual(['PROCESSING', 'SUCCESS']);
  isMended = false;
});

test('what piled up while an address was down is delivered, however much it is', async () => {
  const number = await paid();
  const [event] = ofOrder(well, number);
  const delivery = deliveryTo(dead, number);
  const pile = Array.from({ length: 300 }, (_, i) => ({ ...event, id: `pile-${i}`, filler: 'x'.repeat(10_000) }));
  // A click in Temporal UI may send one without its argument.
  await delivery.signal('tell');
  for (let i = 0; i < pile.length; i += 50) await delivery.signal('tell', pile.slice(i, i + 50));
  const state = () => delivery.query<EventDeliveryState>('state');
  await eventually('it waits for a person', async () => (await state()).attention === 'undelivered-event');
  isMended = true;
  await delivery.executeUpdate('recheck');
  expect(await delivery.result()).toMatchObject({ attention: null, waiting: [] });
  const ids = dead.received.map(({ event: { id } }) => id).filter((id) => id.startsWith('pile-'));
  expect(ids).toEqual(pile.map(({ id }) => id));
  isMended = false;
});

test('a person can drop an event, with a name and a reason, and later ones go on', async () => {
  const number = await paid();
  const delivery = deliveryTo(dead, number);
  const state = () => delivery.query<EventDeliveryState>('state');
  await eventually('it waits for a person', async () => (await state()).attention === 'undelivered-event');
  await expect(delivery.executeUpdate('resolve', { args: [{ by: '', reason: '' }] })).rejects.toMatchObject({
    cause: { type: 'InvalidRequest' },
  });
  isMended = true;
  await delivery.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'known already' }] });
  expect(await delivery.result()).toMatchObject({
    dropped: [{ by: 'ana', ids: [expect.stringContaining('PROCESSING')] }],
  });
  expect(told(dead, number)).toEqual(['SUCCESS']);
  isMended = false;
});

describe('the signature', () => {
  const event: MerchantEvent = {
    ...{ id: 'payment:app:pedido.ñ-😀:run:SUCCESS:1', type: 'attention', time: '2026-03-02T12:00:00.000Z' },
    payment: {
      ...{ app_id: 'app', out_trade_no: 'pedido.ñ-😀', trade_no: null, trade_status: null, order_amount: null },
      ...{
        order_currency: null,
        method: null,
        outcome: null,
        confirmed_by: null,
        attention: 'no-answer',
        expires_at: null,
      },
      ...{ attention_since: null, taken: null },
      ...{ previous: null, refused_because: null, other_trades: [] },
    },
  };
  const body = JSON.stringify(event);
  const headers = signedHeaders([new Webhook(SECRET), new Webhook(NEXT)], event, body);

  test.each([SECRET, NEXT])('holds for the receiver of each secret, so that they can change over', (secret) => {
    expect(new Webhook(secret).verify(body, headers)).toEqual(event);
  });

  test('does not hold for another secret, for a changed body, or for an old time', () => {
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow('No matching signature');
    expect(() => new Webhook(SECRET).verify(body.replace('app', 'apx'), headers)).toThrow('No matching signature');
    const old = signedHeaders([new Webhook(SECRET)], event, body, new Date(Date.now() - 600_000));
    expect(() => new Webhook(SECRET).verify(body, old)).toThrow('too old');
  });

  test('has an id of letters and digits, whatever the order’s number is made of', () => {
    expect(headers['webhook-id']).toMatch(/^evt_[0-9a-f]{32}$/);
  });
});

test('a worker with an address and no secret does not start', () => {
  const config = loadConfig({
    ...{ GATEWAY_BASE_URL: 'http://127.0.0.1:9', GATEWAY_APP_ID: 'a', GATEWAY_SECRET_KEY: 'sk_of-this-test' },
    ...{ WEBHOOK_PUBLIC_URL: 'https://shop.example', PAYMENTS_EVENTS_URL: 'https://shop.example/events' },
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
  });
  const start = () => new PaymentGatewayPlugin(config).configureWorker({ taskQueue: 'payments' });
  expect(start).toThrow(ConfigError);
  expect(start).toThrow(/PAYMENTS_EVENTS_SECRETS/);
});
