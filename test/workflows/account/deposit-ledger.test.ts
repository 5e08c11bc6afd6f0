/** Each deposit is counted exactly once and to the cent, in whatever order and however often it is notified. */
import Big from 'big.js';
import * as fc from 'fast-check';
import type { CarriedLedger, NotifiedDeposit } from '../../../src/workflows';
import { DepositLedger } from '../../../src/workflows/account/deposit-ledger';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const NOW_S = NOW / 1000;

const notified = (no: string | number, transferred_s?: number): NotifiedDeposit => ({
  out_trade_no: `VA${no}`,
  ...(transferred_s === undefined ? {} : { transferred_s }),
});
const paid = (amount: string, currency = 'MXN') => ({ trade_no: 'T', amount, currency });

/** The ledger of the next run: Temporal carries it over as JSON. */
function carriedOver(ledger: DepositLedger, remembered?: number): DepositLedger {
  const carried: CarriedLedger = JSON.parse(JSON.stringify(ledger.carried));
  return new DepositLedger(carried, remembered);
}

function take(ledger: DepositLedger, deposit: NotifiedDeposit, amount = '1.00'): string {
  const judged = ledger.classify(deposit);
  if (judged === 'new') {
    ledger.addPending(deposit);
    ledger.confirm(deposit, paid(amount), NOW);
  }
  if (judged === 'forgotten') ledger.setAside(deposit, 'old-deposit');
  return judged;
}

test('a deposit is counted, pending, set aside for its reason, or older than is remembered', () => {
  const ledger = new DepositLedger(undefined, 1);
  take(ledger, notified('old', NOW_S - 9));
  take(ledger, notified('counted', NOW_S));
  ledger.addPending(notified('pending', NOW_S + 1));
  ledger.setAside({ ...notified('back'), amount: '5.00' }, 'returned-deposit');
  ledger.setAside({ ...notified('second'), trade_no: 'T2', amount: '5.00' }, 'second-deposit');
  const standings = ['old', 'counted', 'pending', 'back', 'second', 'nobody'].map((no) => ledger.standingOf(`VA${no}`));
  expect(standings.map(({ is, because }) => because ?? is)).toEqual([
    ...['older', 'counted', 'pending', 'returned-deposit', 'second-deposit', 'older'],
  ]);
});

test('a transfer that is notified under a second number is of another number, while it is pending and once it is counted', () => {
  const ledger = new DepositLedger();
  const under = (no: number) => ({ ...notified(no), trade_no: 'T' });
  const areOfOthers = () => [1, 2].map((no) => ledger.isOfOtherNumber(under(no)));
  ledger.addPending(under(1));
  expect(areOfOthers()).toEqual([false, true]);
  ledger.confirm(under(1), paid('1.00'), NOW);
  expect(areOfOthers()).toEqual([false, true]);
});

describe('a further notification under the number of a known deposit', () => {
  const told = { ...notified(1, NOW_S), trade_no: 'T', trade_status: 'SUCCESS', amount: '100.00', currency: 'MXN' };
  /** The verdict while the deposit is pending, and once it is counted. */
  function verdicts(of: Partial<NotifiedDeposit>): string[] {
    const ledger = new DepositLedger();
    ledger.addPending(told);
    const pending = ledger.classify({ ...told, ...of });
    ledger.confirm(told, paid('100.00'), NOW);
    return [pending, ledger.classify({ ...told, ...of })];
  }

  // Section 6.5 calls `amount` the order's; section 6.2 leaves open what the body of a refund says.
  test.each(['REFUND_PROCESSING', 'PARTIAL_REFUND', 'REFUNDED', 'REFUND_REFUSED', 'DISPUTE', 'CHARGEBACK'])(
    'is no second deposit as %s, whatever sum it names',
    (trade_status) => {
      expect(verdicts({ trade_status, amount: '30.00' })).toEqual(['repeat', 'repeat']);
      expect(verdicts({ trade_status, trade_no: 'T2' })).toEqual(['second', 'second']);
    },
  );

  test('is a second deposit as SUCCESS with another amount, and none with the same', () => {
    expect(verdicts({ amount: '30.00' })).toEqual(['second', 'second']);
    expect(verdicts({ amount: '100' })).toEqual(['repeat', 'repeat']);
  });

  test('is known as news of a second deposit that is set aside, whatever sum it names', () => {
    const ledger = new DepositLedger();
    ledger.addPending(told);
    const second = { ...told, trade_no: 'T2', amount: '50.00' };
    ledger.setAside(second, 'second-deposit');
    const verdictOf = (of: Partial<NotifiedDeposit>) => ledger.classify({ ...second, ...of });
    expect(verdictOf({ trade_status: 'PARTIAL_REFUND', amount: '20.00' })).toBe('repeat');
    expect(verdictOf({ trade_status: 'PARTIAL_REFUND', amount: '20.00', trade_no: 'T3' })).toBe('second');
    expect(verdictOf({ amount: '20.00' })).toBe('second');
  });

  test('is no second deposit as SUCCESS, if only a refund has told of the deposit before', () => {
    const ledger = new DepositLedger();
    ledger.addPending({ ...told, trade_status: 'PARTIAL_REFUND', amount: '30.00' });
    expect(ledger.classify(told)).toBe('repeat');
  });
});

