/** A worker without an app sends nothing for it, says which setting lacks it, and leaves it to a worker that has the app. */
import { gatewayOf } from '../../src/activities/gateways';

const fake = { query: async () => ({ trade_status: 'SUCCESS' }) };
const gateways = new Map([['shop-1', fake]]);

test('gatewayOf returns the gateway of the app', () => {
  expect(gatewayOf(gateways, 'shop-1')).toBe(fake);
});

test('every operation of an app that the worker lacks is not sent, may be repeated, and names the app, the worker and the setting', async () => {
  const absent = gatewayOf(gateways, 'shop-2');
  const operations: readonly ((...given: never[]) => Promise<unknown>)[] = Object.values(absent);
  expect(operations).toHaveLength(11);
  for (const operation of operations)
    await expect(operation()).rejects.toMatchObject({
      outcome: 'not-sent',
      retryable: true,
      message: expect.stringMatching(/app shop-2: the settings of the worker \d+@.* GATEWAY_APPS_FILE/),
    });
});
