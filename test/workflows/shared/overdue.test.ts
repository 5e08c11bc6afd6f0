/** `attention.overdue`: what waits too long for a person is told once, by the payment or by its after-sale. */
import { afterSaleWorkflowId, type MerchantEvent, type PaymentEvent, paymentWorkflowId } from '../../../src/contract';
import { type Simulation, simulate } from '../../../src/testing';
import { APP } from '../../../src/testing/stack';
import { publishedOrder } from '../../harness/orders';

const request = publishedOrder('pix', { timeout_express: '4d' });
const { out_trade_no } = request;
const heard: PaymentEvent[] = [];
const overdue = () => heard.filter(({ type }) => type === 'attention.overdue');

let simulation: Simulation;
beforeEach(async () => {
  heard.length = 0;
  const onEvent = (event: MerchantEvent) => void ('payment' in event && heard.push(event));
  simulation = await simulate({ env: { PAYMENTS_OVERDUE: '2h' }, onEvent });
});
afterEach(() => simulation?.close());

const handleOf = (id: typeof paymentWorkflowId) =>
  simulation.temporal.client.workflow.getHandle(id(APP.app_id, out_trade_no));

async function waits(): Promise<void> {
  await simulation.payments.pay(request);
  await handleOf(paymentWorkflowId).signal('odd-signal');
}

test('a wait is told once it is overdue, with who has taken it, and once only', async () => {
  await waits();
  await handleOf(paymentWorkflowId).executeUpdate('take', { args: [{ by: 'ana' }] });
  await simulation.sleep('119 minutes');
  expect(overdue()).toEqual([]);
  await simulation.sleep('2 minutes');
  const [event] = overdue();
  expect(event?.payment).toMatchObject({ out_trade_no, attention: 'unexpected-signal', taken: { by: 'ana' } });
  expect(event?.id).toContain(String(event?.payment.attention_since));
  await simulation.sleep('1 day');
  expect(overdue()).toHaveLength(1);
});

test('a wait that a person ends in time is not told', async () => {
  await waits();
  await simulation.sleep('1 hour');
  await handleOf(paymentWorkflowId).executeUpdate('resolve', { args: [{ by: 'ana', reason: 'found the sender' }] });
  await simulation.sleep('1 day');
  expect(overdue()).toEqual([]);
});

test('a wait that goes on after the payment is told from its beginning, once, and stays taken', async () => {
  await waits();
  await handleOf(paymentWorkflowId).executeUpdate('take', { args: [{ by: 'ana', note: 'asked the sender' }] });
  await simulation.sleep('1 hour');
  simulation.gateway.statusAt = () => 'SUCCESS';
  for (const trade of simulation.gateway.trades.values()) trade.statusAt = () => 'SUCCESS';
  await simulation.payments.outcome(out_trade_no);
  expect(overdue()).toEqual([]);
  await simulation.sleep('61 minutes');
  expect(overdue()).toMatchObject([
    { payment: { outcome: 'SUCCESS', taken: { by: 'ana', note: 'asked the sender' } } },
  ]);
  const sale = handleOf(afterSaleWorkflowId);
  expect(await sale.query('state')).toMatchObject({ attention: 'unexpected-signal', taken: { by: 'ana' } });
  await simulation.sleep('1 day');
  expect(overdue()).toHaveLength(1);
});

test('a wait that the payment has told is not told again by its after-sale', async () => {
  await waits();
  await simulation.sleep('3 hours');
  expect(overdue()).toHaveLength(1);
  for (const trade of simulation.gateway.trades.values()) trade.statusAt = () => 'SUCCESS';
  await simulation.payments.outcome(out_trade_no);
  await simulation.sleep('1 day');
  expect(await handleOf(afterSaleWorkflowId).query('state')).toMatchObject({ attention: 'unexpected-signal' });
  expect(overdue()).toHaveLength(1);
});

test('nobody can take what waits for nobody, and a name is required', async () => {
  await simulation.payments.pay(request);
  const take = (input: object) => handleOf(paymentWorkflowId).executeUpdate('take', { args: [input] });
  await expect(take({ by: 'ana' })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('nothing of it waits') },
  });
  await handleOf(paymentWorkflowId).signal('odd-signal');
  await expect(take({ note: 'mine' })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('by: required') },
  });
});