describe('counting', () => {
  test('sums are exact, with two decimals, by currency', () => {
    const ledger = new DepositLedger();
    for (const [no, amount] of [['0.1'], ['0.2'], ['99999999999999.99'], ['5']].entries())
      take(ledger, notified(no), amount[0]);
    ledger.addPending(notified('u'));
    ledger.confirm(notified('u'), paid('1.5', 'USD'), NOW);
    expect(ledger.snapshot()).toMatchObject({
      count: 5,
      total: { MXN: '100000000000005.29', USD: '1.50' },
      pending: 0,
    });
  });

  test('a further notification of a pending deposit adds that it was paid, and how much', () => {
    const ledger = new DepositLedger();
    ledger.addPending({ ...notified(1), trade_status: 'PROCESSING' });
    ledger.markStarted('VA1', 0);
    ledger.updatePending({ ...notified(1, NOW_S), trade_status: 'SUCCESS', amount: '5.00', currency: 'MXN' }, NOW);
    ledger.updatePending({ ...notified(1), trade_status: 'REFUSED' }, NOW);
    ledger.updatePending(notified(2), NOW);
    expect(ledger.pending).toEqual([
      {
        out_trade_no: 'VA1',
        trade_status: 'SUCCESS',
        amount: '5.00',
        currency: 'MXN',
        transferred_s: NOW_S,
        begun: true,
        since: NOW,
      },
    ]);
  });

  test.each([
    ['SUCCESS', { run_id: 'r1', is_first: true, notified_at: NOW }],
    ['PROCESSING', { run_id: 'r1', is_first: true }],
  ])('the run that looks for a pending deposit, after that is notified as %s: %j', (trade_status, kept) => {
    const ledger = new DepositLedger();
    ledger.addPending({ ...notified(1), trade_status: 'SUCCESS' });
    ledger.notePaymentRun('VA1', { run_id: 'r1', is_first: true });
    ledger.updatePending({ ...notified(1), trade_status }, NOW);
    expect(ledger.paymentRunOf('VA1')).toEqual(kept);
  });

  test('the latest are the last 20 deposits, newest first, with the time of the transfer', () => {
    const ledger = new DepositLedger();
    for (let no = 0; no < 30; no += 1) take(ledger, notified(no, NOW_S));
    const { latest } = ledger.snapshot();
    expect(latest.map(({ out_trade_no }) => out_trade_no)).toEqual(Array.from({ length: 20 }, (_, i) => `VA${29 - i}`));
    expect(latest[0]).toMatchObject({
      transferred_at: '2026-03-01T12:00:00.000Z',
      counted_at: '2026-03-01T12:00:00.000Z',
    });
  });
});

describe('any sequence of notifications', () => {
  test('is counted once for each deposit, to the cent, with a new run at any moment', () => {
    const cents = fc.bigInt({ min: 1n, max: 9_999_999_999_999_999n });
    const story = fc.record({
      deposits: fc.array(cents, { minLength: 1, maxLength: 30 }),
      picks: fc.array(fc.record({ no: fc.nat(29), does: fc.constantFrom('tell', 'confirm', 'next run') }), {
        maxLength: 200,
      }),
    });
    fc.assert(
      fc.property(story, ({ deposits, picks }) => {
        const amounts = deposits.map((c) => new Big(c.toString()).div(100).toFixed(2));
        let ledger = new DepositLedger();
        const told = new Set<number>();
        const confirm = (deposit: NotifiedDeposit) => {
          const amount = amounts[Number(deposit.out_trade_no.slice(2))] ?? '';
          ledger.confirm(deposit, paid(amount), NOW);
        };
        for (const { no, does } of picks) {
          const deposit = notified(no % deposits.length);
          if (does === 'next run') ledger = carriedOver(ledger);
          else if (does === 'confirm')
            ledger.pending.filter((one) => one.out_trade_no === deposit.out_trade_no).forEach(confirm);
          else if (ledger.classify(deposit) === 'new') {
            told.add(no % deposits.length);
            ledger.addPending(deposit);
          }
        }
        for (const one of ledger.pending) confirm(one);
        const sum = [...told].reduce((total, no) => total.plus(amounts[no] ?? 0), new Big(0));
        expect(ledger.snapshot().count).toBe(told.size);
        expect(ledger.snapshot().total).toEqual(told.size === 0 ? {} : { MXN: sum.toFixed(2) });
      }),
    );
  });
});

