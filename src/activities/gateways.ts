/** The gateways of a worker: which operations payments and virtual accounts use, and which gateway belongs to an app. */
import { hostname } from 'node:os';
import { type GatewayClient, GatewayError } from '../gateway';
import { BANK_LIST_PATH } from '../gateway/banks';
import { INSTALLMENTS_PATH } from '../gateway/installments';
import { SPEI_ACCOUNT_PATHS } from '../gateway/virtual-accounts';
import { WALLET_TOKEN_PATH } from '../gateway/wallet-token';

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

/** The app's gateway. If this worker's settings lack the app, a gateway that never sends: another worker may have the app. */
export function gatewayOf<G extends object>(gateways: ReadonlyMap<string, G>, app_id: string): G | AbsentGateway {
  return gateways.get(app_id) ?? new AbsentGateway(app_id);
}

/** This worker's settings lack what the call needs: nothing was sent. The call is retried for as long as a call without an answer. */
export class NotConfiguredError extends GatewayError {
  constructor(message: string, operation: string) {
    super(message, { outcome: 'not-sent', retryable: true, operation });
  }
}

const thisWorker = () => `the settings of the worker ${process.pid}@${hostname()}`;

const appNotConfigured = (app_id: string, operation: string) =>
  new NotConfiguredError(
    `Nothing was sent for app ${app_id}: ${thisWorker()} have no such app. Add it to the file that GATEWAY_APPS_FILE names (or set GATEWAY_APP_ID and GATEWAY_SECRET_KEY) and restart that worker; or the app_id is mistyped.`,
    operation,
  );

/** `message` names the order and the key. */
export const sealingKeyNotConfigured = (message: string, operation: string) =>
  new NotConfiguredError(
    `${message} Nothing was sent: ${thisWorker()} lack that key. Add it to PAYMENTS_SEALING_JWKS, or to the file that PAYMENTS_SEALING_JWKS_FILE names, and restart that worker; or the order was sealed to a key that is no more.`,
    operation,
  );

/** The gateway of an app that this worker does not have. */
export class AbsentGateway implements PaymentGateway, AccountGateway, LookupGateway {
  readonly pay: PaymentGateway['pay'];
  readonly createCheckout: PaymentGateway['createCheckout'];
  readonly query: PaymentGateway['query'];
  readonly refund: PaymentGateway['refund'];
  readonly createSpeiAccount: AccountGateway['createSpeiAccount'];
  readonly cancelSpeiAccount: AccountGateway['cancelSpeiAccount'];
  readonly querySpeiAccount: AccountGateway['querySpeiAccount'];
  readonly speiAccountQuantity: AccountGateway['speiAccountQuantity'];
  readonly banks: LookupGateway['banks'];
  readonly installments: LookupGateway['installments'];
  readonly walletToken: LookupGateway['walletToken'];

  constructor(app_id: string) {
    const refuse = (operation: string) => (): Promise<never> => Promise.reject(appNotConfigured(app_id, operation));
    this.pay = refuse('/trade/pay');
    this.createCheckout = refuse('/trade/create');
    this.query = refuse('/trade/query');
    this.refund = refuse('/trade/refund');
    this.createSpeiAccount = refuse(SPEI_ACCOUNT_PATHS.create);
    this.cancelSpeiAccount = refuse(SPEI_ACCOUNT_PATHS.cancel);
    this.querySpeiAccount = refuse(SPEI_ACCOUNT_PATHS.query);
    this.speiAccountQuantity = refuse(SPEI_ACCOUNT_PATHS.quantity);
    this.banks = refuse(BANK_LIST_PATH);
    this.installments = refuse(INSTALLMENTS_PATH);
    this.walletToken = refuse(WALLET_TOKEN_PATH);
  }
}
