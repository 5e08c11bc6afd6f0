/** Which status may follow which, and the payment's outcome in each. */
import * as fc from 'fast-check';
import { classifyTransition, laterStatus, outcomeOf, type TransitionKind } from '../../src/contract';
import { TRADE_STATUSES, type TradeStatus } from '../../src/gateway/pure/names';

/**
 * Every pair of statuses, written by hand from gateway-in-the-field.md and the interface. `=`: the same. `>`: forward, also where no query has seen the statuses
 * between. `<`: an older status, learned late. `x`: the table has no way. After a sale REFUND_REVOKE and
 * CHARGEBACK_REVERSED lead back to SUCCESS without a notification, so each of those statuses may follow each.
 */
const COLUMNS: readonly TradeStatus[] = [
  'INITIAL',
  'PROCESSING',
  'RISK_CONTROLLING',
  'CANCEL',
  'REFUSED',
  'EXPIRED',
  'SUCCESS',
  'REFUND_VERIFYING',
  'REFUND_PROCESSING',
  'REFUND_REVOKE',
  'PARTIAL_REFUND',
  'DISPUTE',
  'CHARGEBACK',
  'CHARGEBACK_REVERSED',
  'REFUNDED',
  'REFUND_REFUSED',
];

// biome-ignore format: a table, read by columns
const EVERY_PAIR: Record<TradeStatus, string> = {
  //                   INI PRO RIS  CAN REF EXP  SUC VER PRO REV PAR DIS CHA REV  FUL NOT
  INITIAL:             ' =   >   >    >   >   >    >   >   >   >   >   >   >   >    >   > ',
  PROCESSING:          ' <   =   >    >   >   >    >   >   >   >   >   >   >   >    >   > ',
  RISK_CONTROLLING:    ' <   <   =    >   >   >    >   >   >   >   >   >   >   >    >   > ',
  CANCEL:              ' <   <   <    =   x   x    x   x   x   x   x   x   x   x    x   x ',
  REFUSED:             ' <   <   <    x   =   x    x   x   x   x   x   x   x   x    x   x ',
  EXPIRED:             ' <   <   <    x   x   =    x   x   x   x   x   x   x   x    x   x ',
  SUCCESS:             ' <   <   <    x   x   x    =   >   >   >   >   >   >   >    >   > ',
  REFUND_VERIFYING:    ' <   <   <    x   x   x    >   =   >   >   >   >   >   >    >   > ',
  REFUND_PROCESSING:   ' <   <   <    x   x   x    >   >   =   >   >   >   >   >    >   > ',
  REFUND_REVOKE:       ' <   <   <    x   x   x    >   >   >   =   >   >   >   >    >   > ',
  PARTIAL_REFUND:      ' <   <   <    x   x   x    >   >   >   >   =   >   >   >    >   > ',
  DISPUTE:             ' <   <   <    x   x   x    >   >   >   >   >   =   >   >    >   > ',
  CHARGEBACK:          ' <   <   <    x   x   x    >   >   >   >   >   >   =   >    >   > ',
  CHARGEBACK_REVERSED: ' <   <   <    x   x   x    >   >   >   >   >   >   >   =    >   > ',
  REFUNDED:            ' <   <   <    x   x   x    <   <   <   <   <   <   <   <    =   x ',
  REFUND_REFUSED:      ' <   <   <    x   x   x    <   <   <   <   <   <   <   <    x   = ',
};

const MEANS: Record<string, TransitionKind> = { '=': 'same', '>': 'forward', '<': 'stale', x: 'unlisted' };

