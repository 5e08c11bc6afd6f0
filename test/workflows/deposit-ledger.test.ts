/** What came into an account is counted exactly once and to the cent, in whatever order and however often it is told. */
import Big from 'big.js';
import * as fc from 'fast-check';
import type { CarriedLedger, NotifiedDeposit } from '../../src/workflows';
import { DepositLedger } from '../../src/workflows/deposit-ledger';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const NOW_S = NOW / 1000;

const notified = (no: string | number, transferred_s?: number): NotifiedDeposit => ({
  out_trade_no: `VA${no}`,
  ...(transferred_s === undefined ? {} : { transferred_s }),
});
const paid = (amount: string, currency = 'MXN') => ({ trade_no: 'T', amount, currency });

/** As Temporal hands it to the next run: through JSON. */
function carriedOver(ledger: DepositLedger, remembered?: number): DepositLedger {
  const carried: CarriedLedger = JSON.parse(JSON.stringify(ledger.carried));
  return new DepositLedger(carried, remembered);
}

function take(ledger: DepositLedger, deposit: NotifiedDeposit, amount = '1.00'): string {
  const judged = ledger.judge(deposit);
  if (judged === 'new') {
    ledger.expect(deposit);
    ledger.confirm(deposit, paid(amount), NOW);
  }
  if (judged === 'forgotten') ledger.putAside(deposit, 'old-deposit');
  return judged;
}

describe('counting', () => {
  test('sums are exact, with two decimals, by currency', () => {
    const ledger = new DepositLedger();
    for (const [no, amount] of [['0.1'], ['0.2'], ['99999999999999.99'], ['5']].entries())
      take(ledger, notified(no), amount[0]);
    ledger.expect(notified('u'));
    ledger.confirm(notified('u'), paid('1.5', 'USD'), NOW);
    expect(ledger.public).toMatchObject({ count: 5, total: { MXN: '100000000000005.29', USD: '1.50' }, pending: 0 });
  });

  test('what is told again is a repeat: while it is confirmed, and after', () => {
    const ledger = new DepositLedger();
    ledger.expect(notified(1));
    expect(ledger.judge(notified(1))).toBe('repeat');
    expect(ledger.public).toMatchObject({ count: 0, pending: 1 });
    expect(ledger.confirm(notified(1), paid('1.00'), NOW)).toMatchObject({ out_trade_no: 'VA1', transferred_at: null });
    expect(ledger.confirm(notified(1), paid('1.00'), NOW)).toBeNull();
    expect(ledger.judge(notified(1))).toBe('repeat');
    expect(ledger.public).toMatchObject({ count: 1, total: { MXN: '1.00' } });
  });

  test('what is told again while it is confirmed is not lost: that it was paid, and how much', () => {
    const ledger = new DepositLedger();
    ledger.expect({ ...notified(1), trade_status: 'PROCESSING' });
    ledger.begin('VA1');
    ledger.hear({ ...notified(1, NOW_S), trade_status: 'SUCCESS', amount: '5.00', currency: 'MXN' });
    ledger.hear({ ...notified(1), trade_status: 'REFUSED' });
    ledger.hear(notified(2));
    expect(ledger.pending).toEqual([
      {
        out_trade_no: 'VA1',
        trade_status: 'SUCCESS',
        amount: '5.00',
        currency: 'MXN',
        transferred_s: NOW_S,
        begun: true,
      },
    ]);
  });

  test('the latest are the last 20, the newest first, with the time of the transfer', () => {
    const ledger = new DepositLedger();
    for (let no = 0; no < 30; no += 1) take(ledger, notified(no, NOW_S));
    const { latest } = ledger.public;
    expect(latest.map(({ out_trade_no }) => out_trade_no)).toEqual(Array.from({ length: 20 }, (_, i) => `VA${29 - i}`));
    expect(latest[0]).toMatchObject({
      transferred_at: '2026-03-01T12:00:00.000Z',
      counted_at: '2026-03-01T12:00:00.000Z',
    });
  });

  test('what is set aside is not counted, and may be told again', () => {
    const ledger = new DepositLedger();
    ledger.expect(notified(1));
    const announced = { ...notified(1, NOW_S), trade_no: 'T1', amount: '12.10', currency: 'MXN' };
    ledger.putAside(announced, 'unconfirmed-deposit');
    expect(ledger.public).toMatchObject({ count: 0, total: {}, pending: 0 });
    expect(ledger.public.set_aside).toEqual([
      {
        out_trade_no: 'VA1',
        trade_no: 'T1',
        amount: '12.10',
        currency: 'MXN',
        transferred_at: '2026-03-01T12:00:00.000Z',
        because: 'unconfirmed-deposit',
      },
    ]);
    expect(take(ledger, notified(1))).toBe('new');
    expect(ledger.public).toMatchObject({ count: 1, set_aside: [] });
  });
});

