import { namesOf } from '../names';

// biome-ignore format: a table, read by columns
/** The payment data: what the answer to a direct creation has besides the trade's own fields. */
export const paymentFields = {
  pay_url:                 { means: 'The page on which the buyer pays, and later sees the state of the payment.' },
  qr_code:                 { means: 'The text of the QR code. The buyer can also copy and paste it.' },
  bank_code:               { means: 'The line of digits that a buyer types.' },
  barcode:                 { means: 'The 44 digits of the barcode.' },
  clabe:                   { means: 'The CLABE to pay to.' },
  reference:               { means: 'Reference of the transfer.' },
  bank_name:               { means: 'Name of the bank.' },
  beneficiary_name:        { means: 'Owner of the CLABE.' },
  provider_owner:          { means: 'Owner of the account to pay into.' },
  provider_owner_document: { means: 'The owner’s document.' },
  provider_agency:         { means: 'Branch of the account.' },
  provider_number:         { means: 'Number of the account.' },
  wallet_url:              { means: 'Address of the QR code’s picture, or of the wallet’s page.' },
  app_link_url:            { means: 'Opens the wallet’s app on a phone.' },
} as const satisfies Record<string, { means: string }>;

export type PaymentField = keyof typeof paymentFields;

type DirectStart = 'INITIAL' | 'PROCESSING';

/** What the gateway knows of a payment method. */
interface PaymentMethod {
  /** The first state of a direct creation, by the setting `directStatus`. */
  field: DirectStart;
  interface: DirectStart;
  /** How long a payment is valid if the order does not say; an express time. */
  usualExpiry: string;
  /** The currencies for which a checkout offers it; `*` means all. */
  currencies: string;
  /** The payment data in the answer to a direct creation. */
  answers: readonly PaymentField[];
}

const [I, P] = ['INITIAL', 'PROCESSING'] as const;
const provider = ['provider_owner', 'provider_owner_document', 'provider_agency', 'provider_number'] as const;

// biome-ignore format: a table, read by columns
const table = {
  PIX:            { field: P, interface: I, usualExpiry: '2h',  currencies: 'BRL', answers: ['pay_url', 'qr_code'] },
  Boleto:         { field: P, interface: I, usualExpiry: '30d', currencies: 'BRL', answers: ['pay_url', 'barcode', 'bank_code'] },
  Lottery:        { field: P, interface: I, usualExpiry: '10d', currencies: 'BRL', answers: ['pay_url'] },
  DepositExpress: { field: P, interface: I, usualExpiry: '7d',  currencies: 'BRL', answers: ['pay_url', ...provider] },
  OpenFinance:    { field: I, interface: I, usualExpiry: '60m', currencies: 'BRL', answers: [] },
  SPEI:           { field: P, interface: I, usualExpiry: '3d',  currencies: 'MXN', answers: ['pay_url', 'bank_name', 'reference', 'clabe', 'beneficiary_name'] },
  OXXO:           { field: P, interface: I, usualExpiry: '5d',  currencies: 'MXN', answers: ['pay_url'] },
  OXXOPay:        { field: P, interface: I, usualExpiry: '5d',  currencies: 'MXN', answers: [] },
  CoDi:           { field: P, interface: I, usualExpiry: '2h',  currencies: 'MXN', answers: [] },
  Cash:           { field: P, interface: I, usualExpiry: '1d',  currencies: 'MXN PEN CLP ARS COP USD', answers: [] },
  PSE:            { field: P, interface: P, usualExpiry: '1d',  currencies: 'COP', answers: ['pay_url'] },
  Efecty:         { field: P, interface: P, usualExpiry: '1d',  currencies: 'COP', answers: ['pay_url'] },
  BankTransfer:   { field: P, interface: I, usualExpiry: '1h',  currencies: 'USD PEN ARS', answers: [] },
  BNCR:           { field: P, interface: I, usualExpiry: '7d',  currencies: 'CRC USD', answers: [] },
  Khipu:          { field: I, interface: I, usualExpiry: '1d',  currencies: 'CLP ARS', answers: [] },
  Pago46:         { field: P, interface: I, usualExpiry: '1d',  currencies: 'CLP', answers: [] },
  CreditCard:     { field: I, interface: I, usualExpiry: '1d',  currencies: '*', answers: [] },
  Wallet:         { field: I, interface: I, usualExpiry: '1d',  currencies: '*', answers: [] },
} as const satisfies Record<string, PaymentMethod>;

export type MethodName = keyof typeof table;

/** All methods, by their name on the wire. */
export const methodTable: Readonly<Record<MethodName, PaymentMethod>> = table;
const names = namesOf(table);

/** Finds a method by its name on the wire. */
export function methodNamed(name: string): MethodName | undefined {
  return names.find((known) => wireNames(known).includes(name));
}

/** The names under which requests may name a method. The interface itself writes Cash as CASH once. */
export function wireNames(name: MethodName): string[] {
  return name === 'Cash' ? [name, 'CASH'] : [name];
}

/** Every name that {@link methodNamed} knows. */
export const allWireNames = names.flatMap(wireNames);

/** The methods that a checkout page offers for a currency. */
export function methodsFor(currency: string): MethodName[] {
  return names.filter((name) => methodTable[name].currencies.split(' ').some((one) => one === '*' || one === currency));
}

/** A kind of wallet channel: the channels that are known by name, and the payment data in the answer to a creation. */
export interface WalletKind {
  channels: readonly string[];
  answers: readonly PaymentField[];
}

const urlWallet: WalletKind = { channels: ['URL', 'PicPay', 'MercadoPago', 'AstroPay'], answers: ['wallet_url'] };

/** All kinds. The interface masks the channels' names: these are the kinds' own names, and the wallets in the field. */
export const walletKinds = {
  QR: { channels: ['QR', 'AME'], answers: ['pay_url', 'wallet_url', 'app_link_url'] },
  URL: urlWallet,
  CardNumber: { channels: ['CardNumber', 'Todito'], answers: [] },
  Token: { channels: ['Token', 'PayPal'], answers: [] },
} as const satisfies Record<string, WalletKind>;

/** The kind of a wallet channel. An unknown one sends the buyer to an address, as most wallets do. */
export function walletKind(channel: string | null): WalletKind {
  const kinds: readonly WalletKind[] = Object.values(walletKinds);
  return kinds.find(({ channels }) => channels.includes(channel ?? '')) ?? urlWallet;
}

/** The payment data in the answer to a direct creation in a method and channel. */
export function answersOf(name: MethodName, channel: string | null): readonly PaymentField[] {
  return name === 'Wallet' ? walletKind(channel).answers : methodTable[name].answers;
}

/** How long a payment is valid if the order does not say; an express time. */
export function usualExpiryOf(name: MethodName, channel: string | null): string {
  return channel === 'PicPay' ? '3m' : methodTable[name].usualExpiry;
}
