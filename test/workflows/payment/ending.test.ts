/** What goes on when a payment's outcome is known, as a table. */
import type { NotificationSignal, PaymentState } from '../../../src/contract';
import { endingOf } from '../../../src/workflows/payment/ending';

type Known = Pick<PaymentState, 'outcome' | 'confirmed_by' | 'trade_no' | 'trade_status' | 'attention'>;
const state = (known: Partial<Known>): Known => ({
  ...{ outcome: null, confirmed_by: null, trade_no: 'T1', trade_status: 'PROCESSING', attention: null },
  ...known,
});
const ending = (known: Partial<Known>, pending: NotificationSignal[] = [], mayHaveSent = false) =>
  endingOf({ state: state(known), pending, mayHaveSent, sentAgain: false });

const SOLD: Partial<Known> = { outcome: 'SUCCESS', confirmed_by: 'query', trade_status: 'SUCCESS' };
const CANCELED: Partial<Known> = { outcome: 'CANCEL', confirmed_by: 'query', trade_status: 'CANCEL' };
const RESOLVED: Partial<Known> = { outcome: 'CANCEL', confirmed_by: 'operator' };

test('unread news of money after a sale is for the after-sale', () => {
  const chargeback = { trade_no: 'T1', trade_status: 'CHARGEBACK' };
  expect(ending(SOLD, [chargeback])).toMatchObject({ forAfterSale: [chargeback], reopenFor: undefined });
});

test('an unread repetition of what is known opens nothing', () => {
  expect(ending(SOLD, [{ trade_no: 'T1', trade_status: 'SUCCESS' }])).toMatchObject({
    forAfterSale: [],
    reopenFor: undefined,
  });
});

test.each([CANCELED, RESOLVED])('unread news of money reopens a payment that was not sold (%j)', (known) => {
  const success = { trade_no: 'T1', trade_status: 'SUCCESS' };
  expect(ending(known, [success])).toMatchObject({ forAfterSale: [], reopenFor: { trade_no: 'T1' } });
});

test.each([SOLD, CANCELED, RESOLVED])(
  'unread news of another trade is looked at, whatever the end was (%j)',
  (known) => {
    const other = { trade_no: 'T2', trade_status: 'PROCESSING' };
    expect(ending(known, [other])).toMatchObject({ otherTrades: ['T2'], reopenFor: undefined });
  },
);

test('money of this trade comes before other trades: the run that goes on looks at them', () => {
  const news = [{ trade_no: 'T1', trade_status: 'SUCCESS' }, { trade_no: 'T2' }];
  expect(ending(RESOLVED, news)).toMatchObject({ otherTrades: [], reopenFor: { trade_no: 'T1' } });
});

test('without an order of ours, each trade that was named goes on by itself', () => {
  const named = { trade_no: 'T2', trade_status: 'PROCESSING' };
  expect(ending({ trade_no: null, trade_status: null }, [named])).toMatchObject({ reopenFor: { trade_no: 'T2' } });
});

test('one trade that is named while ours is not known may be ours, and of two a person has to say which', () => {
  const [one, two] = [{ trade_no: 'T1' }, { trade_no: 'T2' }];
  const unknown: Partial<Known> = { ...RESOLVED, trade_no: null, trade_status: null };
  expect(ending(unknown, [one])).toMatchObject({ otherTrades: [], reopenFor: undefined });
  expect(ending(unknown, [one, two])).toMatchObject({ otherTrades: ['T1', 'T2'], reopenFor: undefined });
});

test.each([
  ['the gateway ended it', CANCELED, false, false],
  ['it was sold', SOLD, false, false],
  ['a person ended it, and the gateway has not', RESOLVED, false, true],
  ['a deadline ended it, and the gateway has not', { outcome: 'EXPIRED' }, false, true],
  ['a person ended it after the gateway had', { ...RESOLVED, trade_status: 'EXPIRED' }, false, false],
  ['its creation failed', { trade_status: null }, false, false],
  ['its creation failed while an earlier try is unknown', { trade_status: null }, true, true],
] satisfies [string, Partial<Known>, boolean, boolean][])(
  'a trade may still be paid, or not: %s',
  (_, known, mayHaveSent, mayBePaid) => {
    expect(ending(known, [], mayHaveSent).mayStillBePaid).toBe(mayBePaid);
  },
);