describe('the bounded memory', () => {
  test('forgets the oldest first, and sets aside a deposit as old as they', () => {
    let ledger = new DepositLedger(undefined, 3);
    for (let no = 0; no < 5; no += 1) take(ledger, notified(no, NOW_S + no));
    ledger = carriedOver(ledger, 3);
    expect(ledger.carried.counted.map(([no]) => no)).toEqual(['VA2', 'VA3', 'VA4']);
    expect(take(ledger, notified(0, NOW_S))).toBe('forgotten');
    expect(take(ledger, notified('never-told', NOW_S + 1))).toBe('forgotten');
    expect(ledger.snapshot()).toMatchObject({
      count: 5,
      set_aside: [{ out_trade_no: 'VAnever-told' }, { out_trade_no: 'VA0' }],
    });
    // It is set aside already: a further notification is no news.
    expect(take(ledger, notified(0, NOW_S))).toBe('repeat');
    expect(take(ledger, notified('later', NOW_S + 2))).toBe('new');
  });

  test('sets aside a deposit without a transfer time, once something is forgotten', () => {
    let ledger = new DepositLedger(undefined, 1);
    expect(take(ledger, notified(0))).toBe('new');
    expect(take(ledger, notified(1, NOW_S + 1))).toBe('new');
    ledger = carriedOver(ledger, 1);
    expect(take(ledger, notified(0))).toBe('forgotten');
    expect(take(ledger, notified('never-told'))).toBe('forgotten');
    expect(take(ledger, notified('later', NOW_S + 2))).toBe('new');
    expect(ledger.snapshot()).toMatchObject({
      count: 3,
      set_aside: [{ out_trade_no: 'VAnever-told' }, { out_trade_no: 'VA0' }],
    });
  });

  test('counts nothing twice for any sequence of repeated notifications, and sets aside what it does not count', () => {
    const time = fc.option(fc.nat(20), { nil: undefined });
    const story = fc.array(fc.record({ no: fc.nat(9), time, isTold: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(story, fc.integer({ min: 1, max: 4 }), (calls, remembered) => {
        let ledger = new DepositLedger(undefined, remembered);
        const times = new Map<number, number>();
        for (const { no, time: at = 0, isTold } of calls) {
          // The gateway may leave the time out, but never changes it for the same deposit.
          if (!times.has(no)) times.set(no, at);
          take(ledger, notified(no, isTold ? NOW_S - 100 + (times.get(no) ?? 0) : undefined));
          ledger = carriedOver(ledger, remembered);
        }
        const { count, set_aside } = ledger.snapshot();
        expect(count).toBeLessThanOrEqual(times.size);
        expect(count + set_aside.length).toBeGreaterThanOrEqual(times.size);
      }),
    );
  });

  test('fits into what a run carries over, with 10,000 of the longest numbers and 2,000 pending deposits', () => {
    const ledger = new DepositLedger();
    const no = (i: number) => String(i).padStart(62, '9');
    for (let i = 0; i < 11_000; i += 1) take(ledger, notified(no(i), NOW_S));
    for (let i = 0; i < 2_000; i += 1) {
      ledger.addPending({
        ...notified(no(50_000 + i), NOW_S),
        trade_no: no(i),
        trade_status: 'SUCCESS',
        amount: '1.00',
        currency: 'MXN',
      });
    }
    expect(JSON.stringify(ledger.carried).length).toBeLessThan(1.5 * 1024 * 1024);
  });
});

test('a pending deposit has the amount of its SUCCESS, also where news of a refund came first', () => {
  const ledger = new DepositLedger();
  const deposit = { ...notified(1), trade_no: 'T1', currency: 'MXN' };
  const success = { ...deposit, trade_status: 'SUCCESS', amount: '100.00' };
  ledger.addPending({ ...deposit, trade_status: 'PARTIAL_REFUND', amount: '30.00' });
  expect(ledger.classify(success)).toBe('repeat');
  ledger.updatePending(success, NOW);
  expect(ledger.currentOf(deposit)).toMatchObject({ trade_status: 'SUCCESS', amount: '100.00' });
  ledger.updatePending({ ...deposit, trade_status: 'PARTIAL_REFUND', amount: '30.00' }, NOW);
  expect(ledger.currentOf(deposit).amount).toBe('100.00');
  expect(ledger.classify(success)).toBe('repeat');
});
