/**
 * What each payment method requires of an order (section 4.1). The interface masks the names of two methods, so their real
 * names are a setting (see RuleSettings).
 */
import { METHOD_CURRENCIES, METHOD_NAMES } from './pure/names';
import { nearestOf } from './pure/nearest';
import type { Condition, CrossRule, Requirement, RuleContext, RuleSettings } from './rules';

/** The interface's names for these two methods. In the tables below they stand for the names in the settings. */
const BANK_LIST_DRIVEN = 'the bank-list-driven method';
const VOUCHER_STYLE = 'the voucher-style method';

const MASKED = new Map<string, keyof Pick<RuleSettings, 'bank_list_methods' | 'voucher_methods'>>([
  [BANK_LIST_DRIVEN, 'bank_list_methods'],
  [VOUCHER_STYLE, 'voucher_methods'],
]);

/** The interface's names, for tables in other files. */
export const MASKED_METHODS: readonly string[] = [...MASKED.keys()];

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

/** The names from the interface and the settings. Others are allowed: the interface does not say that its list is complete. */
const knownNames = ({ bank_list_methods, voucher_methods, method_currencies }: RuleSettings): readonly string[] => [
  ...METHOD_NAMES,
  ...bank_list_methods,
  ...voucher_methods,
  ...method_currencies.map((pair) => pair.replace(/:.*/, '')),
];

/** How an order by an unknown method is sent on purpose, in words. */
const NAMED_BY_SETTING = 'GATEWAY_METHOD_CURRENCIES names it, such as Yape:PEN';

/** The interface uses this spelling once, too. */
const ALSO_WRITTEN = ['CASH'];

/** The known method that a name means, even if misspelt; else the name itself, which may be a new method. */
export function meantMethod(name: string | undefined, settings: RuleSettings): string | undefined {
  const known = knownNames(settings);
  if (name === undefined || known.includes(name)) return name;
  const meant = nearestOf(
    name.toLowerCase(),
    known.map((one) => one.toLowerCase()),
    name.length < 6 ? 1 : 2,
  );
  return known.find((one) => one.toLowerCase() === meant) ?? name;
}

/** The gateway takes an order only with the method's exact name and a currency of the method's market. */
export const METHOD_FITS: readonly CrossRule[] = [
  {
    field: 'method',
    broken: ({ text, method }) => ![undefined, method, ...ALSO_WRITTEN].includes(text('method')),
    rule: ({ method }) =>
      `did you mean ${method}? A method of another name, which is not known here: ${NAMED_BY_SETTING}`,
  },
  {
    field: 'order_currency',
    broken: (context) =>
      currenciesOf(context)?.includes(context.currency ?? '') === false && context.has('order_currency'),
    rule: (context) => {
      const others = ofOneMarket(context.settings).filter(({ currencies }) =>
        currencies.includes(context.currency ?? ''),
      );
      const instead =
        others.length === 0 ? '' : `, or use another method: ${others.map(({ name }) => name).join(', ')}`;
      return `${context.method} is paid in ${currenciesOf(context)?.join(' or ')}: price it in that${instead}`;
    },
  },
];

/** The currencies of the order's method; undefined for any. */
const currenciesOf = ({ method, settings }: RuleContext): readonly string[] | undefined =>
  ofOneMarket(settings).find(({ name }) => isOneOf(method, [name]))?.currencies;

/** The methods that take only some currencies, and the currencies of each. */
function ofOneMarket({ method_currencies }: RuleSettings): { name: string; currencies: readonly string[] }[] {
  const pairs = method_currencies.map((pair) => pair.split(':'));
  return Object.entries(METHOD_CURRENCIES).map(([name, own]) => {
    const added = pairs.flatMap(([method, currency = '']) => (isOneOf(method, [name]) ? [currency] : []));
    return { name, currencies: [...own, ...added] };
  });
}

/** A new method needs the fields that any method needs: an order without them may have meant a known method. */
export const METHOD_IS_KNOWN: CrossRule = {
  field: 'method',
  broken: ({ has, method, settings }) =>
    has('method') &&
    !isOneOf(method, knownNames(settings)) &&
    Object.keys(NOT_REQUIRED_BY).some((field) => !has(field)),
  rule: ({ settings }) =>
    `not known here: use one of ${knownNames(settings).join(', ')}, or send what a new one needs; ${NAMED_BY_SETTING}`,
};

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
      isOneOf(method, knownNames(settings)) ? 'required' : 'required with a method that is not known here',
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
