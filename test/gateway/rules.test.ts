/** How a request is checked: all faults at once, by the path of the field, in words. The rules: test/contract/interface/rows/. */
import { InvalidRequestError, parseCheckout, parseDirectPayment } from '../../src/gateway';
import { orderIn } from '../contract/interface/rows';
import { edited, faults, type Json, published } from './support';

const boleto = published('boleto');
const checkout = published('checkout');
const reading = (changes: Json, order = boleto) => faults(() => parseDirectPayment(edited(order, changes)));

const { customer, address } = boleto;
const misspelt = { cancelation_express: '3d', 'customer.surname': 'Lima', 'customer.identify.country': 'BR' };
// The client adds the first two.
const notOfADirectPayment = { app_id: 'app-1', timestamp: '', trade_type: 'WEB', regions: ['BRA'], version: '2.0' };

test.each<[what: string, parse: (order: unknown) => unknown, order: Json, fields: Json]>([
  ['a direct payment', parseDirectPayment, boleto, { ...misspelt, 'address.zipcode': '01310', ...notOfADirectPayment }],
  ['a checkout', parseCheckout, checkout, { customer, address, token: 'tok_1', ip: '10.0.0.1' }],
])('fields that %s does not have are refused by their path', (_, parse, order, fields) => {
  const named = Object.fromEntries(Object.keys(fields).map((field) => [field, 'unknown field']));
  expect(faults(() => parse(edited(order, fields)))).toEqual(named);
});

describe('several faults', () => {
  test('of different kinds are named at once', () => {
    const found = reading({
      order_amount: '0.001',
      subject: 's'.repeat(129),
      buyer_id: undefined,
      timeout_express: '90',
      'customer.email': 'mariana+shop@example.com',
      'customer.name': 'Mariana 2 😀',
      'address.zip_code': undefined,
      channel: 'QR',
      colour: 'red',
    });
    expect(found).toEqual({
      order_amount: 'two decimals at most',
      subject: 'at most 128 characters',
      buyer_id: 'required',
      timeout_express: expect.stringContaining('an integer and a unit'),
      'customer.email': 'must not contain +',
      'customer.name': 'no emoji',
      'address.zip_code': 'required for Boleto',
      channel: 'only with Wallet',
      colour: 'unknown field',
    });
  });

  test.each([
    ['Boletto', 'Boleto'],
    ['boleto', 'Boleto'],
    ['Credit Card', 'CreditCard'],
    ['Pixx', 'PIX'],
  ])('of an order by %s ask whether %s is meant, whose rules are those that count', (method, meant) => {
    const order = edited(orderIn(meant, 'BRL', { out_trade_no: 'o-1' }), { method });
    expect(faults(() => parseDirectPayment(order))).toEqual({
      method: `did you mean ${meant}? A method of another name, which is not known here: GATEWAY_METHOD_CURRENCIES names it, such as Yape:PEN`,
    });
  });

  test('of an order by a method that is new say so, and none where a setting names it', () => {
    const order = orderIn('Yape', 'PEN', { out_trade_no: 'o-1' });
    expect(parseDirectPayment(order)).toMatchObject({ method: 'Yape' });
    const lacking = edited(order, { 'customer.phone': undefined });
    expect(Object.entries(faults(() => parseDirectPayment(lacking)))).toEqual([
      [
        'method',
        expect.stringMatching(
          /^not known here: use one of PIX, Boleto, .*, or send what a new one needs; GATEWAY_METHOD_CURRENCIES names it/,
        ),
      ],
      ['customer.phone', 'required with a method that is not known here'],
    ]);
    const named = { method_currencies: ['Yape:PEN'] };
    expect(faults(() => parseDirectPayment(lacking, named))).toEqual({ 'customer.phone': 'required' });
    const rules = { method_currencies: ['Pixx:BRL'] };
    expect(parseDirectPayment(orderIn('Pixx', 'BRL', { out_trade_no: 'o-1' }), rules)).toMatchObject({
      method: 'Pixx',
    });
  });

  test('of a method in a currency of another market name its own, and a setting adds to it', () => {
    const order = orderIn('PIX', 'MXN', { out_trade_no: 'o-1' });
    expect(faults(() => parseDirectPayment(order))).toEqual({
      order_currency: 'PIX is paid in BRL: price it in that, or use another method: SPEI, OXXO, OXXOPay, CoDi',
    });
    expect(parseDirectPayment(order, { method_currencies: ['PIX:MXN'] })).toMatchObject({ order_currency: 'MXN' });
    const checkout = { out_trade_no: 'o-1', method: 'SPEI', order_currency: 'BRL', order_amount: '1.00', subject: 's' };
    expect(faults(() => parseCheckout({ ...checkout, buyer_id: 'b', trade_type: 'WEB' }))).toEqual({
      order_currency: expect.stringMatching(/^SPEI is paid in MXN: price it in that, or use another method: PIX, /),
    });
  });

  test('are none of a currency in small letters, which is sent in capitals', () => {
    expect(parseDirectPayment(orderIn('PIX', 'brl', { out_trade_no: 'o-1' }))).toMatchObject({ order_currency: 'BRL' });
  });

  test('of one field are reported as one', () => {
    const error = refused({ 'customer.email': '' });
    expect(error.issues.filter(({ field }) => field === 'customer.email')).toHaveLength(1);
  });

  test('are in the message too, with the number of the order', () => {
    const { message } = refused({ buyer_id: undefined, order_amount: '-1' });
    expect(message).toContain('Order 2026-0002-Boleto was not sent to /trade/pay');
    expect(message).toContain('buyer_id: required');
    expect(message).toContain('order_amount: at least 0.01');
  });
});

