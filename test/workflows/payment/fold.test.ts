/**
 * What is known of one payment, and how each report changes it: promise 6, and that only the ordered amount is a
 * SUCCESS.
 */
import * as fc from 'fast-check';
import {
  classifyTransition,
  type EarlierPayment,
  isTradeOfOthers,
  type NewPayment,
  type PaymentOutcome,
  type PaymentState,
} from '../../../src/contract';
import type { Trade } from '../../../src/gateway';
import { TRADE_STATUSES } from '../../../src/gateway/pure/names';
import { carriedOf, hasClaimsAfter, idOf, mayExist, needsDecision } from '../../../src/workflows/payment/known-payment';
import { LearningPayment, LEARNED_AT as T } from '../../harness/learning-payment';

const MINUTE = 60_000;

const ORDER: NewPayment = {
  kind: 'direct',
  app_id: 'app',
  request: { out_trade_no: 'order-1', order_amount: '150.00', order_currency: 'BRL', method: 'PIX' },
};

const trade = (trade_status: string, said: Partial<Trade> = {}): Trade => ({
  out_trade_no: 'order-1',
  trade_no: 'T1',
  order_amount: '150.00',
  order_currency: 'BRL',
  ...said,
  trade_status,
});

/** A payment after queries with these statuses, a minute apart. */
function paymentAfter(...statuses: string[]): LearningPayment {
  const payment = new LearningPayment(ORDER);
  statuses.forEach((status, i) => {
    payment.query(trade(status), T + i * MINUTE);
  });
  return payment;
}

/** A payment whose creation was answered so. */
function paymentCreatedAs(data: Readonly<Record<string, unknown>>): LearningPayment {
  const payment = new LearningPayment(ORDER);
  payment.learn({ is: 'created', data: { trade_no: 'T1', ...data, recovered: false }, answer: null }, T);
  return payment;
}

const states = ({ history }: PaymentState) => history.map(({ to }) => to);

describe('a new payment', () => {
  test('has the ordered fields and nothing else', () => {
    expect(new LearningPayment(ORDER).state).toEqual({
      ...{ attention_since: null, taken: null },
      app_id: 'app',
      out_trade_no: 'order-1',
      trade_no: null,
      trade_status: null,
      order_amount: '150.00',
      order_currency: 'BRL',
      method: 'PIX',
      outcome: null,
      confirmed_by: null,
      attention: null,
      expires_at: null,
      history: [],
      payment_data: null,
      previous: null,
      refused_because: null,
      other_trades: [],
    });
  });

  test('in adopt form takes amount, currency and method from the first query', () => {
    const payment = new LearningPayment({ kind: 'adopt', app_id: 'app', out_trade_no: 'order-1' });
    payment.query(trade('SUCCESS', { order_amount: '7.10', order_currency: 'MXN', method: 'SPEI' }), T);
    expect(payment.state).toMatchObject({
      order_amount: '7.10',
      order_currency: 'MXN',
      method: 'SPEI',
      outcome: 'SUCCESS',
      attention: null,
    });
  });
});

describe('the creation’s answer', () => {
  test('PROCESSING does not end the payment', () => {
    const payment = paymentCreatedAs({ trade_status: 'PROCESSING' });
    const history = [{ to: 'PROCESSING', source: 'creation' }];
    expect(payment.state).toMatchObject({ trade_no: 'T1', trade_status: 'PROCESSING', outcome: null, history });
    expect(idOf(payment.known)).toEqual({ trade_no: 'T1', out_trade_no: 'order-1' });
  });

  test('SUCCESS does not end the payment before a query confirms it', () => {
    const payment = paymentCreatedAs({ trade_status: 'SUCCESS' });
    expect(payment.state).toMatchObject({ trade_status: 'SUCCESS', outcome: null });
    payment.query(trade('SUCCESS'), T);
    expect(payment.state).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query', history: [{ to: 'SUCCESS' }] });
  });

  test.each(['REFUSED', 'CANCEL', 'EXPIRED'])('%s ends the payment, because it means no money', (trade_status) => {
    expect(paymentCreatedAs({ trade_status }).state).toMatchObject({ outcome: trade_status });
  });

  test.each([undefined, '', null])('the status %j is ignored', (trade_status) => {
    const payment = paymentCreatedAs({ web_url: 'https://pay.example', trade_no: '', trade_status });
    expect(payment.state).toMatchObject({ trade_no: null, trade_status: null, history: [] });
  });
});

