/** No value that others put in a signal, an answer or a result breaks the tasks of an after-sale. */
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { newSale } from './harness';

test.each([
  ['nothing', []],
  ['null', [null]],
  ['a number', [5]],
  ['a text', ['x']],
])('a notification that is %s asks for a person, and the next one is taken', async (_what, args) => {
  const sale = await newSale();
  sale.gateway.bankStatus = () => 'DISPUTE';
  await sale.open();
  await sale.handle.signal('notification', ...args);
  await sale.pass(MINUTE);
  const { history, attention } = await sale.state();
  expect([history.at(-1)?.to, attention]).toEqual(['DISPUTE', 'dispute']);
  await sale.handle.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'seen' }] });
  expect((await sale.state()).attention).toBe('unexpected-signal');
});

test('a trade whose amount the gateway writes in another way is before a person, and no refund of it is taken', async () => {
  const sale = await newSale();
  sale.trade.order_amount = '1.500,00';
  const { answer } = await sale.ask('50.00', { out_request_no: 'a' });
  expect(await answer).toMatchObject({ type: 'NotAnswered' });
  await sale.pass(HOUR);
  expect(await sale.state()).toMatchObject({ trade_status: 'SUCCESS', order_amount: null, refunds: [] });
  expect((await sale.state()).attention).toBe('amount-mismatch');
  await sale.handle.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'refunded in the dashboard' }] });
  await sale.pass(DAY);
  expect((await sale.state()).attention).toBeNull();
});
