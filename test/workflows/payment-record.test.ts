/** What is known of one payment, and how news changes it: promise 6, and that money is only ever what was ordered. */
import * as fc from 'fast-check';
import type { Trade } from '../../src/gateway';
import { TRADE_STATUSES } from '../../src/gateway/statuses';
import type { Outcome, PaymentInput, PaymentState } from '../../src/workflows/contract';
import { PaymentRecord } from '../../src/workflows/payment-record';
import { step } from '../../src/workflows/transitions';

const T = Date.parse('2026-03-02T12:00:00Z');
const MINUTE = 60_000;

const ORDER: PaymentInput = {
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

/** A record that was told these states by query, a minute apart. */
function told(...statuses: string[]): PaymentRecord {
  const record = new PaymentRecord(ORDER);
  statuses.forEach((status, i) => {
    record.queried(trade(status), T + i * MINUTE);
  });
  return record;
}

const states = ({ history }: PaymentState) => history.map(({ to }) => to);

describe('a new payment', () => {
  test('knows what was ordered and nothing else', () => {
    expect(new PaymentRecord(ORDER).public).toEqual({
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
    });
  });

  test('adopted, it is known by whichever id it was given', () => {
    expect(new PaymentRecord({ kind: 'adopt', app_id: 'app', trade_no: 'T1' }).id).toEqual({ trade_no: 'T1' });
    expect(new PaymentRecord({ kind: 'adopt', app_id: 'app', out_trade_no: 'o' }).id).toEqual({ out_trade_no: 'o' });
  });

  test('adopted, it takes amount, currency and method from the first query', () => {
    const record = new PaymentRecord({ kind: 'adopt', app_id: 'app', out_trade_no: 'order-1' });
    record.queried(trade('SUCCESS', { order_amount: '7.10', order_currency: 'MXN', method: 'SPEI' }), T);
    expect(record.public).toMatchObject({
      order_amount: '7.10',
      order_currency: 'MXN',
      method: 'SPEI',
      outcome: 'SUCCESS',
      attention: null,
    });
  });

  test('gives its state away as a copy', () => {
    const record = told('PROCESSING');
    record.public.history.pop();
    expect(record.public.history).toHaveLength(1);
  });
});

describe('what the creation’s answer says', () => {
  test('PROCESSING goes on', () => {
    const record = new PaymentRecord(ORDER);
    record.created({ trade_no: 'T1', trade_status: 'PROCESSING', recovered: false }, T);
    expect(record.public).toMatchObject({ trade_no: 'T1', trade_status: 'PROCESSING', outcome: null });
    expect(record.id).toEqual({ trade_no: 'T1', out_trade_no: 'order-1' });
  });

  test('SUCCESS is not believed before a query says so', () => {
    const record = new PaymentRecord(ORDER);
    record.created({ trade_no: 'T1', trade_status: 'SUCCESS', recovered: false }, T);
    expect(record.public).toMatchObject({ trade_status: 'SUCCESS', outcome: null });
    record.queried(trade('SUCCESS'), T);
    expect(record.public).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query', history: [{ to: 'SUCCESS' }] });
  });

  test.each(['REFUSED', 'CANCEL', 'EXPIRED'])('%s is the end: it is no money', (trade_status) => {
    const record = new PaymentRecord(ORDER);
    record.created({ trade_no: 'T1', trade_status, recovered: false }, T);
    expect(record.public).toMatchObject({ outcome: trade_status });
  });

  test.each([undefined, '', null])('%j for a state is none', (trade_status) => {
    const record = new PaymentRecord(ORDER);
    record.created({ web_url: 'https://pay.example', trade_no: '', trade_status, recovered: false }, T);
    expect(record.public).toMatchObject({ trade_no: null, trade_status: null, history: [] });
  });
});

describe('money is only ever what was ordered', () => {
  const WRONG: [string, Partial<Trade>][] = [
    ['less', { order_amount: '149.99' }],
    ['more', { order_amount: '150.01' }],
    ['less than a double can tell', { order_amount: '150.000000000000001' }],
    ['no decimal', { order_amount: 'much' }],
    ['another currency', { order_currency: 'MXN' }],
  ];

  test.each(WRONG)('%s is never SUCCESS by itself: a person decides', (_, said) => {
    const record = told('PROCESSING');
    record.queried(trade('SUCCESS', said), T);
    expect(record.public).toMatchObject({ trade_status: 'SUCCESS', outcome: null, attention: 'amount-mismatch' });
    expect(record.needsDecision).toBe(true);
    record.resolved({ outcome: 'SUCCESS', reason: 'the rest came by transfer', by: 'ana' }, T);
    expect(record.public).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'operator', attention: null });
    expect(record.needsDecision).toBe(false);
  });

  test.each(WRONG)('%s needs that person also where another reason had come before', (_, said) => {
    const record = told('PROCESSING');
    record.raise('unexpected-signal');
    record.queried(trade('SUCCESS', said), T);
    expect(record.public.attention).toBe('amount-mismatch');
    expect(record.needsDecision).toBe(true);
  });

  test.each(WRONG)('%s is not believed of a notification either', (_, { order_amount, order_currency }) => {
    const record = told('PROCESSING');
    record.notified(
      { trade_status: 'SUCCESS', amount: order_amount ?? '150.00', currency: order_currency ?? 'BRL' },
      T,
    );
    expect(record.public).toMatchObject({ trade_status: 'PROCESSING', outcome: null, attention: 'amount-mismatch' });
  });

  test.each(['150', '150.0', '150.00'])('%s is what was ordered', (order_amount) => {
    const record = told('PROCESSING');
    record.queried(trade('SUCCESS', { order_amount, order_currency: 'brl' }), T);
    expect(record.public).toMatchObject({ outcome: 'SUCCESS', attention: null, order_amount: '150.00' });
  });

  test('a wrong amount does not keep an unpaid order from ending', () => {
    const record = told('PROCESSING');
    record.queried(trade('CANCEL', { order_amount: '1.00' }), T);
    expect(record.public).toMatchObject({ outcome: 'CANCEL' });
  });
});