test.each([
  ['SUCCESS', null],
  ['DISPUTE', 'dispute'],
  ['CHARGEBACK', 'chargeback'],
  ['CHARGEBACK_REVERSED', 'chargeback-reversed'],
  ['REFUND_VERIFYING', 'refund-elsewhere'],
  ['PARTIAL_REFUND', 'refund-elsewhere'],
  ['REFUNDED', 'refund-elsewhere'],
])(
  'a sale that is seen first when the trade is %s is told under attention %j: the money may be gone already',
  (status, attention) => {
    expect(paymentAfter('PROCESSING', status).state).toMatchObject({ outcome: 'SUCCESS', attention });
  },
);

describe('a paid amount', () => {
  const WRONG: [string, Partial<Trade>][] = [
    ['less', { order_amount: '149.99' }],
    ['more', { order_amount: '150.01' }],
    ['less than a double can tell', { order_amount: '150.000000000000001' }],
    ['no decimal', { order_amount: 'much' }],
    ['another currency', { order_currency: 'MXN' }],
  ];

  test.each(WRONG)('that is %s is never SUCCESS by itself: a person decides', (_, said) => {
    const payment = paymentAfter('PROCESSING');
    payment.query(trade('SUCCESS', said), T);
    expect(payment.state).toMatchObject({ trade_status: 'SUCCESS', outcome: null, attention: 'amount-mismatch' });
    expect(needsDecision(payment.known)).toBe(true);
    payment.learn({ is: 'decided', outcome: 'SUCCESS', reason: 'the rest came by transfer', by: 'ana' }, T);
    expect(payment.state).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'operator', attention: null });
    expect(needsDecision(payment.known)).toBe(false);
  });

  test.each(WRONG)('that is %s is not accepted from a notification either', (_, { order_amount, order_currency }) => {
    const payment = paymentAfter('PROCESSING');
    payment.believe(
      { trade_status: 'SUCCESS', amount: order_amount ?? '150.00', currency: order_currency ?? 'BRL' },
      T,
    );
    expect(payment.state).toMatchObject({ trade_status: 'SUCCESS', outcome: null, attention: 'amount-mismatch' });
  });

  test('that nobody can read is not taken for what an adopted trade was ordered for, also where notifications are believed', () => {
    const payment = new LearningPayment({ kind: 'adopt', app_id: 'app', out_trade_no: 'order-1', trade_no: 'T1' });
    payment.believe({ trade_status: 'SUCCESS', amount: '150,00', currency: 'BRL' }, T);
    expect(payment.state).toMatchObject({ order_amount: null, outcome: null, attention: 'amount-mismatch' });
  });

  test.each(['150', '150.0', '150.00'])('written as %s equals the ordered one', (order_amount) => {
    const payment = paymentAfter('PROCESSING');
    payment.query(trade('SUCCESS', { order_amount, order_currency: 'brl' }), T);
    expect(payment.state).toMatchObject({ outcome: 'SUCCESS', attention: null, order_amount: '150.00' });
  });

  test('that is wrong does not keep an unpaid order from ending', () => {
    const payment = paymentAfter('PROCESSING');
    payment.query(trade('CANCEL', { order_amount: '1.00' }), T);
    expect(payment.state).toMatchObject({ outcome: 'CANCEL' });
  });
});

describe('a person’s decision', () => {
  test('ends the payment, and the history has who and why', () => {
    const payment = paymentAfter('PROCESSING');
    payment.learn({ is: 'decided', outcome: 'CANCEL', reason: 'sent back', by: 'ana' }, T + MINUTE);
    expect(payment.state.history.at(-1)).toEqual({
      time: '2026-03-02T12:01:00.000Z',
      from: 'PROCESSING',
      to: 'CANCEL',
      source: 'operator',
      by: 'ana',
      reason: 'sent back',
    });
  });

  test('is not changed by the answer of a query that was under way', () => {
    const payment = paymentAfter('PROCESSING');
    payment.learn({ is: 'decided', outcome: 'CANCEL', reason: 'sent back', by: 'ana' }, T);
    payment.query(trade('SUCCESS'), T);
    expect(payment.state).toMatchObject({ outcome: 'CANCEL', confirmed_by: 'operator' });
  });
});

