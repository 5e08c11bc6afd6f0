/** Limits on amounts that are known from the field. They change, so they are warnings and never errors. */
import Big from 'big.js';
import { methodIs } from './methods';
import { amountProblem } from './money';
import type { CrossRule, RuleContext } from './rules';

/** What an order may amount to, in units of its currency. */
const RANGES: readonly (readonly [method: string, currency: string, min: string, max: string])[] = [
  ['CreditCard', 'BRL', '0.50', '50000.00'],
];

/** Currencies that are paid in whole units only. */
const WHOLE_CURRENCIES = ['COP', 'CLP', 'PYG', 'CRC'];

const FIELDS = ['order_amount', 'refund_amount'];

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
  ...FIELDS.flatMap((field) =>
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
