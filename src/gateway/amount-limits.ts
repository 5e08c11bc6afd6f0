/** Limits on amounts that gateways apply but the interface does not state. They change, so they only cause warnings. */
import Big from 'big.js';
import { methodIs } from './methods';
import { amountProblem } from './pure/money';
import type { CrossRule, RuleContext } from './rules';

/** The smallest and largest order amount, in units of the currency. */
const RANGES: readonly (readonly [method: string, currency: string, min: string, max: string])[] = [
  ['CreditCard', 'BRL', '0.50', '50000.00'],
];

/** Currencies without decimals. */
const WHOLE_CURRENCIES = ['COP', 'CLP', 'PYG', 'CRC'];

const AMOUNT_FIELDS = ['order_amount', 'refund_amount'];

/** The rules of this file, for warnings. */
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
