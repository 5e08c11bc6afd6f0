/** A person pauses, fails or completes an activity by hand: that is no answer, and no deadline hangs on the activity. */
import { ApplicationFailure, RawValue } from '@temporalio/common';
import { EncryptionCodec } from '../../../src/codec';
import { afterSaleWorkflowId, paymentWorkflowId, speiAccountWorkflowId } from '../../../src/contract';
import { HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { type Simulation, signTestNotification, simulate } from '../../../src/testing';
import { APP } from '../../../src/testing/stack';
import { isTrade } from '../../../src/workflows/shared/ended-by-hand';
import { key, payload } from '../../codec/support';
import { accountRequest } from '../../harness/accounts';
import { endNextByHand } from '../../harness/by-hand';
import { publishedOrder } from '../../harness/orders';

const request = publishedOrder('pix', { timeout_express: '90m' });
const { out_trade_no } = request;
const ID = paymentWorkflowId(APP.app_id, out_trade_no);

let simulation: Simulation;
beforeEach(async () => {
  simulation = await simulate();
});
afterEach(() => simulation?.close());

/** As Temporal's command does it: `temporal activity fail`. */
const failedByHand = async () => {
  throw ApplicationFailure.create({ message: 'stuck', type: '', nonRetryable: true });
};
/** What a worker with keys makes of what a person gave in clear text: `temporal activity complete`, or `fail` with details. */
async function inClear(value: unknown): Promise<RawValue> {
  const codec = new EncryptionCodec([key('k1')], { refused: 'mark' });
  const activity = { type: 'activity', namespace: 'default', workflowId: ID, activityId: '1' } as const;
  return RawValue.fromPayload((await codec.decode([payload(value)], activity))[0] ?? {});
}
/** A server that has paused an activity makes no attempt for as long as that lasts, and drops its time-outs. */
const paused = async () => {
  throw ApplicationFailure.create({ message: 'paused', nextRetryDelay: '90 days' });
};
const ENDED: [how: string, activity: () => Promise<unknown>][] = [
  ['fails', failedByHand],
  ['completes', async () => null],
  ['completes with nonsense', async () => ({ done: true })],
  ['completes with a word that no result has', async () => ({ is: 'done' })],
  ['completes with half an answer of a creation', async () => ({ is: 'created' })],
  ['completes in clear text', () => inClear({ trade_status: 'SUCCESS' })],
  [
    'fails in clear text',
    async () => {
      throw ApplicationFailure.create({ type: 'Typed', nonRetryable: true, details: [await inClear('details')] });
    },
  ],
  ['completes with half an answer of a look', async () => ({ is: 'found', trade: {} })],
];

const once = (name: string, end: () => Promise<unknown>) => endNextByHand(simulation, name, end);

test.each([
  { trade_status: 'PROCESSING', asked_at: '2026-01-05T12:00' },
  { trade_status: 'PROCESSING', trade_no: 7 },
  { trade_status: 'PROCESSING', second: { trade_status: 'SUCCESS' } },
  { asked_at: 0 },
])('a person types a trade that no gateway shows: %j', (typed) => {
  expect(isTrade(typed)).toBe(false);
});

test('a payment whose poll is paused reaches its deadline all the same', async () => {
  const { gateway, payments, temporal } = simulation;
  temporal.work({ 'gateway.watch': paused });
  gateway.statusAt = (elapsed) => (elapsed < 90 * MINUTE ? 'PROCESSING' : 'EXPIRED');
  const began = await temporal.currentTimeMs();
  await payments.pay(request);
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'EXPIRED', attention: null });
  expect((await temporal.currentTimeMs()) - began).toBeLessThan(92 * MINUTE);
});

test('a payment whose looks are all paused needs a person, and does not wait for ever', async () => {
  const { payments, temporal, sleep } = simulation;
  await payments.pay(request);
  temporal.work({ 'gateway.watch': paused, 'gateway.look': paused, 'gateway.glance': async () => null });
  await sleep(90 * MINUTE + HOUR);
  expect(await payments.state(out_trade_no)).toMatchObject({ outcome: null, attention: 'missing-activity' });
});

