/** Names that the interface lists without saying that the list is complete: known ones are proposed, others are allowed. */

/** One of these texts, or a text that is new to us. */
export type OpenEnd<Known extends string> = Known | (string & Record<never, never>);

/**
 * A name that a program writes as a literal must be one of ours, so that a typo does not compile and the compiler suggests the right name.
 * Names that are only known at run time are accepted, and so is `'Yape' as string`: gateways add new ones.
 */
export type Spelt<Name extends string, Known extends string> = string extends Name
  ? Name
  : Name extends Known
    ? Name
    : Known;

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

/**
 * The currencies of the methods of one market, from experience: the interface names none. Any other method takes any currency, and the
 * setting `method_currencies` adds to the table.
 */
export const METHOD_CURRENCIES = {
  PIX: ['BRL'],
  Boleto: ['BRL'],
  Lottery: ['BRL'],
  DepositExpress: ['BRL'],
  OpenFinance: ['BRL'],
  SPEI: ['MXN'],
  OXXO: ['MXN'],
  OXXOPay: ['MXN'],
  CoDi: ['MXN'],
  PSE: ['COP'],
  Efecty: ['COP'],
  BNCR: ['CRC', 'USD'],
} as const satisfies Partial<Record<KnownMethod, readonly KnownCurrency[]>>;

/** The methods that a program may write: the known ones, another spelling of the interface, and the masked ones by their usual names. */
export type SpeltMethod = KnownMethod | 'CASH' | 'Khipu' | 'Pago46';

/** A payment method. */
export type PaymentMethod = OpenEnd<KnownMethod>;

/** The currencies of the markets of these methods. */
export type KnownCurrency = 'ARS' | 'BOB' | 'BRL' | 'CLP' | 'COP' | 'CRC' | 'MXN' | 'PEN' | 'PYG' | 'USD' | 'UYU';

/** The currencies that a program may write beside a method: those of its market. Others that the gateway takes: `'USD' as string`. */
export type CurrencyOf<Method extends string> = Method extends keyof typeof METHOD_CURRENCIES
  ? (typeof METHOD_CURRENCIES)[Method][number]
  : KnownCurrency;

/** A currency, as ISO 4217 names it. */
export type CurrencyCode = OpenEnd<KnownCurrency>;

/** The state of a trade, as the gateway names it. */
export type TradeStatusName = OpenEnd<TradeStatus>;

export const TRADE_STATUSES = [
  'INITIAL',
  'PROCESSING',
  'SUCCESS',
  'CANCEL',
  'RISK_CONTROLLING',
  'DISPUTE',
  'REFUSED',
  'REFUND_VERIFYING',
  'REFUND_PROCESSING',
  'REFUNDED',
  'PARTIAL_REFUND',
  'CHARGEBACK',
  'EXPIRED',
  'REFUND_REVOKE',
  'REFUND_REFUSED',
  'CHARGEBACK_REVERSED',
] as const;

export type TradeStatus = (typeof TRADE_STATUSES)[number];

/** Whether `status` is in the list above. Other states are recorded and raise attention; they are never dropped. */
export function isKnownStatus(status: string): status is TradeStatus {
  return (TRADE_STATUSES as readonly string[]).includes(status);
}