describe('any story of deliveries', () => {
  test('is counted once each, to the cent, with a next run at any moment', () => {
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
          else if (ledger.judge(deposit) === 'new') {
            told.add(no % deposits.length);
            ledger.expect(deposit);
          }
        }
        for (const one of ledger.pending) confirm(one);
        const sum = [...told].reduce((total, no) => total.plus(amounts[no] ?? 0), new Big(0));
        expect(ledger.public.count).toBe(told.size);
        expect(ledger.public.total).toEqual(told.size === 0 ? {} : { MXN: sum.toFixed(2) });
      }),
    );
  });
});

describe('what is remembered is bounded', () => {
  test('the oldest are forgotten first, and one as old as they is never counted by itself', () => {
    let ledger = new DepositLedger(undefined, 3);
    for (let no = 0; no < 5; no += 1) take(ledger, notified(no, NOW_S + no));
    ledger = carriedOver(ledger, 3);
    expect(ledger.carried.counted.map(([no]) => no)).toEqual(['VA2', 'VA3', 'VA4']);
    expect(take(ledger, notified(0, NOW_S))).toBe('forgotten');
    expect(take(ledger, notified('never-told', NOW_S + 1))).toBe('forgotten');
    expect(ledger.public).toMatchObject({
      count: 5,
      set_aside: [{ out_trade_no: 'VAnever-told' }, { out_trade_no: 'VA0' }],
    });
    // A person knows of it: told again it is no news.
    expect(take(ledger, notified(0, NOW_S))).toBe('repeat');
    expect(take(ledger, notified('later', NOW_S + 2))).toBe('new');
  });

  test('without a time of transfer nothing shows that it is new, once something is forgotten', () => {
    let ledger = new DepositLedger(undefined, 1);
    expect(take(ledger, notified(0))).toBe('new');
    expect(take(ledger, notified(1, NOW_S + 1))).toBe('new');
    ledger = carriedOver(ledger, 1);
    expect(take(ledger, notified(0))).toBe('forgotten');
    expect(take(ledger, notified('never-told'))).toBe('forgotten');
    expect(take(ledger, notified('later', NOW_S + 2))).toBe('new');
    expect(ledger.public).toMatchObject({
      count: 3,
      set_aside: [{ out_trade_no: 'VAnever-told' }, { out_trade_no: 'VA0' }],
    });
  });

  test('any story of callbacks by hand: nothing is counted twice, and what is not counted stands apart', () => {
    const time = fc.option(fc.nat(20), { nil: undefined });
    const story = fc.array(fc.record({ no: fc.nat(9), time, isTold: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(story, fc.integer({ min: 1, max: 4 }), (calls, remembered) => {
        let ledger = new DepositLedger(undefined, remembered);
        const times = new Map<number, number>();
        for (const { no, time: at = 0, isTold } of calls) {
          // The gateway may leave the time out, and never tells another one of the same deposit.
          if (!times.has(no)) times.set(no, at);
          take(ledger, notified(no, isTold ? NOW_S - 100 + (times.get(no) ?? 0) : undefined));
          ledger = carriedOver(ledger, remembered);
        }
        const { count, set_aside } = ledger.public;
        expect(count).toBeLessThanOrEqual(times.size);
        expect(count + set_aside.length).toBeGreaterThanOrEqual(times.size);
      }),
    );
  });

  test('10,000 of the longest numbers and 2,000 that wait fit into what a run hands on', () => {
    const ledger = new DepositLedger();
    const no = (i: number) => String(i).padStart(62, '9');
    for (let i = 0; i < 11_000; i += 1) take(ledger, notified(no(i), NOW_S));
    for (let i = 0; i < 2_000; i += 1) {
      ledger.expect({
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
