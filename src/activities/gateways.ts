/** The gateways of a worker: which operations payments and virtual accounts use, and which gateway belongs to an app. */
import type { GatewayClient } from '../gateway';
import { PATH } from '../gateway/pure/paths';
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
    this.pay = refuse(PATH.pay);
    this.createCheckout = refuse(PATH.createCheckout);
    this.query = refuse(PATH.query);
    this.refund = refuse(PATH.refund);
    this.createSpeiAccount = refuse(PATH.createSpeiAccount);
    this.cancelSpeiAccount = refuse(PATH.cancelSpeiAccount);
    this.querySpeiAccount = refuse(PATH.querySpeiAccount);
    this.speiAccountQuantity = refuse(PATH.speiAccountQuantity);
    this.banks = refuse(PATH.banks);
    this.installments = refuse(PATH.installments);
    this.walletToken = refuse(PATH.walletToken);
  }
}
