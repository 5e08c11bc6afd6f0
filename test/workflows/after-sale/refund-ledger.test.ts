/** The ledger against random orders of asking, ending and forgetting: never more than was paid, and none lost. */
import Big from 'big.js';
import fc from 'fast-check';
import type { RefundOrder, RefundOutcome, RefundState } from '../../../src/workflows';
import { RefundLedger } from '../../../src/workflows/after-sale/refund-ledger';

const IDS = { out_trade_no: 'order-1', trade_no: 'T1' };
const TRADE = { ...IDS, order_amount: '99999999999999.99', order_currency: 'BRL' };
const SMALL = { ...IDS, order_amount: '150.00', order_currency: 'BRL' };
const ask = (refund_amount: string, more: Partial<RefundOrder> = {}): RefundOrder => ({
  refund_amount,
  refund_currency: 'BRL',
  ...more,
});
const granted = (ledger: RefundLedger, order: RefundOrder, trade = SMALL): RefundState => {
  const asked = ledger.request(order, trade, 0);
  if (asked.is !== 'granted') throw new Error(asked.is);
  return asked.refund;
};

describe('an over-refund', () => {
  test('ten refunds at the same moment are granted no more than was paid', () => {
    const ledger = new RefundLedger();
    const answers = Array.from({ length: 10 }, (_, i) =>
      ledger.request(ask('40.00', { out_request_no: `r${i}` }), SMALL, 0),
    );
    expect(answers.map(({ is }) => is)).toEqual([...Array(3).fill('granted'), ...Array(7).fill('over-refund')]);
    expect(answers.at(-1)).toEqual({ is: 'over-refund', left: '30.00' });
  });

  test('is decided exactly for an amount of sixteen digits', () => {
    const ledger = new RefundLedger();
    granted(ledger, ask('99999999999999.98'), TRADE);
    expect(ledger.request(ask('0.02'), TRADE, 0)).toEqual({ is: 'over-refund', left: '0.01' });
    granted(ledger, ask('0.01'), TRADE);
    expect(ledger.left(TRADE)).toBe('0.00');
  });
});

describe('the number of a refund', () => {
  test('is made of the request where a partial refund has none: at most 16 characters, the same for the same request', () => {
    const ledger = new RefundLedger();
    const { out_request_no } = granted(ledger, ask('12.1', { refund_reason: 'scratched' }));
    expect(out_request_no).toMatch(/^R[0-9a-z]{13}$/);
    expect(ledger.request(ask('12.10', { refund_reason: 'scratched' }), SMALL, 1)).toMatchObject({ is: 'known' });
    expect(granted(ledger, ask('12.10', { refund_reason: 'late' })).out_request_no).not.toBe(out_request_no);
  });

  test('is made of the trade for the whole amount, whatever its reason', () => {
    const { out_request_no } = granted(new RefundLedger(), ask('150'));
    expect(out_request_no).toMatch(/^R[0-9a-z]{13}$/);
    expect(granted(new RefundLedger(), ask('150.00', { refund_reason: 'late' }))).toMatchObject({
      out_request_no,
      partial: false,
    });
  });

  test.each(['150.00', '10.00'])('is another one for each trade: %s', (amount) => {
    const numbers = ['order-1', 'order-2'].map(
      (out_trade_no) => granted(new RefundLedger(), ask(amount), { ...SMALL, out_trade_no }).out_request_no,
    );
    expect(new Set(numbers).size).toBe(2);
  });

  test('that another request has used is refused with the fields that differ', () => {
    const ledger = new RefundLedger();
    granted(ledger, ask('10.00', { out_request_no: 'a', bank_info: { number: '1' } }));
    expect(ledger.request(ask('10.00', { out_request_no: 'a', bank_info: { number: '2' } }), SMALL, 0)).toEqual({
      is: 'different',
      fields: ['bank_info.number'],
    });
  });

  test('is free again when its refund was certainly not made', () => {
    const ledger = new RefundLedger();
    const first = granted(ledger, ask('10.00', { out_request_no: 'a' }));
    ledger.update({ ...first, outcome: 'NOT_CREATED' });
    granted(ledger, ask('20.00', { out_request_no: 'a' }));
    expect(ledger.refunds).toHaveLength(1);
  });

  test.each(['REFUND_REFUSED', 'REFUND_REVOKE'] as const)('is used up by a refund that ended as %s', (outcome) => {
    const ledger = new RefundLedger();
    const first = granted(ledger, ask('150.00'));
    ledger.update({ ...first, outcome });
    expect(ledger.request(ask('150.00', { bank_info: { number: 'mended' } }), SMALL, 0)).toMatchObject({ is: 'spent' });
    granted(ledger, ask('150.00', { out_request_no: 'again' }));
  });
});