describe('a refusal', () => {
  test('says that nothing was sent and that a retry does not help', () => {
    expect(refused({ buyer_id: undefined })).toMatchObject({
      name: 'InvalidRequestError',
      outcome: 'not-sent',
      retryable: false,
      operation: '/trade/pay',
      out_trade_no: '2026-0002-Boleto',
    });
  });

  test('never contains the value of a field', () => {
    const error = refused({
      'customer.name': 'Marked-Name 😀',
      'customer.email': 'marked+email@example.com',
      'customer.identify.number': 12345678,
      order_amount: 'marked-amount',
      timeout_express: 'marked-timeout',
      account_number: 'marked-account',
      account_verification_code: 'marked-code',
      notify_url: 'marked-url',
    });
    expect(error.message + JSON.stringify(error)).not.toMatch(/marked|12345678/i);
  });
});

describe('a value of a wrong type', () => {
  test('an amount as a number is refused with the reason', () => {
    expect(reading({ order_amount: 150 }).order_amount).toMatch(/as text.*a JSON number would lose digits/);
  });

  test('null in an optional field is refused, but not as required', () => {
    for (const field of ['content', 'return_url', 'ip', 'bank']) {
      const found = reading({ [field]: null });
      expect(Object.keys(found)).toEqual([field]);
      expect(found[field]).not.toMatch(/required/);
    }
  });

  test.each([null, undefined, 'order', 7, [], true])('the order %p is refused as a whole', (input) => {
    const found = faults(() => parseDirectPayment(input));
    expect(Object.keys(found)).toContain('(request)');
  });
});

describe('a secret', () => {
  const wallet = published('wallet-card-number');
  const secret = (account_verification_code: unknown) => reading({ account_verification_code }, wallet);

  test('is accepted bare and sealed', () => {
    expect(secret('4821')).toEqual({});
    expect(secret({ sealed: 'eyJhbGciOiJFQ0RILUVTIn0..a.b.c' })).toEqual({});
  });

  test.each<[string, unknown, Json]>([
    ['five digits', '48211', { account_verification_code: '4 digits' }],
    ['a number', 4821, { account_verification_code: 'must be text' }],
    ['an empty seal', { sealed: '' }, { 'account_verification_code.sealed': 'must not be empty' }],
    ['a seal without its text', {}, { 'account_verification_code.sealed': 'required' }],
    ['a field beside the seal', { sealed: 'x', pin: '1' }, { 'account_verification_code.pin': 'unknown field' }],
  ])('is refused as %s, with the rule of the form that it looks like', (_, value, expected) => {
    expect(secret(value)).toEqual(expected);
  });
});

function refused(changes: Json): InvalidRequestError {
  try {
    parseDirectPayment(edited(boleto, changes));
  } catch (error) {
    if (error instanceof InvalidRequestError) return error;
    throw error;
  }
  throw new Error('The order was accepted');
}
