/**
 * Rules that the interface does not state: formats of identity numbers and a CLABE’s check digit, and usual amounts. They apply to requests
 * only, and cause warnings: even published samples of responses have wrong check digits.
 */
import Big from 'big.js';
import { cnpj, cpf } from 'stdnum/lib/cjs/br';
import { nit } from 'stdnum/lib/cjs/co';
import { curp, rfc } from 'stdnum/lib/cjs/mx';
import { hasEmoji } from './fields';
import { methodIs } from './methods';
import { isClabe } from './pure/ids';
import { amountProblem } from './pure/money';
import type { CrossRule, RuleContext } from './rules';

/** Whether the request is from the country of an identity type; other countries use the same letters for other numbers. */
type Country = (context: RuleContext) => boolean;
const ANYWHERE: Country = () => true;
const COLOMBIA: Country = ({ currency, text }) =>
  currency === 'COP' || ['CO', 'COL'].includes(text('region')?.toUpperCase() ?? '');

const IDENTITIES: readonly (readonly [
  type: string,
  where: Country,
  valid: (number: string) => boolean,
  rule: string,
])[] = [
  [
    'CPF',
    ANYWHERE,
    (n) => cpf.validate(n).isValid && !isOneDigit(n),
    'not a CPF: 11 digits, of which the last two check the others',
  ],
  [
    'CNPJ',
    ANYWHERE,
    (n) => cnpj.validate(n).isValid && !isOneDigit(n),
    'not a CNPJ: 14 characters, of which the last two check the others',
  ],
  ['CURP', ANYWHERE, (n) => curp.validate(n).isValid, 'not a CURP: 18 characters, of which the last checks the others'],
  // The tax office's numbers for the general public and for foreigners have no check digit.
  [
    'RFC',
    ANYWHERE,
    (n) => /^X[AE]XX010101000$/.test(n) || rfc.validate(n).isValid,
    'not an RFC: 12 or 13 characters, of which the last checks the others',
  ],
  // The nine digits of a company are often given without the tenth, the check digit.
  [
    'NIT',
    COLOMBIA,
    (n) => /^\d{9}$/.test(n) || nit.validate(n).isValid,
    'not a NIT: digits of which the last checks the others',
  ],
  ['CC', COLOMBIA, (n) => /^\d{6,10}$/.test(n.replace(/[. ]/g, '')), 'not a cédula: 6 to 10 digits'],
];

/** Numbers such as 111.111.111-11 have a right check digit, but Brazil does not issue them. */
function isOneDigit(number: string): boolean {
  return /^(\d)\1*$/.test(number.replace(/[. /-]/g, ''));
}

const HOLDERS = ['customer.identify', 'user_info.identify'];

/** Warnings, or errors if the setting `formats` is `refuse`. */
export const FORMATS: readonly CrossRule[] = [
  ...HOLDERS.flatMap((holder) =>
    IDENTITIES.map(([type, where, valid, rule]) => ({
      field: `${holder}.number`,
      broken: (context: RuleContext) => {
        const number = context.text(`${holder}.number`)?.trim().toUpperCase();
        const kind = context.text(`${holder}.type`)?.trim().toUpperCase();
        return number !== undefined && kind === type && where(context) && !valid(number);
      },
      rule,
    })),
  ),
  {
    field: 'bank_info.number',
    broken: (context) => {
      const number = context.text('bank_info.number');
      return number !== undefined && methodIs('SPEI')(context) && !isClabe(number);
    },
    rule: 'not a CLABE: 18 digits, of which the last checks the others',
  },
  // Section 4.1 states this for orders. Section 4.8 does not for virtual accounts, whose customers have a buyer_id.
  {
    field: 'customer.name',
    broken: ({ text, has }) => has('customer.buyer_id') && hasEmoji(text('customer.name') ?? ''),
    rule: 'no emoji',
  },
];

// — Usual amounts. Gateways change them —

/** The smallest and largest order amount, in units of the currency. */
const RANGES: readonly (readonly [method: string, currency: string, min: string, max: string])[] = [
  ['CreditCard', 'BRL', '0.50', '50000.00'],
];

const WHOLE_CURRENCIES = ['COP', 'CLP', 'PYG', 'CRC'];

const AMOUNT_FIELDS = ['order_amount', 'refund_amount'];

export const AMOUNT_LIMITS: readonly CrossRule[] = [
  ...RANGES.map(([method, currency, min, max]) => ({
    field: 'order_amount',
    broken: (context: RuleContext) => {
      const amount = amountAt('order_amount', context);
      const concerned = methodIs(method)(context) && context.currency === currency;
      return amount !== undefined && concerned && (amount.lt(min) || amount.gt(max));
    },
    rule: `${method} in ${currency} usually takes ${min} to ${max}`,
  })),
  ...AMOUNT_FIELDS.flatMap((field) =>
    WHOLE_CURRENCIES.map((currency) => ({
      field,
      broken: (context: RuleContext) => {
        const amount = amountAt(field, context);
        return amount !== undefined && context.currency === currency && !amount.eq(amount.round(0, Big.roundDown));
      },
      rule: `${currency} is usually paid in whole units`,
    })),
  ),
];

function amountAt(field: string, { text }: RuleContext): Big | undefined {
  const amount = text(field);
  return amount !== undefined && amountProblem(amount) === undefined ? new Big(amount) : undefined;
}
