/**
 * The payment data of each method: what the buyer needs to pay (section 4.1), of a checkout (4.2), and the answer to a refund
 * (4.3).
 */
import type { PaymentData, RefundAnswer } from '../contract';
import type { TradeStatusName } from '../gateway';

/** The fields that the gateway's answer has for a method. The page `pay_url` is not among them, because some methods have none. */
interface FieldsOfMethod {
  /** `qr_code`: the text of the QR code, which the buyer's bank reads or takes as "copia e cola". */
  PIX: { readonly qr_code: string };
  /** `barcode`: the digits that the buyer pays at a bank; `bank_code`: the line that a person types. */
  Boleto: { readonly barcode: string; readonly bank_code?: string };
  /** `clabe`: the account that the buyer sends the money to, with the `reference`. */
  SPEI: {
    readonly clabe: string;
    readonly reference?: string;
    readonly bank_name?: string;
    readonly beneficiary_name?: string;
  };
  /** The account that the buyer pays into. */
  DepositExpress: {
    readonly provider_owner: string;
    readonly provider_owner_document: string;
    readonly provider_agency: string;
    readonly provider_number: string;
  };
  /** `wallet_url`: QR code or page of the wallet; `app_link_url`: the same for mobile apps. Some channels have none. */
  Wallet: { readonly wallet_url?: string; readonly app_link_url?: string };
  /** The buyer must be sent there (section 1, rule 6). */
  PSE: { readonly pay_url: string };
  Efecty: { readonly pay_url: string };
  /** The page of the voucher or the slip: the answer has nothing else to pay by. */
  OXXO: { readonly pay_url: string };
  Lottery: { readonly pay_url: string };
}

/** What every answer to a creation may have. */
type CommonData = {
  readonly out_trade_no: string;
  readonly trade_no?: string;
  readonly trade_status?: TradeStatusName;
  /** The page where the buyer pays, or sees the result; not for every method. */
  readonly pay_url?: string;
  /** Why the gateway refused the payment, if it did: `trade_status` is then `REFUSED`. */
  readonly code?: string | null;
  readonly sub_code?: string | null;
  /** The gateway's answer was lost, and a query found the order. */
  readonly recovered: boolean;
};

/** For a method that is known only at run time: the fields of any method, and what the gateway may have added. */
type FieldsOfAny = PaymentData &
  Partial<
    FieldsOfMethod['PIX'] &
      FieldsOfMethod['Boleto'] &
      FieldsOfMethod['SPEI'] &
      FieldsOfMethod['DepositExpress'] &
      FieldsOfMethod['Wallet']
  >;

type FieldsOf<Method extends string> = string extends Method
  ? FieldsOfAny
  : Method extends keyof FieldsOfMethod
    ? FieldsOfMethod[Method]
    : unknown;

/**
 * The payment data of an order by a method: its fields and no others, though the gateway may send more (`'new_field' in data`).
 * With `complete`, all fields of the method are there, such as `qr_code` for PIX. Without, some may be missing: the payment was
 * refused, or the gateway's answer was lost and a query found the order (`recovered`). A method that we do not know is always
 * complete.
 */
export type PaymentDataOf<Method extends string> =
  | (CommonData & FieldsOf<Method> & { readonly complete: true })
  | (CommonData & Partial<FieldsOf<Method>> & { readonly complete: false });

/**
 * The payment data of a checkout. With `complete`, the buyer pays at `web_url`; `withReturnUrl(web_url, …)` replaces the
 * `return_url` of the order. Otherwise the gateway's answer was lost and a query found the order (`recovered`), or it was refused.
 */
export type CheckoutCreated =
  | (CommonData & { readonly web_url: string; readonly complete: true })
  | (CommonData & { readonly web_url?: string; readonly complete: false });

/** The gateway's answer to a refund. A field that it did not send is absent. */
export type Refunded = {
  readonly trade_no?: string;
  readonly out_trade_no?: string;
  /** The refund's number: yours, or one that was made from its request. */
  readonly out_request_no: string;
  readonly refund_currency?: string;
  /** A decimal string in currency units. */
  readonly refund_amount?: string;
  /** The trade's state that the refund leads to, such as `REFUND_PROCESSING`. */
  readonly refund_status?: TradeStatusName;
  /** The gateway's answer was lost, but we know that the refund exists. */
  readonly recovered: boolean;
};

/** The fields of each method, for the check at run time. */
const FIELDS: { readonly [Method in keyof FieldsOfMethod]: readonly (keyof FieldsOfMethod[Method])[] } = {
  Wallet: [],
  PIX: ['qr_code'],
  Boleto: ['barcode'],
  SPEI: ['clabe'],
  DepositExpress: ['provider_owner', 'provider_owner_document', 'provider_agency', 'provider_number'],
  PSE: ['pay_url'],
  Efecty: ['pay_url'],
  OXXO: ['pay_url'],
  Lottery: ['pay_url'],
};

/** Case does not count (see gateway/methods.ts). */
const BY_NAME = new Map<string, readonly string[]>(
  Object.entries(FIELDS).map(([method, fields]) => [method.toLowerCase(), fields]),
);

/** Fields that are text. Where the gateway sends something else, they count as absent. */
const TEXTS = [
  ...['out_trade_no', 'trade_no', 'trade_status', 'pay_url', 'wallet_url', 'app_link_url', 'bank_code', 'bank_name'],
  ...['reference', 'beneficiary_name', 'web_url', ...Object.values(FIELDS).flat()],
];

const REFUND_TEXTS = ['trade_no', 'out_trade_no', 'refund_currency', 'refund_amount', 'refund_status'];

/**
 * The answer to an order by this method, or the `payment_data` of its state, with `complete`. Fields that the method's type
 * names are text, or absent.
 */
export function dataOfMethod<Method extends string>(method: Method, data: PaymentData): PaymentDataOf<Method>;
export function dataOfMethod(method: string, data: PaymentData): PaymentData & { complete: boolean } {
  return dataWith(BY_NAME.get(method.toLowerCase()) ?? [], data);
}

/** The answer to a checkout, with `complete`. */
export function dataOfCheckout(data: PaymentData): CheckoutCreated;
export function dataOfCheckout(data: PaymentData): PaymentData & { complete: boolean } {
  return dataWith(['web_url'], data);
}

/** The answer to a refund. Fields that its type names are text, or absent. */
export function dataOfRefund(answer: RefundAnswer): Refunded {
  const { out_request_no, recovered } = answer;
  return { ...textsOnly(answer, REFUND_TEXTS), out_request_no, recovered };
}

function dataWith(needed: readonly string[], data: PaymentData): PaymentData & { complete: boolean } {
  const texts = textsOnly(data, TEXTS);
  const complete = needed.every((name) => texts[name] !== undefined && texts[name] !== '');
  return { ...texts, recovered: data.recovered, complete };
}

/** Leaves out the named fields that are not text. */
function textsOnly(data: object, names: readonly string[]): Record<string, unknown> {
  const known = Object.entries(data).filter(([name, value]) => !names.includes(name) || typeof value === 'string');
  return Object.fromEntries(known);
}
