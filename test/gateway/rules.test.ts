/** How an order is held against the interface: every fault at once, by the path of its field, in words that help. */
import { InvalidRequestError, parseCheckout, parseDirectPayment } from '../../src/gateway';
import { edited, faults, type Json, published } from './support';

const boleto = published('boleto');
const checkout = published('checkout');
const reading = (changes: Json, order = boleto) => faults(() => parseDirectPayment(edited(order, changes)));

describe('fields that the interface does not have', () => {
  test('are named by their path, also when nested', () => {
    expect(
      reading({
        cancelation_express: '3d',
        'customer.surname': 'Lima',
        'customer.identify.country': 'BR',
        'address.zipcode': '01310',
      }),
    ).toEqual({
      cancelation_express: 'unknown field',
      'customer.surname': 'unknown field',
      'customer.identify.country': 'unknown field',
      'address.zipcode': 'unknown field',
    });
  });

  test('app_id and timestamp are ours to send, not part of an order', () => {
    expect(reading({ app_id: 'app-1', timestamp: '2026-01-01 00:00:00' })).toEqual({
      app_id: 'unknown field',
      timestamp: 'unknown field',
    });
  });

  test('a checkout has none of the customer, address and card fields', () => {
    const { customer, address } = boleto;
    expect(faults(() => parseCheckout({ ...checkout, customer, address, token: 'tok_1', ip: '10.0.0.1' }))).toEqual({
      customer: 'unknown field',
      address: 'unknown field',
      token: 'unknown field',
      ip: 'unknown field',
    });
  });

  test('a direct payment has none of the fields of a checkout', () => {
    expect(reading({ trade_type: 'WEB', regions: ['BRA'], version: '2.0' })).toEqual({
      trade_type: 'unknown field',
      regions: 'unknown field',
      version: 'unknown field',
    });
  });
});

describe('several faults', () => {
  test('are all named at once, whatever kind they are of', () => {
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

  test('of one field are one fault', () => {
    const error = refused({ 'customer.email': '' });
    expect(error.issues.filter(({ field }) => field === 'customer.email')).toHaveLength(1);
  });

  test('stand in the message too, with the order’s number', () => {
    const { message } = refused({ buyer_id: undefined, order_amount: '-1' });
    expect(message).toContain('Order 2026-0002-Boleto was not sent to /trade/pay');
    expect(message).toContain('buyer_id: required');
    expect(message).toContain('order_amount: at least 0.01');
  });

  test('of an order without a customer name each field of the customer that its method asks for', () => {
    expect(Object.keys(reading({ customer: undefined })).sort()).toEqual([
      'customer.email',
      'customer.identify.number',
      'customer.identify.type',
      'customer.name',
      'customer.phone',
    ]);
  });
});

describe('a refusal', () => {
  test('says that nothing was sent, and that trying again does not help', () => {
    expect(refused({ buyer_id: undefined })).toMatchObject({
      name: 'InvalidRequestError',
      outcome: 'not-sent',
      retryable: false,
      operation: '/trade/pay',
      out_trade_no: '2026-0002-Boleto',
    });
  });

  test('never repeats what a field holds', () => {
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

describe('a value of the wrong type', () => {
  test.each<[string, unknown, string]>([
    ['an amount as a number', { order_amount: 150 }, 'order_amount'],
    ['a number where text is asked for', { buyer_id: 12 }, 'buyer_id'],
    ['text where a whole number is asked for', { installments: '3' }, 'installments'],
    ['a fraction of an installment', { installments: 1.5 }, 'installments'],
    ['no installment at all', { installments: 0 }, 'installments'],
    ['a list where text is asked for', { subject: ['Order 2'] }, 'subject'],
  ])('%s is refused', (_, changes, field) => {
    expect(Object.keys(reading({ ...(changes as Json) }))).toEqual([field]);
  });

  test('an amount as a number is refused with the reason', () => {
    expect(reading({ order_amount: 150 }).order_amount).toMatch(/as text.*a JSON number would lose digits/);
  });

  test('null is not taken for a field that may be left out, and is not said to be required', () => {
    for (const field of ['content', 'return_url', 'ip', 'bank']) {
      const found = reading({ [field]: null });
      expect(Object.keys(found)).toEqual([field]);
      expect(found[field]).not.toMatch(/required/);
    }
  });

  test.each([null, undefined, 'order', 7, [], true])('an order that is %p is refused as a whole', (input) => {
    const found = faults(() => parseDirectPayment(input));
    expect(Object.keys(found)).toContain('(request)');
  });
});

describe('a secret, bare or sealed', () => {
  const wallet = published('wallet-card-number');
  const secret = (account_verification_code: unknown) => reading({ account_verification_code }, wallet);

  test('is taken in either form', () => {
    expect(secret('4821')).toEqual({});
    expect(secret({ sealed: 'eyJhbGciOiJFQ0RILUVTIn0..a.b.c' })).toEqual({});
  });

  test.each<[string, unknown, Json]>([
    ['five digits', '48211', { account_verification_code: '4 digits' }],
    ['a number', 4821, { account_verification_code: 'must be text' }],
    ['an empty seal', { sealed: '' }, { 'account_verification_code.sealed': 'must not be empty' }],
    ['a seal without its text', {}, { 'account_verification_code.sealed': 'required' }],
    ['a field beside the seal', { sealed: 'x', pin: '1' }, { 'account_verification_code.pin': 'unknown field' }],
  ])('is refused as %s, by the rule of the form that it resembles', (_, value, expected) => {
    expect(secret(value)).toEqual(expected);
  });
});

describe('cancellation_express is larger than timeout_express', () => {
  const noon = Date.UTC(2026, 2, 2, 12);
  const at = (timeout_express: string, cancellation_express: string) =>
    faults(() => parseDirectPayment(edited(boleto, { timeout_express, cancellation_express }), { now: noon }));
  const larger = { cancellation_express: 'must be larger than timeout_express' };

  test.each([
    ['90m', '91m', {}],
    ['90m', '90m', larger],
    ['2h', '120m', larger],
    ['2h', '121m', {}],
    ['1d', '24h', larger],
    ['1d', '25h', {}],
    ['1c', '11h', larger],
    ['1c', '12h', {}],
    ['c', '719m', larger],
    ['c', '720m', {}],
  ])('%s and then %s, at noon', (timeout, cancellation, expected) => {
    expect(at(timeout, cancellation)).toEqual(expected);
  });

  test('also of a checkout', () => {
    const order = edited(checkout, { timeout_express: '2h', cancellation_express: '1h' });
    expect(faults(() => parseCheckout(order))).toEqual(larger);
  });

  test('one that is alone is held to its own rules only', () => {
    expect(reading({ timeout_express: undefined, cancellation_express: '1m' })).toEqual({});
    expect(reading({ timeout_express: '30d', cancellation_express: undefined })).toEqual({});
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
