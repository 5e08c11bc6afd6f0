/**
 * What each payment method requires of an order (section 4.1). The interface masks the names of two methods, so their real
 * names are a setting (see RuleSettings).
 */
import { METHOD_NAMES } from './pure/names';
import type { Condition, Requirement, RuleContext, RuleSettings } from './rules';

/** The interface's words for the two. In the tables below they stand for the names in the settings. */
const BANK_LIST_DRIVEN = 'the bank-list-driven method';
const VOUCHER_STYLE = 'the voucher-style method';

const MASKED = new Map<string, keyof Pick<RuleSettings, 'bank_list_methods' | 'voucher_methods'>>([
  [BANK_LIST_DRIVEN, 'bank_list_methods'],
  [VOUCHER_STYLE, 'voucher_methods'],
]);

/** Customer fields that every direct order must have, except with these methods. */
const NOT_REQUIRED_BY: Record<string, readonly string[]> = {
  'customer.name': [VOUCHER_STYLE],
  'customer.email': ['PIX'],
  'customer.phone': [BANK_LIST_DRIVEN, VOUCHER_STYLE, 'OpenFinance', 'PIX'],
  // The interface does not exempt PIX, but gateways accept PIX orders without an identity, and its samples have none.
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

/** Optional fields that these methods require. */
const REQUIRED_BY: Record<string, readonly string[]> = {
  'address.zip_code': ['Boleto', 'Lottery'],
  ip: ['CreditCard'],
  fingerprint: ['CreditCard'],
  bank: ['OpenFinance', BANK_LIST_DRIVEN],
};

/** Fields that only orders by these methods may have. */
export const ONLY_FOR: Record<string, readonly string[]> = {
  channel: ['Wallet'],
  issuer: ['CreditCard'],
  token: ['CreditCard', 'Wallet'],
};

/** The banks of a transfer in Ecuador. */
export const ECUADOR_BANKS = ['bpacifico', 'internacional', 'pichincha'];

/** Whether `name` is one of `names`, in any case: the interface itself writes both `Cash` and `CASH`. */
export function isOneOf(name: string | undefined, names: readonly string[]): boolean {
  return name !== undefined && names.some((one) => one.toLowerCase() === name.toLowerCase());
}

/** Whether the method of the order, or of the trade to refund, is one of these. */
export const methodIs =
  (...methods: readonly string[]): Condition =>
  ({ method, settings }) =>
    isOneOf(
      method,
      methods.flatMap((name) => namesOf(name, settings)),
    );

function namesOf(method: string, settings: RuleSettings): readonly string[] {
  const masked = MASKED.get(method);
  return masked ? settings[masked] : [method];
}

/** Whether the interface names the method, or a setting does. Others are allowed: it does not say that its list is complete. */
const isKnown = (method: string | undefined, settings: RuleSettings): boolean =>
  isOneOf(method, [...METHOD_NAMES, ...settings.bank_list_methods, ...settings.voucher_methods]);

/** Whether the order is from Brazil, by its currency or by its region. Names have no digits there. */
export const inBrazil: Condition = ({ text, currency }) =>
  currency === 'BRL' || ['BR', 'BRA'].includes(text('region')?.toUpperCase() ?? '');

/** Whether the order is a transfer in Ecuador. Panama uses dollars too, so the region or the identity type decides. */
export const isEcuadorTransfer: Condition = (context) => {
  if (!methodIs('BankTransfer')(context) || context.currency !== 'USD') return false;
  const region = context.text('region')?.toUpperCase();
  if (region !== undefined) return ['EC', 'ECU'].includes(region);
  return context.text('customer.identify.type')?.toUpperCase() === 'CI';
};

/** The tables above as rules. */
export const METHOD_REQUIREMENTS: readonly Requirement[] = [
  ...Object.entries(NOT_REQUIRED_BY).map(([field, methods]) => ({
    field,
    when: (context: RuleContext) => context.has('method') && !methodIs(...methods)(context),
    rule: ({ method, settings }: RuleContext) =>
      isKnown(method, settings)
        ? 'required'
        : 'required with a method that section 2.6 does not name: is it spelt well?',
  })),
  ...Object.entries(REQUIRED_BY).flatMap(([field, methods]) =>
    methods.map((name) => ({
      field,
      when: methodIs(name),
      rule: ({ method }: RuleContext) => `required for ${method}`,
    })),
  ),
  { field: 'bank', when: isEcuadorTransfer, rule: `required: one of ${ECUADOR_BANKS.join(', ')}` },
];
