/** The gateways of a worker: which operations payments and virtual accounts use, and which gateway belongs to an app. */
import type { GatewayClient } from '../gateway';
import { BANK_LIST_PATH } from '../gateway/banks';
import { INSTALLMENTS_PATH } from '../gateway/installments';
import { SPEI_ACCOUNT_PATHS } from '../gateway/virtual-accounts';
import { WALLET_TOKEN_PATH } from '../gateway/wallet-token';
import { appNotConfigured } from './failures';

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
