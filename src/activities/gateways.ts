/** The gateways of a worker: what payments and virtual accounts need of one, and which one is an app's. */
import { ApplicationFailure } from '@temporalio/common';
import type { GatewayClient } from '../gateway';

/** The operations that payments need, for one app: a GatewayClient, or what stands in for one. */
export type Gateway = Pick<GatewayClient, 'pay' | 'createCheckout' | 'query' | 'refund'>;

/** The operations that virtual accounts need, for one app. */
export type AccountGateway = Pick<
  GatewayClient,
  'createSpeiAccount' | 'cancelSpeiAccount' | 'querySpeiAccount' | 'speiAccountQuantity'
>;

/** The app's gateway. Throws where the worker has none: Temporal asks again in a minute, and `what` waits until then. */
export function gatewayOf<G>(gateways: ReadonlyMap<string, G>, app_id: string, what: 'payment' | 'account'): G {
  const gateway = gateways.get(app_id);
  if (gateway) return gateway;
  throw ApplicationFailure.create({
    type: 'AppNotConfigured',
    message: `This worker has no credentials for app ${app_id}. Add it to GATEWAY_APPS_FILE; the ${what} waits.`,
    nextRetryDelay: '1 minute',
  });
}
