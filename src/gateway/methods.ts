/**
 * What each payment method asks of an order (section 4.1). Two methods bear masked names in the interface; which methods
 * they are is a setting (see RuleSettings).
 */
import type { Condition, Requirement, RuleContext, RuleSettings } from './rules';

/** The interface's words for the two, which stand in the tables below for whatever names the settings give. */
const BANK_LIST_DRIVEN = 'the bank-list-driven method';
const VOUCHER_STYLE = 'the voucher-style method';

const MASKED = new Map<string, keyof Pick<RuleSettings, 'bank_list_methods' | 'voucher_methods'>>([
  [BANK_LIST_DRIVEN, 'bank_list_methods'],
  [VOUCHER_STYLE, 'voucher_methods'],
]);

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

/** Names are told apart without regard to case: the interface itself writes both `Cash` and `CASH`. */
export function isOneOf(name: string | undefined, names: readonly string[]): boolean {
  return name !== undefined && names.some((one) => one.toLowerCase() === name.toLowerCase());
}

/** Whether the order's method, or that of the trade to refund, is one of these. */
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

/** Brazil, where names bear no digits: its currency, or its region on a Global app. */
export const inBrazil: Condition = ({ text, currency }) =>
  currency === 'BRL' || ['BR', 'BRA'].includes(text('region')?.toUpperCase() ?? '');

/** Ecuador's transfers are told from Panama's, also in dollars, by the region or by the buyer's kind of identity. */
export const isEcuadorTransfer: Condition = (context) => {
  if (!methodIs('BankTransfer')(context) || context.currency !== 'USD') return false;
  const region = context.text('region')?.toUpperCase();
  if (region !== undefined) return ['EC', 'ECU'].includes(region);
  return context.text('customer.identify.type')?.toUpperCase() === 'CI';
};

export const METHOD_REQUIREMENTS: readonly Requirement[] = [
  ...Object.entries(NOT_REQUIRED_BY).map(([field, methods]) => ({
    field,
    when: (context: RuleContext) => context.has('method') && !methodIs(...methods)(context),
    rule: 'required',
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
