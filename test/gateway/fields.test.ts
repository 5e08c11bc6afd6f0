/** Forms of fields that the client checks beyond the interface's table (test/contract/interface/rows/ has the table). */
import { InvalidRequestError, parseDirectPayment } from '../../src/gateway';
import { OPERATIONS } from './operations';
import { answerJson, edited, failureOf, faults, gateways, type Json, published } from './support';

const open = gateways();

const reading = (order: Json, changes: Json) => faults(() => parseDirectPayment(edited(order, changes)));
const oxxo = published('oxxo');

describe('customer.name', () => {
  test.each([
    'José Luis Hernández Gómez',
    'Nguyễn Thị Minh Khai',
    'Ольга Петровна',
    '山田太郎',
    'John Smith 3rd',
    'Shop #1 & Sons *',
  ])('%s is accepted', (name) => expect(reading(oxxo, { 'customer.name': name })).toEqual({}));

  test.each([
    ['a heart without its variation selector', 'Ana ❤'],
    ['a flag made of tags', 'Ana 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ])('with %s is refused', (_, name) =>
    expect(reading(oxxo, { 'customer.name': name })).toEqual({ 'customer.name': 'no emoji' }),
  );

  test('with a digit is refused in Brazil, by the currency in any case or by the region of an app that is not Global', () => {
    const boleto = published('boleto');
    const rule = { 'customer.name': 'no digits in Brazil' };
    expect(reading(boleto, { 'customer.name': 'Mariana 2', order_currency: 'brl' })).toEqual(rule);
    const card = { method: 'Wallet', order_currency: 'USD', region: 'BR' };
    expect(reading(boleto, { 'customer.name': 'Mariana 2', ...card })).toEqual(rule);
  });
});

describe('customer.email', () => {
  test.each(['a@b.mx', 'jl.hernandez_1@shop.example.com', 'josé@exámple.mx'])('%s is accepted', (email) => {
    expect(reading(oxxo, { 'customer.email': email })).toEqual({});
  });

  test.each([
    ['jl@ex+ample.com', 'must not contain +'],
    ['jl.example.com', 'must be an email address'],
    ['jl@', 'must be an email address'],
    ['jl @example.com', 'must be an email address'],
    ['a@b@c', 'must be an email address'],
  ])('%s is refused: %s', (email, rule) => {
    expect(reading(oxxo, { 'customer.email': email })).toEqual({ 'customer.email': rule });
  });
});

describe('notify_url and return_url', () => {
  test.each(['http://merchant/callback', 'https://shop.example.com/ipn?shop=1', 'https://bücher.example/'])(
    'notify_url %s is accepted',
    (notify_url) => expect(reading(oxxo, { notify_url })).toEqual({}),
  );

  test.each(['/ipn', 'shop.example.com/ipn', 'ftp://shop.example.com', 'javascript:alert(1)', 'https://'])(
    'notify_url %s is refused',
    (notify_url) => expect(reading(oxxo, { notify_url })).toEqual({ notify_url: 'must be an http or https address' }),
  );

  test('return_url may open an app, but must be absolute', () => {
    expect(reading(oxxo, { return_url: 'myshop://orders/1' })).toEqual({});
    expect(reading(oxxo, { return_url: '/orders/1' })).toEqual({ return_url: 'must be an absolute address' });
  });
});

test.each(['M1N', 'M N', '€€€'])(
  'order_currency %s is refused: it has three characters, but not three letters',
  (text) => {
    expect(reading(oxxo, { order_currency: text })).toEqual({ order_currency: '3 letters' });
  },
);

test.each(['order-1\n', 'order\t1', 'order\u0000', 'order\ud800'])(
  'an order number with a control character is refused: its notifications could not be kept (%j)',
  (out_trade_no) => {
    expect(reading(oxxo, { out_trade_no })).toEqual({ out_trade_no: 'no line breaks or other control characters' });
  },
);

test('a line break after the digits of a field is refused', () => {
  const wallet = published('wallet-card-number');
  expect(reading(wallet, { account_number: '3001234567\n' })).toEqual({ account_number: '10 to 18 digits' });
  expect(reading(wallet, { account_verification_code: '4821\n' })).toEqual({ account_verification_code: '4 digits' });
});

describe.each(OPERATIONS.filter(({ request }) => textFields(request).length > 0))(
  'a request to $path',
  ({ request, call }) => {
    test.each(textFields(request))('is not sent where %s is very long', async (field) => {
      const gateway = await open.http(answerJson({ code: '10000' }));
      const changed = edited(request, { [field]: 'ñ'.repeat(10_000) });
      const failure = await failureOf(call(open.client(gateway), changed));
      expect(failure).toBeInstanceOf(InvalidRequestError);
      expect(failure.message).toContain(`${field}: `);
      expect(gateway.received).toEqual([]);
    });
  },
);

test.each([
  ['as a person counts them', '𝒳'.repeat(255), {}],
  ['and no more', `${'𝒳'.repeat(255)}y`, { 'customer.name': 'at most 255 characters' }],
])('a name has up to 255 characters, %s', (_, name, rules) => {
  expect(reading(oxxo, { 'customer.name': name })).toEqual(rules);
});

/** The dotted paths of all texts in a request. */
function textFields(value: Json, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner === 'string') return [prefix + key];
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    return isObject ? textFields({ ...inner }, `${prefix}${key}.`) : [];
  });
}