describe('a person’s word', () => {
  test('ends the payment and is kept with who said it and why', () => {
    const record = told('PROCESSING');
    record.resolved({ outcome: 'CANCEL', reason: 'sent back', by: 'ana' }, T + MINUTE);
    expect(record.public.history.at(-1)).toEqual({
      time: '2026-03-02T12:01:00.000Z',
      from: 'PROCESSING',
      to: 'CANCEL',
      source: 'operator',
      by: 'ana',
      reason: 'sent back',
    });
  });

  test('stands against what a query under way still brings', () => {
    const record = told('PROCESSING');
    record.resolved({ outcome: 'CANCEL', reason: 'sent back', by: 'ana' }, T);
    record.queried(trade('SUCCESS'), T);
    expect(record.public).toMatchObject({ outcome: 'CANCEL', confirmed_by: 'operator' });
  });
});

describe('a trade that never ends', () => {
  test('is EXPIRED under attention, with the state that the gateway left it in', () => {
    const record = told('PROCESSING');
    record.gaveUp(T + MINUTE);
    expect(record.public).toMatchObject({
      outcome: 'EXPIRED',
      trade_status: 'PROCESSING',
      attention: 'never-ended',
      confirmed_by: null,
      history: [{ to: 'PROCESSING' }, { from: 'PROCESSING', to: 'EXPIRED', source: 'deadline' }],
    });
  });
});

describe('late, impossible and unknown news', () => {
  test('an older state changes nothing', () => {
    const { trade_status, attention, history } = told('INITIAL', 'PROCESSING', 'INITIAL').public;
    expect({ trade_status, attention, steps: history.length }).toEqual({
      trade_status: 'PROCESSING',
      attention: null,
      steps: 2,
    });
  });

  test('a state that no way leads to is not believed, and a person must look', () => {
    const record = told('RISK_CONTROLLING', 'CANCEL');
    expect(record.public).toMatchObject({
      trade_status: 'RISK_CONTROLLING',
      outcome: null,
      attention: 'unlisted-transition',
    });
    // Found again, it is no news for the poll.
    expect(record.seen).toBe('CANCEL');
  });

  test('an unknown state is kept, under attention, and what follows it is held against what stood before it', () => {
    expect(told('PROCESSING', 'PAUSED').public).toMatchObject({ trade_status: 'PAUSED', attention: 'unknown-status' });
    expect(told('PROCESSING', 'PAUSED', 'INITIAL').public).toMatchObject({ trade_status: 'PAUSED', outcome: null });
    expect(states(told('PROCESSING', 'PAUSED', 'PROCESSING', 'SUCCESS').public)).toEqual([
      'PROCESSING',
      'PAUSED',
      'PROCESSING',
      'SUCCESS',
    ]);
    expect(told('PROCESSING', 'PAUSED', 'SUCCESS').public).toMatchObject({ outcome: 'SUCCESS' });
  });

  test('the first reason for attention stands', () => {
    expect(told('PROCESSING', 'PAUSED', 'RISK_CONTROLLING').public.attention).toBe('unknown-status');
  });
});

