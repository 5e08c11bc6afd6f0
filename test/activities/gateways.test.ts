/** A worker without credentials for an app waits, and its error says what to do. */
import { ApplicationFailure } from '@temporalio/common';
import { gatewayOf } from '../../src/activities/gateways';

const gateways = new Map([['shop-1', 'its gateway']]);

test('gatewayOf returns the gateway of the app', () => {
  expect(gatewayOf(gateways, 'shop-1', 'payment')).toBe('its gateway');
});

test.each(['payment', 'account'] as const)('without a gateway, the %s is tried again in a minute', (what) => {
  const asking = () => gatewayOf(gateways, 'shop-2', what);
  expect(asking).toThrow(ApplicationFailure);
  expect(asking).toThrow(
    expect.objectContaining({
      type: 'AppNotConfigured',
      message: `This worker has no credentials for app shop-2. Add it to GATEWAY_APPS_FILE; the ${what} waits.`,
      nonRetryable: false,
      nextRetryDelay: '1 minute',
    }),
  );
});