test('promise 5: a creation that is paused until its time is over was not sent, and its callers are told so', async () => {
  const { gateway, payments, temporal } = simulation;
  gateway.mishaps = Array(60).fill('unreachable');
  const began = await temporal.currentTimeMs();
  await payments.pay(request).catch(() => undefined);
  temporal.temporal.latest(ID)?.commands.pauseActivities();
  await expect(payments.outcome(out_trade_no)).rejects.toMatchObject({ name: 'NotCreatedError', outcome: 'not-sent' });
  expect((await temporal.currentTimeMs()) - began).toBeLessThan(2 * HOUR);
});

test('promise 5: a creation that is paused is not sent by another try until its time is over', async () => {
  const { gateway, payments, temporal, sleep } = simulation;
  gateway.mishaps = Array(8).fill('unreachable');
  await payments.pay(request).catch(() => undefined);
  temporal.temporal.latest(ID)?.commands.pauseActivities();
  await sleep(HOUR);
  expect(gateway.trades.size).toBe(0);
});

test.each(ENDED)('a poll that a person %s is made again, and finds what the buyer paid', async (_how, activity) => {
  const { gateway, payments } = simulation;
  once('gateway.watch', activity);
  gateway.statusAt = (elapsed) => (elapsed < HOUR ? 'PROCESSING' : 'SUCCESS');
  await payments.pay(request);
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
});

test.each(ENDED)(
  'a creation that a person %s is an unknown outcome: the gateway is asked, until it answers itself',
  async (_how, activity) => {
    const { gateway, payments, temporal } = simulation;
    // The request had left.
    endNextByHand(simulation, 'gateway.create', activity, { afterItsWork: true });
    once('gateway.look', activity);
    gateway.statusAt = (elapsed) => (elapsed < HOUR ? 'PROCESSING' : 'SUCCESS');
    await payments.pay(request).catch(() => undefined);
    expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
    expect(gateway.trades.size).toBe(1);
    expect(temporal.temporal.latest(ID)?.status).toBe('COMPLETED');
  },
);

const USER = { email: 'a@example.com', identify: { number: '50284414727' } };
const REFUND = { amount: '1.00', user_info: USER, bank_info: { number: '123456-7' } };

test.each(ENDED)('what earlier runs knew is read again where a person %s the reading', async (_how, activity) => {
  const { gateway, payments, temporal, sleep } = simulation;
  for (const name of ['payments.earlierRuns', 'payments.knownBefore']) once(name, activity);
  const { trade_no = '' } = await payments.pay(request);
  temporal.temporal.latest(ID)?.terminate();
  for (const trade of gateway.trades.values()) trade.statusAt = () => 'SUCCESS';
  await simulation.notify(signTestNotification(APP, { out_trade_no, trade_no }));
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', trade_no });
  await payments.refund(out_trade_no, REFUND);
  await sleep(HOUR);
  expect(await payments.refunds(out_trade_no)).toMatchObject({ refunded_amount: '1.00' });
  temporal.temporal.latest(afterSaleWorkflowId(APP.app_id, out_trade_no))?.terminate();
  once('payments.knownBefore', activity);
  await payments.refund(out_trade_no, REFUND);
  await sleep(HOUR);
  expect(await payments.refunds(out_trade_no)).toMatchObject({ refunded_amount: '1.00' });
  expect(gateway.trades.size).toBe(1);
});

test.each(ENDED)('a virtual account goes on where a person %s its reading or its poll', async (_how, activity) => {
  const { payments, temporal, sleep } = simulation;
  for (const name of ['payments.account-of-creation', 'payments.account-before', 'gateway.account-policy'])
    once(name, activity);
  once('gateway.watch-account', activity);
  const { account_id } = await payments.accounts.create(accountRequest('buyer-1'));
  await sleep('3 days');
  expect(temporal.temporal.latest(speiAccountWorkflowId(APP.app_id, account_id))?.status).toBe('RUNNING');
  expect(await payments.accounts.cancel(account_id)).toMatchObject({ status: 'CANCELED' });
});
