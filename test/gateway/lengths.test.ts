/** The length limits of sections 4 and 8: accepted at the limit, refused one past it. */
import { parseCheckout, parseDirectPayment, parseTradeId } from '../../src/gateway';
import { BANK_LIST } from '../../src/gateway/banks';
import { checkRequest } from '../../src/gateway/check';
import { INSTALLMENTS } from '../../src/gateway/installments';
import type { Operation } from '../../src/gateway/operation';
import { REFUND } from '../../src/gateway/refund';
import { CREATE_ACCOUNT } from '../../src/gateway/virtual-accounts';
import { operation } from './operations';
import { edited, faults, published } from './support';

const direct = { parse: parseDirectPayment, request: published('wallet-qr') };
const checkout = { parse: parseCheckout, request: published('checkout') };
const query = { parse: parseTradeId, request: {} };

/** An operation's own rules, on a request that has every field it takes. */
const whole = <Request extends object>({ rules }: Operation<Request, unknown>) => ({
  parse: (input: unknown) => checkRequest(rules, input),
  request: operation(rules.operation).request,
});

const OPERATIONS = {
  '/trade/pay': direct,
  '/trade/create': checkout,
  '/trade/query': query,
  '/trade/refund': whole(REFUND),
  '/trade/bank-list': whole(BANK_LIST),
  '/virtual-account/spei/create': whole(CREATE_ACCOUNT),
};

const LIMITS: [path: keyof typeof OPERATIONS, field: string, max: number, start?: string][] = [
  ['/trade/pay', 'out_trade_no', 64],
  ['/trade/pay', 'channel', 32],
  ['/trade/pay', 'subject', 128],
  ['/trade/pay', 'content', 255],
  ['/trade/pay', 'notify_url', 255, 'https://shop.example.com/'],
  ['/trade/pay', 'return_url', 255, 'https://shop.example.com/'],
  ['/trade/pay', 'buyer_id', 128],
  ['/trade/create', 'out_trade_no', 64],
  ['/trade/create', 'method', 32],
  ['/trade/create', 'subject', 128],
  ['/trade/create', 'content', 255],
  ['/trade/create', 'notify_url', 255, 'https://shop.example.com/'],
  ['/trade/create', 'return_url', 255, 'https://shop.example.com/'],
  ['/trade/create', 'buyer_id', 128],
  ['/trade/query', 'out_trade_no', 64],
  ['/trade/query', 'trade_no', 64],
  ['/trade/refund', 'trade_no', 64],
  ['/trade/refund', 'out_trade_no', 64],
  ['/trade/refund', 'out_request_no', 16],
  ['/trade/refund', 'refund_reason', 128],
  ['/trade/refund', 'user_info.identify.number', 16],
  ['/trade/refund', 'user_info.identify.type', 16],
  ['/trade/refund', 'user_info.name', 64],
  ['/trade/refund', 'user_info.email', 64, 'a@'],
  ['/trade/refund', 'user_info.phone', 64],
  ['/trade/refund', 'bank_info.bank_id', 64],
  ['/trade/refund', 'bank_info.bank_name', 64],
  ['/trade/refund', 'bank_info.agency', 64],
  ['/trade/refund', 'bank_info.type', 64],
  ['/trade/refund', 'bank_info.number', 64],
  ['/trade/bank-list', 'method', 32],
  ['/virtual-account/spei/create', 'notify_url', 255, 'https://shop.example.com/'],
  ['/virtual-account/spei/create', 'customer.buyer_id', 128],
];

/** One byte, two bytes, and two UTF-16 units: a limit counts characters, whatever they are made of. */
const CHARACTERS = { 'a plain letter': 'x', é: 'é', 'a character beyond the BMP': '𝒳' };

describe.each(LIMITS)('%s: %s has at most %i characters', (path, field, max, start = '') => {
  const { parse, request } = OPERATIONS[path];
  const reading = (text: string) => faults(() => parse(edited(request, { [field]: text })));

  test.each(Object.entries(CHARACTERS))('counted in %s', (_, character) => {
    const filled = (length: number) => start + character.repeat(length - start.length);
    expect(reading(filled(max))).toEqual({});
    expect(reading(filled(max + 1))).toEqual({ [field]: `at most ${max} characters` });
  });
});

test('method of a direct payment has at most 32 characters', () => {
  // A method that nobody knows asks for every field of the buyer.
  const request = edited(published('boleto'), { method: 'm'.repeat(32) });
  expect(faults(() => parseDirectPayment(request))).toEqual({});
  expect(faults(() => parseDirectPayment(edited(request, { method: 'm'.repeat(33) })))).toEqual({
    method: 'at most 32 characters',
  });
});

test('channel of a checkout has at most 32 characters', () => {
  const request = edited(published('checkout'), { method: 'Wallet', channel: 'c'.repeat(32) });
  expect(faults(() => parseCheckout(request))).toEqual({});
  expect(faults(() => parseCheckout(edited(request, { channel: 'c'.repeat(33) })))).toEqual({
    channel: 'at most 32 characters',
  });
});