describe('a late, impossible or unknown status', () => {
  test('is ignored under attention where the table has no way to it', () => {
    const payment = new LearningPayment(ORDER);
    for (const status of ['SUCCESS', 'CANCEL']) payment.query(trade(status, { order_amount: '120.00' }), T);
    expect(payment.state).toMatchObject({ trade_status: 'SUCCESS', outcome: null });
    expect(payment.known.reasons).toEqual(['amount-mismatch', 'unlisted-transition']);
    // The poll does not report it again.
    expect(payment.known.heard?.status).toBe('CANCEL');
  });

  test('is kept under attention where it is unknown, and the next one is compared with the one before it', () => {
    expect(paymentAfter('PROCESSING', 'PAUSED').state).toMatchObject({
      trade_status: 'PAUSED',
      attention: 'unknown-status',
    });
    expect(paymentAfter('PROCESSING', 'PAUSED', 'INITIAL').state).toMatchObject({
      trade_status: 'PAUSED',
      outcome: null,
    });
    expect(states(paymentAfter('PROCESSING', 'PAUSED', 'PROCESSING', 'SUCCESS').state)).toEqual([
      'PROCESSING',
      'PAUSED',
      'PROCESSING',
      'SUCCESS',
    ]);
    expect(paymentAfter('PROCESSING', 'PAUSED', 'SUCCESS').state).toMatchObject({ outcome: 'SUCCESS' });
  });
});

/** What a run before knew of the order, where it has seen nothing. */
const EARLIER: EarlierPayment = {
  ...{ run_id: 'r1', app_id: 'app', out_trade_no: 'order-1', made: 'order', trade_no: null, trade_status: null },
  ...{ order_amount: null, order_currency: null, method: null, outcome: null, confirmed_by: null },
  ...{ payment_data: null, refused_because: null, other_trades: [], reached: 1, failed: false, withdrawn: false },
};

// — Any sequence of reports —

describe('money after somebody has ended an earlier run, where the settings accept late money', () => {
  const after = (previous: object) => {
    const before = { ...EARLIER, ...previous } as const;
    const payment = new LearningPayment(
      { kind: 'adopt', app_id: 'app', out_trade_no: 'order-1', trade_no: 'T1' },
      'accept',
    );
    payment.learn({
      is: 'recalled',
      earlier: { runs: [before], other_trades: [], untaken: [], reasons: [], is_followed: false, read_by: 'r2' },
    });
    payment.query(trade('SUCCESS'), T);
    return payment.state.attention;
  };

  const named = (trade_no: string, recovered = false) => ({ trade_no, payment_data: { trade_no, recovered } });

  test('needs nobody where the answer to the creation named the trade', () => {
    expect(after(named('T1'))).toBeNull();
  });

  test.each([
    ['the run before made no order', { order: null }],
    ['the run before had another trade', named('T9')],
    ['the run before only found the trade', named('T1', true)],
    ['nobody knows the trade of the run before', {}],
  ])('waits for a person where %s', (_, previous) => {
    expect(after(previous)).toBe('late-payment');
  });
});

/** How far each status is, written without the code's own table: no report may lead to a lower number. */
const PHASE: Record<string, number> = {
  INITIAL: 0,
  PROCESSING: 1,
  RISK_CONTROLLING: 1,
  CANCEL: 2,
  REFUSED: 2,
  EXPIRED: 2,
  SUCCESS: 2,
  REFUND_VERIFYING: 2,
  REFUND_PROCESSING: 2,
  REFUND_REVOKE: 2,
  PARTIAL_REFUND: 2,
  DISPUTE: 2,
  CHARGEBACK: 2,
  CHARGEBACK_REVERSED: 2,
  REFUNDED: 3,
  REFUND_REFUSED: 3,
};

interface Report {
  source: 'query' | 'notification' | 'creation';
  status: string;
  amount: string;
  currency: string;
  later: number;
}

const report: fc.Arbitrary<Report> = fc.record({
  source: fc.constantFrom('query', 'query', 'notification', 'creation'),
  status: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...TRADE_STATUSES) }, fc.constantFrom('PAUSED', 'HELD')),
  amount: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('150.00', '150') }, fc.constantFrom('15.00', '150.01')),
  currency: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('BRL', 'brl') }, fc.constant('MXN')),
  later: fc.nat(10 * MINUTE),
});

const reports = fc.array(report, { minLength: 1, maxLength: 20 });

/** The payment's state after each report. */
function after(schedule: readonly Report[]): PaymentState[] {
  const payment = new LearningPayment(ORDER);
  let now = T;
  return schedule.map(({ source, status, amount, currency, later }) => {
    now += later;
    if (source === 'query') payment.query(trade(status, { order_amount: amount, order_currency: currency }), now);
    else if (source === 'notification') payment.believe({ trade_status: status, amount, currency }, now);
    else
      payment.learn(
        { is: 'created', data: { trade_no: 'T1', trade_status: status, recovered: false }, answer: null },
        now,
      );
    return payment.state;
  });
}