// — Any schedule of reports —

/** How far a trade has come, told apart from the code's own table: no report may take it to a lower number. */
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

/** The state after each of the reports. */
function after(schedule: readonly Report[]): PaymentState[] {
  const record = new PaymentRecord(ORDER);
  let now = T;
  return schedule.map(({ source, status, amount, currency, later }) => {
    now += later;
    if (source === 'query') record.queried(trade(status, { order_amount: amount, order_currency: currency }), now);
    else if (source === 'notification') record.notified({ trade_status: status, amount, currency }, now);
    else record.created({ trade_no: 'T1', trade_status: status, recovered: false }, now);
    return record.public;
  });
}

/** The states that a payment went through which the table knows, one after the other. */
const knownSteps = (state: PaymentState): string[] =>
  states(state)
    .filter((status) => status in PHASE)
    .filter((status, i, all) => status !== all[i - 1]);

const RUNS = { numRuns: 2_000 };

describe('whatever is reported, in whatever order', () => {
  test('a state never moves backwards (promise 6)', () => {
    fc.assert(
      fc.property(reports, (schedule) => {
        const phases = knownSteps(after(schedule).at(-1) as PaymentState).map((status) => PHASE[status] ?? 0);
        expect(phases).toEqual([...phases].sort((a, b) => a - b));
      }),
      RUNS,
    );
  });

  test('each step of the history is one that the table lists, from where the one before it led', () => {
    fc.assert(
      fc.property(reports, (schedule) => {
        const state = after(schedule).at(-1) as PaymentState;
        state.history.forEach(({ from }, i) => {
          expect(from).toBe(state.history[i - 1]?.to ?? null);
        });
        expect(state.history.at(-1)?.to ?? null).toBe(state.trade_status);
        const steps = knownSteps(state);
        for (const [i, to] of steps.entries()) expect(step(steps[i - 1] ?? null, to)).toBe('forward');
      }),
      RUNS,
    );
  });

  test('the history is in the order of time', () => {
    fc.assert(
      fc.property(reports, (schedule) => {
        const times = (after(schedule).at(-1) as PaymentState).history.map(({ time }) => time);
        expect(times).toEqual([...times].sort());
      }),
      RUNS,
    );
  });

  test('an outcome once set never changes', () => {
    fc.assert(
      fc.property(reports, (schedule) => {
        let known: Outcome | null = null;
        for (const { outcome } of after(schedule)) {
          if (known !== null) expect(outcome).toBe(known);
          known = outcome;
        }
      }),
      RUNS,
    );
  });

  test('SUCCESS comes only of a report that names the ordered amount and currency, and never of the creation alone', () => {
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

  test('a report that was not believed leaves a reason for attention, unless it is only late', () => {
    fc.assert(
      fc.property(reports, (schedule) => {
        let before: string | null = null;
        let place: string | null = null;
        let isOver = false;
        for (const [i, state] of after(schedule).entries()) {
          const { status } = schedule[i] as Report;
          // After the end nothing moves, and nothing needs to be believed.
          const isMoved = state.trade_status !== before || isOver;
          isOver = state.outcome !== null;
          const means = status === before ? 'same' : step(place, status);
          if (!isMoved && means !== 'same' && means !== 'stale') expect(state.attention).not.toBeNull();
          before = state.trade_status;
          if (before !== null && before in PHASE) place = before;
        }
      }),
      RUNS,
    );
  });

  test('what was ordered stays what was ordered', () => {
    fc.assert(
      fc.property(reports, (schedule) => {
        expect(after(schedule).at(-1)).toMatchObject({ order_amount: '150.00', order_currency: 'BRL' });
      }),
      RUNS,
    );
  });
});