describe.each(['/trade/pay', '/trade/create'] as const)('%s', (path) => {
  const { parse, request } = OPERATIONS[path];
  const reading = (changes: object) => faults(() => parse(edited(request, { ...changes })));

  test('order_currency has 3 letters', () => {
    expect(reading({ order_currency: 'MXN' })).toEqual({});
    for (const order_currency of ['MX', 'MXNN', 'M1N', 'M N', '€€€']) {
      expect(reading({ order_currency })).toEqual({ order_currency: '3 letters' });
    }
  });

  test('order_amount lies between 0.01 and 99999999999999.99', () => {
    expect(reading({ order_amount: '0.01' })).toEqual({});
    expect(reading({ order_amount: '99999999999999.99' })).toEqual({});
    expect(reading({ order_amount: '0.00' })).toEqual({ order_amount: 'at least 0.01' });
    expect(reading({ order_amount: '100000000000000.00' })).toEqual({ order_amount: 'at most 99999999999999.99' });
  });

  test('cancellation_express is at most 3 days, in each unit', () => {
    for (const cancellation_express of ['3d', '72h', '4320m']) {
      expect(reading({ timeout_express: '1h', cancellation_express })).toEqual({});
    }
    for (const cancellation_express of ['4d', '73h', '4321m']) {
      expect(reading({ timeout_express: '1h', cancellation_express })).toEqual({
        cancellation_express: 'at most 3 days',
      });
    }
  });
});

describe('/trade/refund', () => {
  const { parse, request } = OPERATIONS['/trade/refund'];
  const reading = (changes: object) => faults(() => parse(edited(request, { ...changes })));

  test('refund_currency has 3 letters', () => {
    expect(reading({ refund_currency: 'MXN' })).toEqual({});
    expect(reading({ refund_currency: 'MXNN' })).toEqual({ refund_currency: '3 letters' });
  });

  test('refund_amount lies between 0.01 and 99999999999999.99', () => {
    for (const refund_amount of ['0.01', '99999999999999.99']) expect(reading({ refund_amount })).toEqual({});
    expect(reading({ refund_amount: '0.00' })).toEqual({ refund_amount: 'at least 0.01' });
    expect(reading({ refund_amount: '100000000000000.00' })).toEqual({ refund_amount: 'at most 99999999999999.99' });
  });

  test('platform_type is API', () => {
    expect(reading({ platform_type: 'APIX' })).toEqual({ platform_type: 'must be API' });
  });
});

describe('/trade/bank-list', () => {
  test('type is one character: 1 or 2', () => {
    const { parse, request } = OPERATIONS['/trade/bank-list'];
    const reading = (type: string) => faults(() => parse(edited(request, { method: 'Khipu', type })));
    for (const type of ['1', '2']) expect(reading(type)).toEqual({});
    for (const type of ['3', '11']) expect(reading(type)).toEqual({ type: 'must be 1 (BankTransfer) or 2 (Cash)' });
  });
});

describe('/trade/installments', () => {
  const { parse, request } = whole(INSTALLMENTS);
  const reading = (changes: object) => faults(() => parse(edited(request, { ...changes })));

  test('currency has 3 letters', () => {
    expect(reading({ currency: 'BR' })).toEqual({ currency: '3 letters' });
  });

  test('amount lies between 0.01 and 99999999.99', () => {
    for (const amount of ['0.01', '99999999.99']) expect(reading({ amount })).toEqual({});
    expect(reading({ amount: '0.00' })).toEqual({ amount: 'at least 0.01' });
    expect(reading({ amount: '100000000.00' })).toEqual({ amount: 'at most 99999999.99' });
    expect(reading({ amount: '1.001' })).toEqual({ amount: 'two decimals at most' });
  });
});

describe('the card-number wallet', () => {
  const reading = (changes: object) =>
    faults(() => parseDirectPayment(edited(published('wallet-card-number'), { ...changes })));

  test.each([
    [9, false],
    [10, true],
    [18, true],
    [19, false],
  ])('account_number with %i digits: accepted %s', (length, accepted) => {
    expect(reading({ account_number: '7'.repeat(length) })).toEqual(
      accepted ? {} : { account_number: '10 to 18 digits' },
    );
  });

  test.each([
    [3, false],
    [4, true],
    [5, false],
  ])('account_verification_code with %i digits: accepted %s', (length, accepted) => {
    expect(reading({ account_verification_code: '7'.repeat(length) })).toEqual(
      accepted ? {} : { account_verification_code: '4 digits' },
    );
  });

  test('digits are 0 to 9, and nothing else stands around them', () => {
    for (const account_number of ['٣٠٠١٢٣٤٥٦٧', '300123456x', ' 3001234567', '3001234567\n']) {
      expect(reading({ account_number })).toEqual({ account_number: '10 to 18 digits' });
    }
  });
});
