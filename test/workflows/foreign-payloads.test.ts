import { PaymentPendingError } from '../../src/client';
import { EncryptionCodec } from '../../src/codec';
import { afterSaleWorkflowId, paymentWorkflowId, speiAccountWorkflowId } from '../../src/contract';
import { HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { type Simulation, signTestNotification, simulate } from '../../src/testing';
import { APP } from '../../src/testing/stack';
import { key, payload } from '../codec/support';
import { publishedOrder } from '../harness/orders';

const request = publishedOrder('pix', { timeout_express: '4d' });
const { out_trade_no } = request;
const ID = paymentWorkflowId(APP.app_id, out_trade_no);
const USER = { email: 'a@example.com', identify: { number: '50284414727' } };
const REFUND = { amount: '1.00', user_info: USER, bank_info: { number: '123456-7' } };

let simulation: Simulation;
beforeEach(async () => {
  simulation = await simulate();
});
afterEach(() => simulation?.close());

/** What a worker with keys makes of what Temporal UI put in the place of the workflow's own. */
async function asTyped(workflowId: string, value: unknown = { kind: '***' }) {
  const codec = new EncryptionCodec([key('k1')], { refused: 'mark' });
  const typed = await codec.encode([payload(value)], { type: 'workflow', namespace: 'default' });
  return codec.decode(typed, { type: 'workflow', namespace: 'default', workflowId });
}

const startLike = async (workflowId: string, type = 'payment') =>
  simulation.temporal.temporal.begin({ workflowId, type, args: await asTyped(workflowId) });
const latest = (workflowId: string) => simulation.temporal.temporal.latest(workflowId);

async function sell(): Promise<void> {
  const { gateway, payments } = simulation;
  await payments.pay(request);
  for (const trade of gateway.trades.values()) trade.statusAt = () => 'SUCCESS';
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
}

test('a payment that was sold answers as before, after it was started like itself', async () => {
  await sell();
  await startLike(ID);
  await simulation.sleep(MINUTE);
  const { payments, gateway } = simulation;
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
  expect(await payments.state(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
  expect(await payments.pay(request)).toMatchObject({ out_trade_no });
  expect(await payments.refund(out_trade_no, REFUND)).toMatchObject({ refund_amount: '1.00' });
  expect([gateway.trades.size, latest(ID)?.status]).toEqual([1, 'COMPLETED']);
});

test('money that comes after a termination is sold, although the payment was started like itself meanwhile', async () => {
  const { gateway, payments, sleep, temporal, notify } = simulation;
  const { trade_no = '' } = await payments.pay(request);
  await sleep(MINUTE);
  temporal.temporal.latest(ID)?.terminate();
  await startLike(ID);
  await sleep(MINUTE);
  for (const trade of gateway.trades.values()) trade.statusAt = () => 'SUCCESS';
  expect((await notify(signTestNotification(APP, { out_trade_no, trade_no }))).status).toBe(200);
  await sleep(HOUR);
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', trade_no });
});

test('a run that nobody took before it was terminated is looked past, by every reader', async () => {
  await sell();
  const { payments, temporal, gateway, notify, sleep } = simulation;
  const { trade_no = '' } = await payments.state(out_trade_no);
  (await startLike(ID)).terminate();
  expect(latest(ID)).toMatchObject({ status: 'TERMINATED', hasBegun: false });
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', trade_no });
  expect(await payments.state(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', trade_no });
  expect(await payments.pay(request)).toMatchObject({ out_trade_no, trade_no });
  await expect(payments.cancel(out_trade_no)).rejects.toThrow('has ended as SUCCESS');
  // What is notified is known already, and starts nothing.
  const sold = signTestNotification(APP, { out_trade_no, trade_no: trade_no ?? '' });
  expect((await notify(sold)).status).toBe(200);
  await sleep(HOUR);
  expect(latest(ID)?.status).toBe('TERMINATED');
  expect(await payments.refund(out_trade_no, REFUND)).toMatchObject({ refund_amount: '1.00' });
  expect([gateway.trades.size, temporal.temporal.runs(ID).length]).toEqual([1, 2]);
});

test('an order whose only run nobody took is open to the one who asks: it was ended from outside', async () => {
  const { payments } = simulation;
  (await startLike(ID)).terminate();
  await expect(payments.state(out_trade_no)).rejects.toThrow(PaymentPendingError);
  await expect(payments.outcome(out_trade_no)).rejects.toThrow(PaymentPendingError);
});

test('a start like an order that nobody has ends at once with a plain failure, and a notification is adopted', async () => {
  const { gateway, payments, sleep } = simulation;
  await startLike(ID);
  await sleep(MINUTE);
  expect(latest(ID)?.status).toBe('FAILED');
  expect(latest(ID)?.failure?.message).toMatch(/No payment was started.* typed by a person/);
  expect(gateway.trades.size).toBe(0);
  expect(await payments.pay(request)).toMatchObject({ out_trade_no });
});

test('an after-sale that was started like itself knows the refunds of the one before', async () => {
  await sell();
  const { payments, sleep } = simulation;
  await payments.refund(out_trade_no, REFUND);
  await sleep(HOUR);
  const id = afterSaleWorkflowId(APP.app_id, out_trade_no);
  latest(id)?.terminate();
  await startLike(id, 'afterSale');
  await sleep(MINUTE);
  expect(await payments.refunds(out_trade_no)).toMatchObject({ refunded_amount: '1.00' });
  await expect(payments.refund(out_trade_no, { ...REFUND, amount: request.order_amount })).rejects.toThrow();
});

test('a virtual account that was started like itself is the account of its id', async () => {
  const id = speiAccountWorkflowId(APP.app_id, '100200300');
  await startLike(id, 'speiAccount');
  await simulation.sleep(MINUTE);
  const run = latest(id);
  expect(run?.status).toBe('RUNNING');
  if (run)
    expect(await simulation.temporal.temporal.query(run, 'state')).toMatchObject({
      account: { account_id: '100200300' },
    });
});

test.each([
  ['appAttention', 'app-attention:x:credentials'],
  ['createSpeiAccount', 'create-spei-account:test-app:key'],
  ['strayNotification', 'stray-notification:test-app:digest'],
  ['reconciliation', 'reconciliation:test-app:day'],
  ['eventDelivery', 'event-delivery:x:y'],
])('%s that was started like another one ends at once with a plain failure', async (type, id) => {
  await startLike(id, type);
  await simulation.sleep(MINUTE);
  expect(latest(id)?.status).toBe('FAILED');
  expect(latest(id)?.failure?.message).toMatch(/^Nothing was started under .* typed by a person/);
});

test('a signal that a person types asks for a person, and the payment goes on', async () => {
  const { gateway, payments, sleep } = simulation;
  await payments.pay(request);
  latest(ID)?.signal('notification', await asTyped(ID, { trade_status: 'SUCCESS' }));
  await sleep(MINUTE);
  expect(await payments.state(out_trade_no)).toMatchObject({ attention: 'unexpected-signal', outcome: null });
  for (const trade of gateway.trades.values()) trade.statusAt = () => 'SUCCESS';
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
});

test('an update that a person types is refused in words that need no key, and the payment goes on', async () => {
  const { gateway, payments, temporal } = simulation;
  await payments.pay(request);
  const run = latest(ID);
  for (const name of ['created', 'cancel', 'recheck', 'resolve']) {
    const update = run?.update(`typed-${name}`, name, await asTyped(ID, { trade_status: 'SUCCESS' }));
    if (!update) throw new Error('nothing runs');
    await expect(temporal.temporal.answerTo(update, MINUTE)).rejects.toMatchObject({
      cause: {
        type: 'InvalidRequest',
        message: expect.stringMatching(/^Nothing was done for the update .* typed by a/),
      },
    });
  }
  for (const trade of gateway.trades.values()) trade.statusAt = () => 'SUCCESS';
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
});
