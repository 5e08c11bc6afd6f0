/** Why an after-sale is as it is: its facts, folded once more one by one, and the rules that the tables name. */
import type { PaymentPolicy } from '../../../src/contract';
import { RUNBOOK } from '../../../src/contract';
import { DAY, MINUTE } from '../../../src/gateway/pure/durations';
import type { AfterSaleFact } from '../../../src/workflows/after-sale/facts';
import { fold, NOTHING_KNOWN } from '../../../src/workflows/after-sale/fold';
import { VERDICTS } from '../../../src/workflows/after-sale/refund-table';
import { explainedAfterSale } from '../../../src/workflows/after-sale/why';
import { changed, explained, LearnedFacts } from '../../../src/workflows/shared/why';

const POLICY: PaymentPolicy = {
  ...{ confirm_by_query: true, late_payments: 'attention', listeners: [], read_by: 'r', is_followed: false },
  ...{ create_within_ms: MINUTE, settling_ms: 30_000, patience_ms: 10 * MINUTE, overdue_ms: MINUTE },
  ...{
    watch_window_ms: 0,
    dispute_ms: DAY,
    refund_watch_ms: DAY,
    usual_expiry_ms: MINUTE,
    grace_ms: MINUTE,
    settles_ms: 0,
  },
  ...{ risk_control_ms: MINUTE, poll_schedule_ms: [15_000], poll_every_ms: MINUTE },
};
const T = 10 * DAY;
const KNOWN = { ...NOTHING_KNOWN, out_trade_no: 'O1' };
const sees = (trade_status: string, at: number): AfterSaleFact => {
  const trade = { trade_no: 'T1', out_trade_no: 'O1', order_amount: '150.00', order_currency: 'BRL', trade_status };
  return { is: 'queried', trade: { ...trade, asked_at: at }, after: 0, at };
};
const told = (...facts: AfterSaleFact[]) =>
  explainedAfterSale({
    ...{ policy: POLICY, watch_until: 0 },
    learned: { begin: KNOWN, left_out: 0, latest: facts.map((fact) => ({ fact, settings: POLICY })) },
  });

test('a refund whose answer was lost is told with its place in the table of refunds, and what the verdict means', () => {
  const why = told(
    sees('SUCCESS', T),
    { is: 'requested', number: 'r1', amount: '150.00', currency: 'BRL', at: T + 1 },
    { is: 'begun', number: 'r1', at: T + 2 },
    { is: 'answered', number: 'r1', answered: { said: 'unknown' }, at: T + 3 },
    sees('SUCCESS', T + 400_000),
  );
  expect(why.facts.slice(0, 2)).toMatchObject([
    {
      by: 'the gateway',
      concluded: [{ what: 'trade' }, { what: 'status', to: 'SUCCESS' }, { what: 'paid' }, { what: 'next' }],
    },
    {
      by: 'the merchant',
      said: 'refund r1: 150.00 BRL',
      concluded: [
        { what: 'refund r1', from: null, to: 'waiting' },
        {
          what: 'next',
          to: 'send refund r1',
          rule: 'Refunds are sent one after the other, the one that was requested first.',
        },
      ],
    },
  ]);
  expect(why.facts.at(-1)?.concluded).toMatchObject([
    {
      ...{ what: 'refund r1', from: 'lost', to: 'lost asked by the table' },
      rule: `the table of refunds: the trade shows “unmoved”, the refund is “lost alone”: ${VERDICTS.ask}, who is asked once no replica can be behind`,
    },
    { what: 'attention', from: null, to: 'unknown-refund', rule: RUNBOOK['unknown-refund'].happened },
    { what: 'next' },
  ]);
});

test('a refund that others made is told with what the list of refunds lacks', () => {
  const why = told(sees('SUCCESS', T), sees('PARTIAL_REFUND', T + DAY));
  expect(why.facts.at(-1)?.concluded).toMatchObject([
    { what: 'status', from: 'SUCCESS', to: 'PARTIAL_REFUND', rule: expect.stringContaining('“part is done”') },
    { what: 'ledger', from: 'complete', to: 'not complete' },
    { what: 'attention', to: 'refund-elsewhere' },
  ]);
});

test('a run that has not read its settings tells its facts, and no step', () => {
  const why = explainedAfterSale({
    ...{ policy: undefined, watch_until: 0 },
    learned: {
      ...{ begin: KNOWN, left_out: 0 },
      latest: [{ fact: { is: 'noticed', what: 'no-answer', at: T }, settings: POLICY }],
    },
  });
  expect(why).toMatchObject({
    settings: null,
    left_out: 0,
    facts: [{ said: 'no-answer', concluded: [{ what: 'attention' }] }],
  });
});

test('a refund that breaks the rules is refused by us: the gateway has not heard of it', () => {
  const failure = { type: 'InvalidRequest', message: 'user_info.email: required', details: {} };
  const refuses = { is: 'answered', number: 'a', answered: { said: 'refused', failure }, at: T } as const;
  expect(told(refuses).facts[0]?.by).toBe('we');
  const answered = { said: 'refused', failure: { ...failure, type: 'NotRefunded' } } as const;
  expect(told({ ...refuses, answered }).facts[0]?.by).toBe('the gateway');
});

test('a run that was told ten thousand things keeps the latest, and says how many it leaves out', () => {
  const learned = new LearnedFacts(KNOWN, fold);
  let order = KNOWN;
  for (let i = 0; i < 10_000; i += 1) {
    const fact = sees('SUCCESS', T + i);
    order = fold(order, fact, POLICY);
    learned.add({ fact, settings: POLICY });
  }
  expect(learned.latest.length).toBeLessThan(2_000);
  expect(learned.latest.reduce((known, { fact, settings }) => fold(known, fact, settings), learned.begin)).toEqual(
    order,
  );
  const why = explainedAfterSale({ policy: POLICY, watch_until: 0, learned });
  expect([why.facts.length, why.facts.length + why.left_out]).toEqual([1_000, 10_000]);
});

test('of the facts that are not told nothing is concluded, and what they say is known before the first that is told', () => {
  const concluded = jest.fn((before: number, after: number) => changed('sum', String(before), String(after), 'added'));
  const latest = Array.from({ length: 1_500 }, (_, at) => ({ fact: { is: 'one', at }, settings: null }));
  const why = explained({ begin: 0, left_out: 0, latest }, undefined, {
    ...{ fold: (sum) => sum + 1, said: () => ({ by: 'us', said: 'one more' }), world: () => null },
    ...{ concluded, next: (sum) => ({ step: sum < 500 ? 'count' : 'rest', because: 'of the sum' }) },
  });
  expect(concluded).toHaveBeenCalledTimes(1_000);
  expect([why.left_out, why.facts[0]]).toMatchObject([500, { concluded: [{ what: 'sum', from: '500', to: '501' }] }]);
});
