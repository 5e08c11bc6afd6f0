/**
 * The orders of section 4 as types, each field with its rule; pay.ts, checkout.ts and refund.ts check the same. The requests
 * are types and no interfaces, so that they pass as plain JSON objects.
 */
import type { CurrencyCode, PaymentMethod } from './pure/names';
import type { Sealed } from './sealing';

/** What direct payments and checkouts have in common. */
export type OrderFields = {
  /** Your own number of the order, at most 64 characters. It is the idempotency key: one number, at most one charge. */
  out_trade_no: string;
  /** Sub-channel, at most 32 characters: only with the method `Wallet`. */
  channel?: string | undefined;
  /** Currency of the order: 3 letters. */
  order_currency: CurrencyCode;
  /** Amount in currency units as a decimal text, such as `"150.00"`: from 0.01 to 99999999999999.99. Never a number. */
  order_amount: string;
  /** Reason or title of what is sold, at most 128 characters. */
  subject: string;
  /** Detail, at most 255 characters. It must be truthful for the bank-list-driven method. */
  content?: string | undefined;
  /** Where the gateway posts notifications, at most 255 characters. Leave it out: the worker knows its webhook. */
  notify_url?: string | undefined;
  /** Where the checkout sends the buyer back to, at most 255 characters. Some channels need https. */
  return_url?: string | undefined;
  /** Your own id of the buyer, at most 128 characters. */
  buyer_id: string;
  /** When the order expires: a whole number and `m`, `h`, `d`, or `c` for the end of the current UTC day; such as `90m`. */
  timeout_express?: string | undefined;
  /** When the gateway cancels by itself: a whole number and `m`, `h` or `d`, at most 3 days, longer than `timeout_express`. */
  cancellation_express?: string | undefined;
};

/** An identity number. */
export interface Identity {
  /** The number, in the format of its country. */
  number?: string | undefined;
  /** Its kind, such as `CPF`, `CNPJ`, `CURP`, `RFC`, `NIT` or `CC`. */
  type?: string | undefined;
}

/** The buyer of a direct payment. Which fields are required depends on the method. */
export interface Customer {
  /** Name without emoji; at least 10 characters for SPEI, no digits in Brazil. Not required for the voucher-style method. */
  name?: string | undefined;
  /** Address without `+`. Not required for PIX. */
  email?: string | undefined;
  /** Number. Not required for PIX, OpenFinance, the bank-list-driven and the voucher-style method. */
  phone?: string | undefined;
  /** Not required for PIX, SPEI, OXXO, OXXOPay, CoDi, Cash, BNCR, the bank-list-driven and the voucher-style method. */
  identify?: Identity | undefined;
}

/** The buyer's address. */
export interface Address {
  /** Required for Boleto and Lottery. */
  zip_code?: string | undefined;
  /** State or province. */
  state?: string | undefined;
  /** City. */
  city?: string | undefined;
  /** Number in the street. */
  street_number?: string | undefined;
  /** Street, first line. */
  street?: string | undefined;
  /** Street, second line. */
  neighborhood?: string | undefined;
}

/** The body of `/trade/pay` (section 4.1) without `app_id` and `timestamp`. */
export type DirectPayment = OrderFields & {
  /** Payment method, at most 32 characters. */
  method: PaymentMethod;
  /** Card token (CreditCard) or one-time token of a wallet. The client seals it: only the worker can read it. */
  token?: string | Sealed | undefined;
  /** Issuer of the card: only with CreditCard. */
  issuer?: string | undefined;
  /** Bank: `bank_id` of `payments.banks()` for OpenFinance and the bank-list-driven method; required for transfers in Ecuador. */
  bank?: string | undefined;
  /** The buyer. */
  customer?: Customer | undefined;
  /** The buyer's address. */
  address?: Address | undefined;
  /** The buyer's IP address: required for CreditCard. */
  ip?: string | undefined;
  /** Language of the bank that was chosen: for Cash and BankTransfer, but not in Mexico. */
  language_code?: string | undefined;
  /** Number of card installments, a whole number from 1 on; see `payments.installments()`. Default 1. */
  installments?: number | undefined;
  /** Fingerprint of the buyer's device: required for CreditCard. */
  fingerprint?: string | undefined;
  /** Account in the card-number channel of a wallet: 10 to 18 digits. */
  account_number?: string | undefined;
  /** PIN of that channel: 4 digits. The client seals it: only the worker can read it. */
  account_verification_code?: string | Sealed | undefined;
  /** Region code: required where the app is Global. */
  region?: string | undefined;
};

/** The body of `/trade/create` (section 4.2) without `app_id` and `timestamp`: the buyer chooses on the gateway's page. */
export type Checkout = OrderFields & {
  /** The only method that the page offers, at most 32 characters; without it, the buyer chooses. */
  method?: PaymentMethod | undefined;
  /** Always `WEB`. */
  trade_type: 'WEB';
  /** Region codes: valid where the app is Global. */
  regions?: string[] | undefined;
  /** In a sample of the interface only. */
  version?: string | undefined;
};

/** Whose money goes back. Which fields are required depends on the method; what the payment knows may be left out. */
export interface RefundedUser {
  /** Identity number, at most 16 characters, and its kind. Required for PIX, Boleto, Lottery and DepositExpress. */
  identify?: Identity | undefined;
  /** Name, at most 64 characters. Required for PIX, Boleto, Lottery and DepositExpress. */
  name?: string | undefined;
  /** Email address, at most 64 characters. Required. */
  email?: string | undefined;
  /** Phone number, at most 64 characters. */
  phone?: string | undefined;
}

/** The bank account that the money goes to. */
export interface BankInfo {
  /** Bank by its id, at most 64 characters. */
  bank_id?: string | undefined;
  /** Bank by its name, at most 64 characters. */
  bank_name?: string | undefined;
  /** Branch, at most 64 characters. */
  agency?: string | undefined;
  /** Kind of account, at most 64 characters. */
  type?: string | undefined;
  /** Account number, at most 64 characters; the CLABE for SPEI. */
  number?: string | undefined;
}

/** What a refund may say besides its order. Without an `amount`, all that is left of the payment goes back. */
export type RefundOptions = {
  /** A part: an amount in the payment's currency as a decimal text, such as `"30.00"`. Never a number. */
  amount?: string;
  /** Your own number of the refund, at most 16 characters: its idempotency key. */
  out_request_no?: string | undefined;
  /** Why, at most 128 characters. */
  refund_reason?: string | undefined;
  /** Whose money goes back. */
  user_info?: RefundedUser | undefined;
  /** Always `API`. */
  platform_type?: 'API' | undefined;
  /** The bank account that the money goes to. */
  bank_info?: BankInfo | undefined;
};

/** The body of `/trade/refund` (section 4.3) without `app_id`, `timestamp` and the trade's ids. */
export type RefundRequest = Omit<RefundOptions, 'amount'> & {
  /** Currency of the payment: 3 letters. */
  refund_currency: CurrencyCode;
  /** Amount in currency units as a decimal text, such as `"30.00"`: all of the payment, or a part. */
  refund_amount: string;
};
