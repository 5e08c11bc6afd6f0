/** The kinds of field: what a name, an email, an address or a duration may hold, on the orders that carry them. */
import { parseDirectPayment } from '../../src/gateway';
import { edited, faults, type Json, published } from './support';

const reading = (order: Json, changes: Json) => faults(() => parseDirectPayment(edited(order, changes)));
const oxxo = published('oxxo');

describe('customer.name has no emoji', () => {
  test.each([
    'José Luis Hernández Gómez',
    'María-José O’Neill',
    'Conceição Müller d’Ávila',
    'Nguyễn Thị Minh Khai',
    'Ольга Петровна',
    '山田太郎',
    'John Smith 3rd',
    'Shop #1 & Sons *',
  ])('%s is a name', (name) => expect(reading(oxxo, { 'customer.name': name })).toEqual({}));

  test.each([
    ['a face', 'Ana 😀'],
    ['a red heart', 'Ana ❤️'],
    ['a heart without its variation selector', 'Ana ❤'],
    ['a keycap', 'Ana 1️⃣'],
    ['a flag', 'Ana 🇲🇽'],
    ['a family', 'Ana 👨‍👩‍👧'],
    ['a skin tone', 'Ana 👍🏽'],
    ['a tag flag', 'Ana 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ])('%s is none', (_, name) =>
    expect(reading(oxxo, { 'customer.name': name })).toEqual({ 'customer.name': 'no emoji' }),
  );
});

describe('customer.name in Brazil has no digits', () => {
  const boleto = published('boleto');
  const rule = { 'customer.name': 'no digits in Brazil' };

  test.each(['Mariana 2', 'M4riana', 'Mariana ２', 'Mariana ٢'])('%s is refused', (name) => {
    expect(reading(boleto, { 'customer.name': name })).toEqual(rule);
  });

  test('by the currency in any case, or by the region of a Global app', () => {
    expect(reading(boleto, { 'customer.name': 'Mariana 2', order_currency: 'brl' })).toEqual(rule);
    expect(reading(boleto, { 'customer.name': 'Mariana 2', order_currency: 'USD', region: 'BRA' })).toEqual(rule);
  });

  test('elsewhere digits are part of a name', () => {
    expect(reading(boleto, { 'customer.name': 'Mariana 2', order_currency: 'MXN' })).toEqual({});
  });
});

describe('customer.name of SPEI has at least 10 characters', () => {
  const rule = { 'customer.name': 'SPEI needs at least 10 characters' };

  test.each([
    ['Ana Perez', rule],
    ['Ana Pérez', rule],
    ['Anna Perez', {}],
    ['Anna Pérez', {}],
    // Nine characters that are eighteen UTF-16 units.
    ['𝒳𝒳𝒳𝒳𝒳𝒳𝒳𝒳𝒳', rule],
  ])('%s', (name, expected) => expect(reading(published('spei'), { 'customer.name': name })).toEqual(expected));

  test('other methods take a shorter one', () => expect(reading(oxxo, { 'customer.name': 'Li' })).toEqual({}));

  test('a missing name is missing, not short', () => {
    expect(reading(published('spei'), { 'customer.name': undefined })).toEqual({ 'customer.name': 'required' });
  });
});

describe('customer.email', () => {
  test.each(['a@b.mx', 'jl.hernandez_1@shop.example.com', 'josé@exámple.mx'])('%s is accepted', (email) => {
    expect(reading(oxxo, { 'customer.email': email })).toEqual({});
  });

  test.each([
    ['jl+shop@example.com', 'must not contain +'],
    ['jl@ex+ample.com', 'must not contain +'],
    ['jl.example.com', 'must be an email address'],
    ['jl@', 'must be an email address'],
    ['jl @example.com', 'must be an email address'],
    ['a@b@c', 'must be an email address'],
  ])('%s is refused: %s', (email, rule) => {
    expect(reading(oxxo, { 'customer.email': email })).toEqual({ 'customer.email': rule });
  });
});

describe('addresses of the web', () => {
  test.each(['http://merchant/callback', 'https://shop.example.com/ipn?shop=1', 'https://bücher.example/'])(
    'notify_url may be %s',
    (notify_url) => expect(reading(oxxo, { notify_url })).toEqual({}),
  );

  test.each(['/ipn', 'shop.example.com/ipn', 'ftp://shop.example.com', 'javascript:alert(1)', 'https://'])(
    'notify_url may not be %s',
    (notify_url) => expect(reading(oxxo, { notify_url })).toEqual({ notify_url: 'must be an http or https address' }),
  );

  test('return_url may lead into an app, but nowhere relative', () => {
    expect(reading(oxxo, { return_url: 'myshop://orders/1' })).toEqual({});
    expect(reading(oxxo, { return_url: '/orders/1' })).toEqual({ return_url: 'must be an absolute address' });
  });
});

describe('timeout_express', () => {
  test.each(['1m', '90m', '2h', '3d', '30d', '1c', 'c'])('may be %s', (timeout_express) => {
    expect(reading(oxxo, { timeout_express })).toEqual({});
  });

  test.each(['90', 'm', '0m', '-1h', '1.5h', '1 h', '1H', '2c', '10s', '01d', '1d2h', '1m\n'])(
    'may not be %j',
    (timeout_express) => {
      expect(reading(oxxo, { timeout_express })).toEqual({
        timeout_express: 'must be an integer and a unit: m, h or d (90m), or 1c',
      });
    },
  );
});

describe('cancellation_express', () => {
  test.each(['91m', '2h', '3d'])('may be %s', (cancellation_express) => {
    expect(reading(oxxo, { timeout_express: '1h', cancellation_express })).toEqual({});
  });

  test.each(['1c', 'c', '90', '0h', '2w'])(
    'may not be %s: the end of the day is none of its units',
    (cancellation_express) => {
      expect(reading(oxxo, { timeout_express: '1h', cancellation_express })).toEqual({
        cancellation_express: 'must be an integer and a unit: m, h or d (2d)',
      });
    },
  );
});
