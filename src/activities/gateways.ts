/** The gateways of a worker: which operations payments and virtual accounts use, and which gateway belongs to an app. */
import { ApplicationFailure } from '@temporalio/common';
import type { GatewayClient } from '../gateway';

/** The operations that payments use, for one app: a GatewayClient, or a fake in tests. */
export type PaymentGateway = Pick<GatewayClient, 'pay' | 'createCheckout' | 'query' | 'refund'>;

/** The operations that virtual accounts use, for one app. */
export type AccountGateway = Pick<
  GatewayClient,
  'createSpeiAccount' | 'cancelSpeiAccount' | 'querySpeiAccount' | 'speiAccountQuantity'
>;

/** The operations that questions use, for one app. */
export type LookupGateway = Pick<GatewayClient, 'banks' | 'installments' | 'walletToken'>;

/** The webhook's public address for an app: the `notify_url` of requests that name none. */
export type NotifyUrlOf = (app_id: string) => string;

/** The app's gateway. If the worker has none, throws a failure that Temporal retries every minute. */
export function gatewayOf<G>(
  gateways: ReadonlyMap<string, G>,
  app_id: string,
  what: 'payment' | 'account' | 'question',
): G {
  const gateway = gateways.get(app_id);
  if (gateway) return gateway;
  throw ApplicationFailure.create({
    type: 'AppNotConfigured',
    message: `This worker has no credentials for app ${app_id}. Add it to GATEWAY_APPS_FILE; the ${what} waits.`,
    nextRetryDelay: '1 minute',
  });
}
