/**
 * Promise 5, "wrong settings": with `PAYMENTS_SETTLING=0s`, which the settings take, no answer of the gateway ever "lasts" (`lasted_ms > 0`). What
 * waits for that is looked at again and again without a pause: it costs a history in minutes, and the whole app's calls.
 */
import { loadConfig } from '../../src/process/settings';
import { withSale } from './after-sale/harness';

const SECOND = 1_000;
const settings = { PAYMENTS_SETTLING: '0s' };

test('a notification that the gateway contradicts is before a person after few looks, also without a settling time', async () => {
  expect(loadConfig(settings).PAYMENTS_SETTLING).toBe(0);
  await withSale(
    async (sale) => {
      await sale.open();
      await sale.handle.signal('notification', { trade_no: sale.trade.trade_no, trade_status: 'DISPUTE' });
      await sale.pass(5 * SECOND);
      expect(await sale.env.historyLength(sale.workflowId)).toBeLessThan(100);
    },
    { settings },
  );
});