/** The statuses of the table that a payment had, in order. */
const knownSteps = (state: PaymentState): string[] =>
  states(state)
    .filter((status) => status in PHASE)
    .filter((status, i, all) => status !== all[i - 1]);

const RUNS = { numRuns: 500 };

describe('whatever is reported in any order', () => {
  test('a status never moves backwards (promise 6): each transition is in the table, and begins where the one before ended', () => {
    fc.assert(
      fc.property(reports, (schedule) => {
        const state = after(schedule).at(-1) as PaymentState;
        state.history.forEach(({ from }, i) => {
          expect(from).toBe(state.history[i - 1]?.to ?? null);
        });
        expect(state.history.at(-1)?.to ?? null).toBe(state.trade_status);
        const steps = knownSteps(state);
        const phases = steps.map((status) => PHASE[status] ?? 0);
        expect(phases).toEqual([...phases].sort((a, b) => a - b));
        for (const [i, to] of steps.entries()) expect(classifyTransition(steps[i - 1] ?? null, to)).toBe('forward');
      }),
      RUNS,
    );
  });

  test('an outcome never changes', () => {
    fc.assert(
      fc.property(reports, (schedule) => {
        let known: PaymentOutcome | null = null;
        for (const { outcome } of after(schedule)) {
          if (known !== null) expect(outcome).toBe(known);
          known = outcome;
        }
      }),
      RUNS,
    );
  });

  test('SUCCESS needs a report with the ordered amount and currency, and the creation alone is not enough', () => {
    fc.assert(
      fc.property(reports, (schedule) => {
        const states = after(schedule);
        const ended = states.findIndex(({ outcome }) => outcome !== null);
        if (states[ended]?.outcome !== 'SUCCESS') return;
        const { source, amount, currency } = schedule[ended] as Report;
        expect(source).not.toBe('creation');
        expect(['150.00', '150']).toContain(amount);
        expect(currency.toUpperCase()).toBe('BRL');
      }),
      RUNS,
    );
  });

  test('a report that was ignored leaves a reason for attention, unless it is only late', () => {
    fc.assert(
      fc.property(reports, (schedule) => {
        let before: string | null = null;
        let place: string | null = null;
        let isOver = false;
        for (const [i, state] of after(schedule).entries()) {
          const { status } = schedule[i] as Report;
          // After the end no report changes anything.
          const isMoved = state.trade_status !== before || isOver;
          isOver = state.outcome !== null;
          const means = status === before ? 'same' : classifyTransition(place, status);
          if (!isMoved && means !== 'same' && means !== 'stale') expect(state.attention).not.toBeNull();
          before = state.trade_status;
          if (before !== null && before in PHASE) place = before;
        }
      }),
      RUNS,
    );
  });
});

describe('notifications', () => {
  test('ten thousand of the same are kept as one, and are news each time', () => {
    const payment = new LearningPayment(ORDER);
    for (let i = 0; i < 10_000; i += 1) {
      payment.learn({ is: 'notified', signal: { trade_no: 'T1', trade_status: 'SUCCESS' } });
      expect(hasClaimsAfter(payment.known, payment.known.looked_after)).toBe(true);
      payment.learn({ is: 'looking' });
    }
    expect(payment.known.claims).toHaveLength(1);
    expect(payment.known.taken).toBe(10_000);
  });

  test('one that comes during a look is news after that look, also where it repeats an earlier one', () => {
    const payment = new LearningPayment(ORDER);
    const signal = { trade_no: 'T1', trade_status: 'SUCCESS' };
    payment.learn({ is: 'notified', signal });
    payment.learn({ is: 'looking' });
    const { looked_after: after } = payment.known;
    payment.learn({ is: 'notified', signal });
    payment.learn({ is: 'queried', trade: trade('PROCESSING'), after });
    expect(hasClaimsAfter(payment.known, payment.known.looked_after)).toBe(true);
  });
});

