/** The published orders: valid ones are accepted, invalid ones are refused with the field that breaks a rule. */
import { parseCheckout, parseDirectPayment } from '../../src/gateway';
import { faults, publishedOrders } from './support';

const parse = { direct: parseDirectPayment, checkout: parseCheckout };

/** Our words for rules that the examples word differently. */
const IN_OUR_WORDS: Record<string, RegExp> = {
  'two decimals': /two decimals at most/,
  'Brazil: no digits': /no digits in Brazil/,
  'units m, h, d': /unit: m, h or d/,
  'integer and unit': /integer and a unit: m, h or d/,
  '3 characters': /3 letters/,
  'no +': /must not contain \+/,
  'SPEI: at least 10 characters': /SPEI needs at least 10 characters/,
};

/** Lacks `customer.identify`: the example names the number only, but the interface requires the type too. */
const LACKING_MORE: Record<string, string[]> = { 'pse-no-identify.json': ['customer.identify.type'] };

describe('examples/orders', () => {
  test.each(publishedOrders())('$file is accepted unchanged', ({ kind, request }) => {
    expect(parse[kind](request)).toEqual(request);
  });

  test.each(publishedOrders('invalid'))(
    '$file is refused for $expect.refused, and for nothing that it does not break',
    ({ file, kind, request, expect: { refused, rule } }) => {
      const found = faults(() => parse[kind](request));
      expect(Object.keys(found)).toEqual([...refused, ...(LACKING_MORE[file] ?? [])]);
      for (const field of refused) expect(found[field]).toMatch(IN_OUR_WORDS[rule] ?? rule);
    },
  );
});
