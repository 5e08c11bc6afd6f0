/** Every private value of the request is removed from the gateway's text, in any case. */
import * as fc from 'fast-check';
import { redact } from '../../src/gateway/redact';
import { anyCharacter } from '../harness/characters';

const order = {
  out_trade_no: 'o-1',
  method: 'PIX',
  order_currency: 'BRL',
  order_amount: '150.00',
  subject: 'Two tickets',
  buyer_id: 'buyer-1',
  customer: { name: 'Mariana Souza', email: 'mariana@example.com', identify: { number: '11144477735', type: 'CPF' } },
  address: { state: 'SP', street_number: '15' },
  installments: 3,
};

test.each([
  ['nothing private', 'nothing private'],
  ['name Mariana Souza is wrong', 'name *** is wrong'],
  ['MARIANA SOUZA is wrong', '*** is wrong'],
  ['mariana  souza is wrong', '*** is wrong'],
  ['mariana@example.com and mariana@example.com', '*** and ***'],
  ['document 11144477735(CPF)', 'document ***(***)'],
  ['111.444.777-35 and 111 444 77735 are one number', '*** and *** are one number'],
  ['Souza, Mariana', '***, ***'],
  ['?email=mariana%40example.com', '?email=***'],
  ['order o-1 of 150.00 BRL by PIX in 3 parts', 'order o-1 of 150.00 BRL by PIX in 3 parts'],
  ['', ''],
])('%j becomes %j', (said, told) => expect(redact(said, order)).toBe(told));

describe('what the gateway writes in another way', () => {
  const buyer = {
    customer: {
      name: 'José Ñúñez',
      phone: '+52 55 1234 5678',
      identify: { number: 'AB1234567', type: 'PASSPORT' },
    },
    address: { street: 'Rua "X" & Y', city: 'São Paulo' },
  };

  test.each([
    ['name Jose Nunez is wrong', 'name *** is wrong'],
    ['name Jose\u0301 N\u0303u\u0301n\u0303ez is wrong', 'name *** is wrong'],
    ['JOS&Eacute; and N&uacute;&ntilde;ez', '*** and ***'],
    ['call 5512345678 or 55-1234-5678 or 12345678', 'call *** or *** or ***'],
    ['document AB-123-4567 or ab 1234567', 'document *** or ***'],
    ['street Rua &quot;X&quot; &amp; Y or Rua &#34;X&#x22; &#38; Y', 'street *** or ***'],
    ['SAO PAULO, Sao-Paulo', '***, ***'],
    [
      '{"name":"Jos\\u00e9 N\\u00FA\\u00f1ez"} in "{\\"name\\":\\"Jos\\\\u00e9\\"}"',
      '{"name":"***"} in "{\\"name\\":\\"***\\"}"',
    ],
    ['?name=Jos%C3%A9+N%C3%BA%C3%B1ez&city=s%c3%a3o+paulo', '?name=***&city=***'],
    ['AB–123·4567, AB:123,4567, ＡＢ１２３４５６７', '***, ***, ***'],
    ['call 55‑1234‑5678 or (55) 1234*5678', 'call *** or (***'],
    ['Jos\u200b\u00e9 and S\u00ad\u00e3o Paulo', '*** and ***'],
  ])('%j becomes %j', (said, told) => expect(redact(said, buyer)).toBe(told));
});

test('of a megabyte only the beginning is looked through, of which the message takes its 200 characters', () => {
  const looked = jest.spyOn(String.prototype, 'normalize');
  expect(redact(`Mariana Souza ${'x '.repeat(500_000)}`, order)).toMatch(/^\*\*\* x x/);
  expect(looked.mock.calls.length).toBeLessThan(20_000);
  looked.mockRestore();
});

test('a value of one or two characters is removed as a whole word only', () => {
  expect(redact('state SP, number 15: no SPEI, code 1500, sub-code 215', order)).toBe(
    'state ***, number ***: no SPEI, code 1500, sub-code 215',
  );
});

test('a longer value is removed before its parts', () => {
  expect(redact('Ana Lima Souza', { customer: { name: 'Ana Lima Souza', nick: 'Ana' }, buyer_id: 'Lima' })).toBe('***');
});

test('characters with a meaning in regular expressions match literally', () => {
  expect(redact('a.c abc (x|y)* $& \\d', { subject: 'a.c', content: '(x|y)*', buyer_id: '$&', token: '\\d' })).toBe(
    '*** abc *** *** ***',
  );
});

test('values in lists and at any depth are removed; other types than text are ignored', () => {
  expect(
    redact('alpha beta true null 42', { a: [{ b: ['alpha'] }, { c: { d: 'beta' } }], e: true, f: null, g: 42 }),
  ).toBe('*** *** true null 42');
});

test('the text is one line of at most 200 characters', () => {
  expect(redact(' a\r\n\tb ', {})).toBe(' a b ');
  expect(redact('x'.repeat(300), {})).toHaveLength(200);
});

test('values are removed before the text is cut', () => {
  const told = redact(`${'x '.repeat(98)}Mariana Souza`, order);
  expect(told).not.toContain('Mar');
});

test('no value of a request is left at any place', () => {
  const value = fc
    .string({ unit: anyCharacter, minLength: 3, maxLength: 20 })
    .filter((v) => v.trim().length >= 3 && !/\*/.test(v));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 8 }), fc.string(), fc.string(), (values, before, after) => {
      const request = { customer: Object.fromEntries(values.map((v, i) => [`field${i}`, v])) };
      for (const v of values) {
        const told = redact(`${before} ${v} ${after}`, request);
        for (const w of values) if (!before.includes(w) && !after.includes(w)) expect(told).not.toContain(w);
      }
    }),
  );
});
