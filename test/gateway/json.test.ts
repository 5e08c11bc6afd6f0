/** JSON whose numbers keep their digits, both ways. */
import * as fc from 'fast-check';
import { decimalLiteral, parseExact, parseExactBytes, stringifyExact } from '../../src/gateway/json';

/** Amounts of 1 to 16 digits; the interface's largest has 16. */
const amount = fc
  .tuple(
    fc.bigInt({ min: 0n, max: 99999999999999n }),
    fc.constantFrom('', '.0', '.00', '.1', '.10', '.01', '.99', '.50', '.05'),
  )
  .map(([whole, decimals]) => `${whole}${decimals}`);

describe('an amount', () => {
  test('of any digits keeps them from string to number literal and back', () => {
    fc.assert(
      fc.property(amount, (text) => {
        const wire = stringifyExact({ order_amount: decimalLiteral(text) });
        expect(wire).toBe(`{"order_amount":${text}}`);
        expect(typeof JSON.parse(wire).order_amount).toBe('number');
        expect(String(field(parseExact(wire)))).toBe(text);
      }),
    );
  });

  test('as a string stays a string', () => {
    fc.assert(fc.property(amount, (text) => expect(field(parseExact(`{"order_amount":"${text}"}`))).toBe(text)));
  });
});

describe('a number that is read', () => {
  test.each([
    ['0', 0],
    ['-1', -1],
    ['12.5', 12.5],
    ['1645516741', 1645516741],
    ['9007199254740991', 9007199254740991],
    // Digits that a double would not give back stay text.
    ['9007199254740993', '9007199254740993'],
    ['2025120320503108483', '2025120320503108483'],
    ['1.0', '1.0'],
    ['1e2', '1e2'],
    ['-0', '-0'],
    ['1e400', '1e400'],
  ])('%s becomes %j', (text, value) => expect(parseExact(text)).toBe(value));
});

describe('JSON that is read', () => {
  test('equals what JSON.parse reads, except for numbers', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => expect(parseExact(text)).toEqual(JSON.parse(text))),
    );
  });

  test.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '{"a":01}', '{"a":NaN}', '{"a":1} x', 'undefined', '<html>'])(
    '%j throws a SyntaxError',
    (text) => expect(() => parseExact(text)).toThrow(SyntaxError),
  );

  test('an object with two different values under one key throws', () => {
    expect(() => parseExact('{"trade_status":"PROCESSING","trade_status":"SUCCESS"}')).toThrow(SyntaxError);
    expect(() => parseExact('{"a":{"amount":1.0,"amount":1.00}}')).toThrow(SyntaxError);
    expect(parseExact('{"a":1,"a":1}')).toEqual({ a: 1 });
  });

  test('a key such as __proto__ is an ordinary key', () => {
    const value = parseExact('{"__proto__":{"code":"10000"},"constructor":1,"hasOwnProperty":2}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor', 'hasOwnProperty']);
    expect(Reflect.get(Object(value), 'code')).toBeUndefined();
    expect({}).not.toHaveProperty('code');
  });
});

describe('bytes that are read', () => {
  test('are UTF-8', () => {
    expect(parseExactBytes(Buffer.from('{"city":"São Paulo 𝒳"}'))).toEqual({ city: 'São Paulo 𝒳' });
  });
});

describe('JSON that is written', () => {
  test('is read back by JSON.parse unchanged, except for decimal literals', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) =>
        expect(JSON.parse(stringifyExact(value))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  test('leaves out undefined values', () => {
    expect(stringifyExact({ a: undefined, b: [{ c: undefined }], d: 1 })).toBe('{"b":[{}],"d":1}');
  });
});

function field(value: unknown): unknown {
  return Reflect.get(Object(value), 'order_amount');
}
