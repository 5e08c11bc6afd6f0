/** What an attempt at a refund says of the trade that it was for: by the time that it is read, the order may have another one. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { makeRefund } from '../../src/activities/make-refund';
import { MINUTE } from '../../src/gateway/pure/durations';

const never = async () => {
  throw new Error('nothing may be sent');
};

test.each([
  ['names it', 'T1', 'T1'],
  ['does not name it', undefined, 'T1'],
])('a trade that has moved on is told with its number, where the gateway %s', async (_how, shown, told) => {
  const trade = { out_trade_no: 'O1', trade_status: 'DISPUTE', ...(shown ? { trade_no: shown } : {}) };
  const gateway = { pay: never, createCheckout: never, refund: never, query: async () => trade };
  const refund = {
    ...{ app_id: 'APP', id: { trade_no: 'T1', out_trade_no: 'O1' }, trade: { order_amount: '150.00', method: 'PIX' } },
    ...{
      request: { refund_amount: '50.00', refund_currency: 'BRL' },
      seen: 'SUCCESS',
      settling_ms: MINUTE,
      read_by: 'r',
    },
  } as const;
  const attempt = () => makeRefund(() => gateway, refund, never, new Set());
  expect(await new MockActivityEnvironment({ activityType: 'gateway.refund' }).run(attempt)).toMatchObject({
    is: 'moved',
    trade: { trade_no: told, trade_status: 'DISPUTE' },
  });
});
