/**
 * What each payment method asks of an order (section 4.1). Two methods bear masked names in the interface; the names that
 * are known for them are the defaults here.
 */
import type { Condition, Requirement } from './rules';

/** The bank-list-driven and the voucher-style method of the interface, by the names known in the field. */
export const BANK_LIST_DRIVEN = 'Khipu';
export const VOUCHER_STYLE = 'Pago46';

/** Customer fields are required of every direct order, except by these methods. */
const NOT_REQUIRED_BY: Record<string, readonly string[]> = {
  'customer.name': [VOUCHER_STYLE],
  'customer.email': ['PIX'],
  'customer.phone': [BANK_LIST_DRIVEN, VOUCHER_STYLE, 'OpenFinance', 'PIX'],
  // PIX is not among the interface's exemptions, but gateways take PIX orders without an identity, and the examples do.
  'customer.identify.number': [
    BANK_LIST_DRIVEN,
    VOUCHER_STYLE,
    'CoDi',
    'OXXO',
    'OXXOPay',
    'SPEI',
    'Cash',
    'BNCR',
    'PIX',
  ],
  'customer.identify.type': [BANK_LIST_DRIVEN, VOUCHER_STYLE, 'CoDi', 'OXXO', 'OXXOPay', 'SPEI', 'Cash', 'BNCR', 'PIX'],
};

/** Fields that the interface calls optional and some methods require. */
const REQUIRED_BY: Record<string, readonly string[]> = {
  'address.zip_code': ['Boleto', 'Lottery'],
  ip: ['CreditCard'],
  fingerprint: ['CreditCard'],
  bank: ['OpenFinance', BANK_LIST_DRIVEN],
};

/** Fields that only these methods may carry. */
export const ONLY_FOR: Record<string, readonly string[]> = {
  channel: ['Wallet'],
  issuer: ['CreditCard'],
  token: ['CreditCard', 'Wallet'],
};

export const ECUADOR_BANKS = ['bpacifico', 'internacional', 'pichincha'];

/** Method names are told apart without regard to case: the interface itself writes both `Cash` and `CASH`. */
export const methodIs =
  (...methods: readonly string[]): Condition =>
  ({ text }) =>
    methods.some((method) => method.toLowerCase() === text('method')?.toLowerCase());

/** Brazil, where names bear no digits: its currency, or its region on a Global app. */
export const inBrazil: Condition = ({ text }) =>
  text('order_currency')?.toUpperCase() === 'BRL' || ['BR', 'BRA'].includes(text('region')?.toUpperCase() ?? '');

/** Ecuador's transfers are told from Panama's, also in dollars, by the region or by the buyer's kind of identity. */
export const isEcuadorTransfer: Condition = (context) => {
  if (!methodIs('BankTransfer')(context) || context.text('order_currency')?.toUpperCase() !== 'USD') return false;
  const region = context.text('region')?.toUpperCase();
  if (region !== undefined) return ['EC', 'ECU'].includes(region);
  return context.text('customer.identify.type')?.toUpperCase() === 'CI';
};

export const METHOD_REQUIREMENTS: readonly Requirement[] = [
  ...Object.entries(NOT_REQUIRED_BY).map(([field, methods]) => ({
    field,
    when: (context: Parameters<Condition>[0]) => context.has('method') && !methodIs(...methods)(context),
    rule: 'required',
  })),
  ...Object.entries(REQUIRED_BY).flatMap(([field, methods]) =>
    methods.map((method) => ({ field, when: methodIs(method), rule: `required for ${method}` })),
  ),
  { field: 'bank', when: isEcuadorTransfer, rule: `required: one of ${ECUADOR_BANKS.join(', ')}` },
];
