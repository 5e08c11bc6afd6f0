/** The fields that a direct creation answers with besides the trade's own. */
export const paymentFields = [
  'pay_url',
  'barcode',
  'bank_code',
  'qr_code',
  'provider_owner',
  'provider_owner_document',
  'provider_agency',
  'provider_number',
  'wallet_url',
  'app_link_url',
  'bank_name',
  'reference',
  'clabe',
  'beneficiary_name',
] as const;

/** A field of payment data. */
export type PaymentField = (typeof paymentFields)[number];

/** The state in which a direct creation leaves the trade. */
type DirectStart = 'INITIAL' | 'PROCESSING';

/** What the gateway knows of a payment method. */
export interface Method {
  /** How a direct creation starts, by the setting `directStatus`. */
  starts: { field: DirectStart; interface: DirectStart };
  /** How long a payment holds where the order says nothing. */
  usualExpiry: string;
  /** Where a checkout offers it; `*` is everywhere. */
  currencies: readonly string[];
  /** What a direct creation answers with. */
  answers: readonly PaymentField[];
}

const method = (
  field: DirectStart,
  byInterface: DirectStart,
  usualExpiry: string,
  currencies: string,
  ...answers: PaymentField[]
): Method => ({ starts: { field, interface: byInterface }, usualExpiry, currencies: currencies.split(' '), answers });

const [I, P] = ['INITIAL', 'PROCESSING'] as const;
const provider = ['provider_owner', 'provider_owner_document', 'provider_agency', 'provider_number'] as const;

// biome-ignore format: a table, read by columns
const table = {
  //                      starts in the field, by the interface; usual expiry; currencies; what the creation answers with
  PIX:            method(P, I, '2h',  'BRL', 'pay_url', 'qr_code'),
  Boleto:         method(P, I, '30d', 'BRL', 'pay_url', 'barcode', 'bank_code'),
  Lottery:        method(P, I, '10d', 'BRL', 'pay_url'),
  DepositExpress: method(P, I, '7d',  'BRL', 'pay_url', ...provider),
  OpenFinance:    method(I, I, '60m', 'BRL'),
  SPEI:           method(P, I, '3d',  'MXN', 'pay_url', 'bank_name', 'reference', 'clabe', 'beneficiary_name'),
  OXXO:           method(P, I, '5d',  'MXN', 'pay_url'),
  OXXOPay:        method(P, I, '5d',  'MXN'),
  CoDi:           method(P, I, '2h',  'MXN'),
  Cash:           method(P, I, '1d',  'MXN PEN CLP ARS COP USD'),
  PSE:            method(P, P, '1d',  'COP', 'pay_url'),
  Efecty:         method(P, P, '1d',  'COP', 'pay_url'),
  BankTransfer:   method(P, I, '1h',  'USD PEN ARS'),
  BNCR:           method(P, I, '7d',  'CRC USD'),
  Khipu:          method(I, I, '1d',  'CLP ARS'),
  Pago46:         method(P, I, '1d',  'CLP'),
  CreditCard:     method(I, I, '1d',  '*'),
  Wallet:         method(I, I, '1d',  '*'),
} as const satisfies Record<string, Method>;

/** The name of a payment method. */
export type MethodName = keyof typeof table;

/** Every method, by the name it has on the wire. */
export const methods: Readonly<Record<MethodName, Method>> = table;

/** Finds a method by its name on the wire. */
export function methodNamed(name: string): MethodName | undefined {
  if (isMethodName(name)) return name;
  return Object.keys(methods)
    .filter(isMethodName)
    .find((known) => wireNames(known).includes(name));
}

/** The names under which requests may name a method; the interface itself writes Cash as CASH once. */
export function wireNames(name: MethodName): string[] {
  return name === 'Cash' ? [name, 'CASH'] : [name];
}

/** Every name that {@link methodNamed} knows. */
export function allWireNames(): string[] {
  return Object.keys(methods).filter(isMethodName).flatMap(wireNames);
}

/** The methods that a checkout page offers for a currency. */
export function methodsFor(currency: string): MethodName[] {
  return Object.keys(methods)
    .filter(isMethodName)
    .filter((name) => methods[name].currencies.some((offered) => offered === '*' || offered === currency));
}

function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(table, name);
}

/** The kinds of wallet channel, and what a creation answers with for each. */
export const walletAnswers = {
  QR: ['pay_url', 'wallet_url', 'app_link_url'],
  URL: ['wallet_url'],
  CardNumber: [],
  Token: [],
} as const satisfies Record<string, readonly PaymentField[]>;

/** A kind of wallet channel. */
export type WalletKind = keyof typeof walletAnswers;

// The interface masks the channels' names; these are the kinds under their own name, and the wallets known in the field.
const wallets: Readonly<Record<string, WalletKind>> = {
  QR: 'QR',
  URL: 'URL',
  CardNumber: 'CardNumber',
  Token: 'Token',
  AME: 'QR',
  PicPay: 'URL',
  MercadoPago: 'URL',
  AstroPay: 'URL',
  Todito: 'CardNumber',
  PayPal: 'Token',
};

/** The channels of a kind that are known by name. */
export function walletsOfKind(kind: WalletKind): string[] {
  return Object.keys(wallets).filter((channel) => wallets[channel] === kind);
}

/** The kind of a wallet channel; one that nobody has heard of sends the buyer to an address, as most do. */
export function walletKind(channel: string | undefined): WalletKind {
  return (channel === undefined ? undefined : wallets[channel]) ?? 'URL';
}

/** What a direct creation in a method (and channel) answers with. */
export function answersOf(name: MethodName, channel: string | undefined): readonly PaymentField[] {
  return name === 'Wallet' ? walletAnswers[walletKind(channel)] : methods[name].answers;
}

/** How long a payment holds where the order says nothing. */
export function usualExpiryOf(name: MethodName, channel: string | undefined): string {
  return channel === 'PicPay' ? '3m' : methods[name].usualExpiry;
}
