/** Names that the interface lists without saying that the list is complete: known ones are proposed, others are allowed. */
import type { TradeStatus } from './status-names';

/** One of these texts, or a text that is new to us. */
export type OpenEnd<Known extends string> = Known | (string & Record<never, never>);

/** The methods that section 2.6 names. */
export const METHOD_NAMES = [
  'PIX',
  'Boleto',
  'Lottery',
  'DepositExpress',
  'SPEI',
  'Wallet',
  'CreditCard',
  'Cash',
  'BankTransfer',
  'PSE',
  'Efecty',
  'OXXO',
  'OXXOPay',
  'CoDi',
  'OpenFinance',
  'BNCR',
] as const;

export type KnownMethod = (typeof METHOD_NAMES)[number];

/** A payment method. */
export type PaymentMethod = OpenEnd<KnownMethod>;

/** A currency, as ISO 4217 names it. */
export type CurrencyCode = OpenEnd<
  'ARS' | 'BOB' | 'BRL' | 'CLP' | 'COP' | 'CRC' | 'MXN' | 'PEN' | 'PYG' | 'USD' | 'UYU'
>;

/** What the gateway says of a trade. */
export type TradeStatusName = OpenEnd<TradeStatus>;
