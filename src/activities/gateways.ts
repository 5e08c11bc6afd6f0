/** The gateways of a worker: which operations payments and virtual accounts use, and which gateway belongs to an app. */
import type { GatewayClient } from '../gateway';
import { PATH } from '../gateway/pure/paths';
import { appNotConfigured } from './failures';

/** The operations that payments use, for one app: a GatewayClient, or a fake in tests. */
export type PaymentGateway = Pick<GatewayClient, 'pay' | 'createCheckout' | 'query' | 'refund'>;

export type AccountGateway = Pick<
  GatewayClient,
  'createSpeiAccount' | 'cancelSpeiAccount' | 'querySpeiAccount' | 'speiAccountQuantity'
>;

export type LookupGateway = Pick<GatewayClient, 'banks' | 'installments' | 'walletToken'>;

/** The webhook's public address for an app: the `notify_url` of requests that name none. */
export type NotifyUrlOf = (app_id: string) => string;

export type Gateway = PaymentGateway & AccountGateway & LookupGateway;

/** How a call is made: the operation's path, and what sends it. */
type Caller = <T>(operation: string, send: (gateway: Gateway) => Promise<T>) => Promise<T>;

export const callingBy = (call: Caller): Gateway => ({
  pay: (...given) => call(PATH.pay, (gateway) => gateway.pay(...given)),
  createCheckout: (...given) => call(PATH.createCheckout, (gateway) => gateway.createCheckout(...given)),
  query: (...given) => call(PATH.query, (gateway) => gateway.query(...given)),
  refund: (...given) => call(PATH.refund, (gateway) => gateway.refund(...given)),
  createSpeiAccount: (...given) => call(PATH.createSpeiAccount, (gateway) => gateway.createSpeiAccount(...given)),
  cancelSpeiAccount: (...given) => call(PATH.cancelSpeiAccount, (gateway) => gateway.cancelSpeiAccount(...given)),
  querySpeiAccount: (...given) => call(PATH.querySpeiAccount, (gateway) => gateway.querySpeiAccount(...given)),
  speiAccountQuantity: () => call(PATH.speiAccountQuantity, (gateway) => gateway.speiAccountQuantity()),
  banks: (...given) => call(PATH.banks, (gateway) => gateway.banks(...given)),
  installments: (...given) => call(PATH.installments, (gateway) => gateway.installments(...given)),
  walletToken: (...given) => call(PATH.walletToken, (gateway) => gateway.walletToken(...given)),
});

/** The app's gateway. If this worker's settings lack the app, a gateway that never sends: another worker may have the app. */
export const gatewayOf = <G extends object>(gateways: ReadonlyMap<string, G>, app_id: string): G | Gateway =>
  gateways.get(app_id) ?? callingBy((operation) => Promise.reject(appNotConfigured(app_id, operation)));