describe('what may exist at the gateway', () => {
  const tried = (payment: LearningPayment, is: 'busy' | 'duplicate' | 'unknown') => {
    const error = { outcome: 'not-created', retryable: is === 'busy', operation: '/trade/pay' } as const;
    payment.learn({ is: 'begun' });
    payment.learn({ is: 'answered', tried: { is, message: 'said so', error } });
  };

  test.each([
    ['a duplicate alone is an order of others', ['duplicate'], false],
    ['a gateway that was busy may have made the order that is a duplicate then', ['busy', 'duplicate'], true],
    ['a busy gateway alone has told that it made nothing', ['busy'], false],
    ['an answer that is not known may be that of an order', ['unknown'], true],
  ] as const)('%s', (_, answers, isPossible) => {
    const payment = new LearningPayment(ORDER);
    for (const is of answers) tried(payment, is);
    expect(mayExist(payment.known)).toBe(isPossible);
  });
});

test('what a person called sold, and the gateway never showed, has no status of the gateway in a later run', () => {
  const payment = new LearningPayment(ORDER);
  const end = { ...EARLIER, outcome: 'SUCCESS', confirmed_by: 'operator', trade_no: 'T1' } as const;
  payment.learn({ is: 'ended-before', end });
  expect(payment.state).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'operator', trade_status: null });
});

test('a person who ends a payment of another trade than an earlier run had answers nobody with the data of that one', () => {
  const told = { trade_no: 'T1', recovered: false };
  const before = { ...EARLIER, trade_no: 'T1', payment_data: told } as const;
  const runs = { other_trades: [], untaken: [], reasons: [], is_followed: false, read_by: 'r2' };
  const answered = (trade_no: string) => {
    const payment = new LearningPayment({ kind: 'adopt', app_id: 'app', out_trade_no: 'order-1', trade_no });
    payment.learn({ is: 'recalled', earlier: { ...runs, runs: [before] } });
    payment.learn({ is: 'decided', outcome: 'CANCEL', reason: 'sent back', by: 'ana' }, T);
    return payment.state.payment_data;
  };
  expect(answered('T2')).toBeNull();
  expect(answered('T1')).toEqual(told);
});

test('another trade that was only notified is still to be asked for by the run that takes over from one that somebody ended', () => {
  const payment = paymentAfter('PROCESSING');
  payment.learn({ is: 'noted', other: 'T2', said: { trade_status: 'SUCCESS' } });
  payment.learn({ is: 'noted', other: 'T3', said: trade('CANCEL', { trade_no: 'T3' }), isAnswered: true });
  const { other_trades } = carriedOf(payment.known, 'r1', undefined);
  const next = new LearningPayment(ORDER);
  next.learn({
    is: 'recalled',
    earlier: { runs: [], other_trades, untaken: [], reasons: [], is_followed: false, read_by: 'r2' },
  });
  expect(next.known.others.map(({ trade_no, asked }) => [trade_no, asked])).toEqual([
    ['T2', 'not yet'],
    ['T3', 'answered'],
  ]);
});

test('an order that has ended is taken on as it has ended: what came since is its after-sale’s', () => {
  const payment = new LearningPayment({ kind: 'adopt', app_id: 'app', out_trade_no: 'order-1' });
  const before = { ...EARLIER, outcome: 'EXPIRED', trade_no: 'T1' } as const;
  payment.learn({
    is: 'recalled',
    earlier: { runs: [before], other_trades: [], untaken: [], reasons: [], is_followed: false, read_by: 'r2' },
  });
  payment.query(trade('SUCCESS'), T);
  expect(payment.state).toMatchObject({ outcome: 'EXPIRED', attention: null });
});

test('a trade under the number of an order that nobody has begun to send is another system’s', () => {
  const payment = new LearningPayment({ kind: 'adopt', app_id: 'app', out_trade_no: 'order-1', trade_no: 'T1' });
  const order = { kind: 'direct', request: ORDER.request } as const;
  const unsent = { ...EARLIER, order, made: 'nothing', reached: 0 } as const;
  payment.learn({
    is: 'recalled',
    earlier: { runs: [unsent], other_trades: [], untaken: [], reasons: [], is_followed: false, read_by: 'r2' },
  });
  payment.query(trade('SUCCESS'), T);
  expect(isTradeOfOthers(payment.known.order, payment.state)).toBe(true);
});

test('an order that a person has ended before it was sent has ended for a later run of it, too', () => {
  const payment = new LearningPayment(ORDER);
  payment.learn({ is: 'decided', outcome: 'CANCEL', reason: 'not wanted', by: 'ana' }, T);
  expect(carriedOf(payment.known, 'r1', undefined).payment).toMatchObject({
    made: 'order',
    outcome: 'CANCEL',
    reached: 0,
  });
});