describe('every pair of statuses', () => {
  test('is in the table', () => {
    expect([...COLUMNS].sort()).toEqual([...TRADE_STATUSES].sort());
    for (const row of Object.values(EVERY_PAIR)) expect(row.trim().split(/\s+/)).toHaveLength(COLUMNS.length);
  });

  const cells = TRADE_STATUSES.flatMap((from) =>
    EVERY_PAIR[from]
      .trim()
      .split(/\s+/)
      .map((mark, i) => [from, COLUMNS[i] ?? '', MEANS[mark]] as const),
  );

  test.each(cells)('%s → %s is %s', (from, to, expected) => expect(classifyTransition(from, to)).toBe(expected));

  test('an end without money never becomes one with money, nor another end', () => {
    const ends = ['CANCEL', 'REFUSED', 'EXPIRED'] as const;
    for (const end of ends) {
      expect(TRADE_STATUSES.filter((to) => classifyTransition(end, to) === 'forward')).toEqual([]);
    }
  });

  test('no two statuses with and without the buyer’s money lead to each other', () => {
    for (const from of TRADE_STATUSES)
      for (const to of TRADE_STATUSES) {
        const bothWays = classifyTransition(from, to) === 'forward' && classifyTransition(to, from) === 'forward';
        if (bothWays) expect([outcomeOf(from), outcomeOf(to)]).toEqual(['SUCCESS', 'SUCCESS']);
      }
  });
});

describe('where no status was known before', () => {
  test.each(TRADE_STATUSES)('%s is accepted', (to) => expect(classifyTransition(null, to)).toBe('forward'));
});

/** Texts that are no status, among them names of an object's prototype. */
const strange = fc.oneof(
  fc.constantFrom('', 'success', 'SUCCESS ', 'PAID', '__proto__', 'constructor', 'toString', 'hasOwnProperty'),
  fc.string().filter((text) => !(TRADE_STATUSES as readonly string[]).includes(text)),
);

describe('a status that we do not know', () => {
  test('is classified as unknown after any status, and means no outcome', () => {
    fc.assert(
      fc.property(fc.constantFrom(null, ...TRADE_STATUSES), strange, (from, to) => {
        expect(classifyTransition(from, to)).toBe('unknown-status');
        expect(outcomeOf(to)).toBeNull();
      }),
    );
  });

  test('is nothing new the second time', () => {
    fc.assert(fc.property(strange, (text) => expect(classifyTransition(text, text)).toBe('same')));
  });
});

describe('the later of two statuses', () => {
  test.each([
    ['PROCESSING', 'SUCCESS', 'SUCCESS'],
    ['SUCCESS', 'PROCESSING', 'SUCCESS'],
    ['SUCCESS', 'DISPUTE', 'DISPUTE'],
    [null, 'CANCEL', 'CANCEL'],
    ['CANCEL', null, 'CANCEL'],
    ['SUCCESS', 'HOLD', 'HOLD'],
  ])('of %s and then %s is %s', (known, said, later) => expect(laterStatus(known, said)).toBe(later));

  test('of a trade that is paid after its own end is the payment, whichever comes last', () => {
    for (const end of ['CANCEL', 'EXPIRED', 'REFUSED'])
      for (const [known, said] of [
        [end, 'SUCCESS'],
        ['SUCCESS', end],
      ] as const)
        expect(laterStatus(known, said)).toBe('SUCCESS');
  });
});

describe('the outcome of each status', () => {
  const UNPAID: Partial<Record<TradeStatus, string | null>> = {
    ...{ INITIAL: null, PROCESSING: null, RISK_CONTROLLING: null },
    ...{ CANCEL: 'CANCEL', REFUSED: 'REFUSED', EXPIRED: 'EXPIRED' },
  };
  test.each(TRADE_STATUSES)('%s: its own where nothing was paid, and a sale in all others', (status) => {
    expect(outcomeOf(status)).toBe(status in UNPAID ? UNPAID[status] : 'SUCCESS');
  });

  test('a status that follows an outcome keeps it', () => {
    for (const from of TRADE_STATUSES)
      for (const to of TRADE_STATUSES)
        if (classifyTransition(from, to) === 'forward' && outcomeOf(from) !== null)
          expect(outcomeOf(to)).toBe(outcomeOf(from));
  });
});