test('news of an earlier try under a number is not that of the later try', () => {
  const ledger = new RefundLedger();
  const first = granted(ledger, ask('10.00', { out_request_no: 'a' }));
  ledger.update({ ...first, outcome: 'NOT_CREATED' });
  const before = ledger.refunds[0];
  const second = granted(ledger, ask('10.00', { out_request_no: 'a' }));
  expect(second.attempt).toBe(2);
  expect(before && ledger.update(before)).toBe(false);
  expect(ledger.refunds).toMatchObject([{ outcome: null, attempt: 2 }]);
});

test('nothing is granted while there are refunds that nobody has named, and then what is left beside them', () => {
  const ledger = new RefundLedger();
  ledger.addUnknown();
  expect(ledger.request(ask('10.00'), SMALL, 0)).toEqual({ is: 'incomplete' });
  ledger.complete('100', undefined);
  expect(ledger.request(ask('50.01'), SMALL, 0)).toEqual({ is: 'over-refund', left: '50.00' });
  granted(ledger, ask('50.00'));
});

test('a person who names more as gone than was paid beside a refund is asked about it, if the trade’s status alone has shown it', () => {
  for (const [confirmed_by, attention] of [
    ['query', 'unknown-refund'],
    ['notification', null],
  ] as const) {
    const ledger = new RefundLedger();
    const refund = granted(ledger, ask('100.00', { out_request_no: 'a' }));
    ledger.update({ ...refund, outcome: 'REFUNDED', confirmed_by });
    ledger.complete('50.00', SMALL);
    expect(ledger.refunds).toMatchObject([{ attention: null }]);
    ledger.complete('50.01', SMALL);
    expect(ledger.refunds).toMatchObject([{ attention }]);
  }
});

const OUTCOMES: RefundOutcome[] = ['REFUNDED', 'REFUND_REFUSED', 'REFUND_REVOKE', 'NOT_CREATED'];
type Step =
  | { do: 'ask'; cents: number; number: string | undefined }
  | { do: 'end'; outcome: RefundOutcome }
  | { do: 'begin' }
  | { do: 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('ask' as const),
    cents: fc.integer({ min: 1, max: 15_000 }),
    number: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined }),
  }),
  fc.record({ do: fc.constant('end' as const), outcome: fc.constantFrom(...OUTCOMES) }),
  fc.constant({ do: 'begin' as const }),
  fc.constant({ do: 'restart' as const }),
);

test('no sequence of requests, ends and restarts grants more than was paid, or loses a refund', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let ledger = new RefundLedger();
      /** The truth: what may have left the merchant's account, by number. */
      const gone = new Map<string, Big>();
      for (const one of steps) {
        const { next } = ledger;
        if (one.do === 'ask') {
          const amount = new Big(one.cents).div(100).toFixed(2);
          const asked = ledger.request(ask(amount, { out_request_no: one.number }), SMALL, 0);
          if (asked.is === 'granted') gone.set(asked.refund.out_request_no, new Big(amount));
          if (asked.is === 'over-refund') {
            const taken = [...gone.values()].reduce((sum, each) => sum.plus(each), new Big(0));
            expect(taken.plus(amount).gt(SMALL.order_amount)).toBe(true);
          }
        } else if (one.do === 'begin' && next) ledger.markStarted(next, 0);
        else if (one.do === 'end' && next) {
          ledger.markStarted(next, 0);
          ledger.update({ ...next, outcome: one.outcome });
          if (one.outcome !== 'REFUNDED') gone.delete(next.out_request_no);
        } else if (one.do === 'restart') {
          // What had not begun was never sent.
          for (const { out_request_no, started_at, outcome } of ledger.refunds) {
            if (started_at === null && outcome === null) gone.delete(out_request_no);
          }
          const earlier = { refunds: ledger.refunds, ...ledger.sums };
          ledger = new RefundLedger();
          ledger.restore(earlier);
        }
        const total = [...gone.values()].reduce((sum, each) => sum.plus(each), new Big(0));
        expect(total.lte(SMALL.order_amount)).toBe(true);
        const { refunded_amount, refunding_amount } = ledger.sums;
        expect(new Big(refunded_amount).plus(refunding_amount).eq(total)).toBe(true);
        for (const number of gone.keys()) expect(ledger.find(number)).toBeDefined();
      }
    }),
    { numRuns: 1_000 },
  );
});
