/** Amounts are decimal strings of 0.01 to 99999999999999.99 (sections 4 and 8) and never floats. */
import * as fc from 'fast-check';
import { amountProblem, amountText, isMoney, sameAmount, sumOf } from '../../../src/gateway/pure/money';
import { anyCharacter } from '../../harness/characters';

/** An amount written from its cents: a second way to compute, with integers. */
const written = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
const MAX_CENTS = 9999999999999999n;
const cents = fc.bigInt({ min: 1n, max: MAX_CENTS });

describe('an amount', () => {
  test.each(['0.01', '0.1', '1', '1.0', '10.10', '150.00', '99999999999999', '99999999999999.9', '99999999999999.99'])(
    '%s is valid',
    (text) => expect(amountProblem(text)).toBeUndefined(),
  );

  test.each([
    ['0', 'at least 0.01'],
    ['0.00', 'at least 0.01'],
    ['-0.01', 'at least 0.01'],
    ['-5.00', 'at least 0.01'],
    ['0.001', 'two decimals at most'],
    ['0.009', 'two decimals at most'],
    ['10.001', 'two decimals at most'],
    ['10.000', 'two decimals at most'],
    ['99999999999999.991', 'at most 99999999999999.99'],
    ['100000000000000', 'at most 99999999999999.99'],
    ['100000000000000.00', 'at most 99999999999999.99'],
  ])('%s is refused: %s', (text, problem) => expect(amountProblem(text)).toBe(problem));

  test.each([
    '',
    ' ',
    '.5',
    '5.',
    '05',
    '00.10',
    '+5',
    '1,50',
    '1.000,50',
    '1 000',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '15O.00',
    '١٥٠',
    '150.00 ',
    '150.00\n',
  ])('%j is not a decimal', (text) => expect(amountProblem(text)).toBe('must be a decimal such as "150.00"'));

  test('every number of cents in the range is valid, and none outside', () => {
    fc.assert(fc.property(cents, (c) => amountProblem(written(c)) === undefined));
    fc.assert(
      fc.property(fc.bigInt({ min: MAX_CENTS + 1n, max: 10n ** 30n }), (c) => amountProblem(written(c)) !== undefined),
    );
    fc.assert(fc.property(cents, (c) => amountProblem(`-${written(c)}`) === 'at least 0.01'));
  });

  test('any text gets a result and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) =>
        /^(must be|at |two )/.test(amountProblem(text) ?? 'at '),
      ),
    );
  });
});

describe('sameAmount', () => {
  test.each([
    ['12.1', '12.10', true],
    ['12', '12.00', true],
    ['0.01', '0.010', true],
    ['99999999999999.99', '99999999999999.99', true],
    // The same double, but not the same amount.
    ['99999999999999.99', '99999999999999.98', false],
    ['9007199254740993', '9007199254740992', false],
    ['12.1', '12.01', false],
    ['12', '-12', false],
  ])('%s and %s: %s', (a, b, same) => expect(sameAmount(a, b)).toBe(same));

  test.each(['', ' ', '12,10', 'twelve', 'NaN', 'Infinity', '12.10 MXN'])(
    '%j equals nothing, not even itself',
    (text) => {
      expect(sameAmount(text, text)).toBe(false);
      expect(sameAmount(text, '12.10')).toBe(false);
      expect(sameAmount('12.10', text)).toBe(false);
    },
  );

  test('agrees with comparing cents, in both orders and with any trailing zeros', () => {
    const zeros = fc.integer({ min: 0, max: 8 }).map((n) => '0'.repeat(n));
    const pair = fc.oneof(
      fc.tuple(cents, cents),
      cents.map((c): [bigint, bigint] => [c, c]),
      cents.map((c): [bigint, bigint] => [c, c + 1n]),
    );
    fc.assert(
      fc.property(pair, zeros, zeros, ([a, b], more, others) => {
        const [x, y] = [written(a) + more, written(b) + others];
        expect(sameAmount(x, y)).toBe(a === b);
        expect(sameAmount(y, x)).toBe(a === b);
        expect(sameAmount(x, x)).toBe(true);
      }),
    );
  });
});

describe('what money can be counted with', () => {
  test.each(['150.00', '150', '0.01', '0.001', '00.10', '99999999999999.99'])('%j is added up', (text) => {
    expect(isMoney(text)).toBe(true);
    expect(() => sumOf([text])).not.toThrow();
  });

  test.each(['', ' ', '0', '0.00', '150,00', '1.500,00', '-1.00', '1e3', 'NaN', '150.00 BRL', '150.00\n', '5.', '.5'])(
    '%j is not',
    (text) => expect(isMoney(text)).toBe(false),
  );

  test.each([150, null, undefined, {}])('%j is not, because it is no text', (value) =>
    expect(isMoney(value)).toBe(false),
  );

  test('more digits than money has are not', () => {
    for (const text of ['1'.repeat(15), `1.${'0'.repeat(17)}`, '9'.repeat(100_000)]) expect(isMoney(text)).toBe(false);
  });
});

describe('an amount that the gateway has written', () => {
  test.each([
    ['150.00', '150.00'],
    ['1.5E+2', '150'],
    ['1.5e2', '150'],
    ['1E-2', '0.01'],
    ['9.999999999999999E+13', '99999999999999.99'],
  ])('as %s is read as %s', (written, text) => {
    expect(amountText(written)).toBe(text);
    expect(isMoney(text)).toBe(true);
  });

  test('of any cents is read the same with an exponent', () => {
    fc.assert(
      fc.property(cents, (c) => sameAmount(amountText(`${c}E-2`), written(c)) && isMoney(amountText(`${c}E-2`))),
    );
  });

  test.each(['-1.5E+2', '0E+2', '1e99', '1e300', '1e999999999', '1.500,00', 'n/a', '', '9'.repeat(100_000)])(
    'as %s is no amount, and short enough to be shown',
    (written) => {
      expect(isMoney(amountText(written))).toBe(false);
      expect(amountText(written).length).toBeLessThanOrEqual(121);
    },
  );
});
