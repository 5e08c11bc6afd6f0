/** Warnings: formats that the interface does not define and limits that change. They refuse an order only by setting. */
import * as fc from 'fast-check';
import { validate as libraryKnows } from 'stdnum/lib/cjs/mx/clabe';
import { parseDirectPayment, parseRefund, type Warning, warningsFor } from '../../src/gateway';
import { isClabe } from '../../src/gateway/pure/ids';
import { OPERATIONS, operation } from './operations';
import { answerJson, edited, failureOf, faults, gateways, type Json, publishedOrders } from './support';

const open = gateways();
const pay = operation('/trade/pay').request;
const warned = (request: Json, options = {}) =>
  Object.fromEntries(warningsFor(request, options).map(({ field, rule }) => [field, rule]));

const RULES = {
  CPF: 'not a CPF: 11 digits, of which the last two check the others',
  CNPJ: 'not a CNPJ: 14 characters, of which the last two check the others',
  CURP: 'not a CURP: 18 characters, of which the last checks the others',
  RFC: 'not an RFC: 12 or 13 characters, of which the last checks the others',
  NIT: 'not a NIT: digits of which the last checks the others',
  CC: 'not a cédula: 6 to 10 digits',
};

const IDENTITIES: [type: keyof typeof RULES, currency: string, right: string[], wrong: string[]][] = [
  ['CPF', 'BRL', ['11144477735', '111.444.777-35'], ['11144477734', '1114447773', '00000000000', 'abc']],
  [
    'CNPJ',
    'BRL',
    ['11222333000181', '11.222.333/0001-81', '12ABC34501DE35'],
    ['11222333000182', '1122233300018', '00000000000000'],
  ],
  ['CURP', 'MXN', ['BOXW310820HNERXN09', 'boxw310820hnerxn09'], ['BOXW310820HNERXN08', 'BOXW310820']],
  ['RFC', 'MXN', ['GODE561231GR8', 'XAXX010101000', 'XEXX010101000'], ['GODE561231GR9', 'GODE561331GR8', 'X']],
  ['NIT', 'COP', ['213.123.432-1', '2131234321', '213123432'], ['2131234325', '12']],
  ['CC', 'COP', ['1020304050', '102.030.405', '123456'], ['12345', '10203040501', '10203040x']],
];

describe.each(IDENTITIES)('%s', (type, order_currency, right, wrong) => {
  const order = (number: string, as: string = type) =>
    edited(pay, {
      order_currency,
      order_amount: '500.00',
      region: undefined,
      customer: { identify: { type: as, number } },
    });

  test.each(right)('%s causes no warning', (number) => expect(warned(order(number))).toEqual({}));

  test.each(wrong)('%s causes a warning, with its type in any case', (number) => {
    expect(warned(order(number))).toEqual({ 'customer.identify.number': RULES[type] });
    expect(warned(order(number, ` ${type.toLowerCase()}`))).toEqual({ 'customer.identify.number': RULES[type] });
  });

  test('is checked in refunds and virtual accounts too', () => {
    const [number = ''] = wrong;
    const refund = { refund_currency: order_currency, user_info: { identify: { type, number } } };
    expect(warned(refund)).toEqual({ 'user_info.identify.number': RULES[type] });
    if (order_currency === 'COP') return;
    const account = { customer: { buyer_id: 'b-1', identify: { type, number } } };
    expect(warned(account)).toEqual({ 'customer.identify.number': RULES[type] });
  });
});

test('NIT and CC are checked only if the currency or region is Colombia’s', () => {
  for (const type of ['NIT', 'CC']) {
    const order = { customer: { identify: { type, number: '12' } } };
    expect(warned({ ...order, order_currency: 'GTQ' })).toEqual({});
    expect(warned({ ...order, order_currency: 'USD', region: 'COL' })).not.toEqual({});
  }
});

describe('a CLABE', () => {
  const refund = (number: string) => ({ bank_info: { number } });
  const spei = { trade: { method: 'SPEI' } };
  const rule = { 'bank_info.number': 'not a CLABE: 18 digits, of which the last checks the others' };

  test('is checked in refunds of SPEI only', () => {
    expect(warned(refund('646180157000000004'), spei)).toEqual({});
    for (const number of ['646180157000000005', '64618015700000000', '6461801570000000040', '646180157-00000004']) {
      expect(warned(refund(number), spei)).toEqual(rule);
      expect(warned(refund(number), { trade: { method: 'PIX' } })).toEqual({});
      expect(warned(refund(number))).toEqual({});
    }
  });

  test('has the check digit that a library computes, for the banks that the library knows', () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
    fc.assert(
      fc.property(fc.constantFrom('002180', '012320', '014580', '646180'), digits(12), (bank, account) => {
        expect(isClabe(bank + account)).toBe(libraryKnows(bank + account).isValid);
      }),
      { numRuns: 500 },
    );
  });

  test('may be of a bank that no library knows', () => {
    expect(libraryKnows('722969010000000011').isValid).toBe(false);
    expect(isClabe('722969010000000011')).toBe(true);
  });

  test('has exactly one check digit for any seventeen digits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{17}$/), (front) => {
        expect([...'0123456789'].filter((digit) => isClabe(front + digit))).toHaveLength(1);
      }),
    );
  });
});

test('an emoji in the name of a virtual account causes a warning; it is forbidden for orders only', () => {
  expect(warned({ customer: { buyer_id: 'b-1', name: 'Ana 😀' } })).toEqual({ 'customer.name': 'no emoji' });
});

describe('amounts', () => {
  const amount = (method: string, order_currency: string, order_amount: string) =>
    warned({ method, order_currency, order_amount });

  test.each([
    ['0.49', true],
    ['0.50', false],
    ['50000.00', false],
    ['50000.01', true],
  ])('of a card in Brazil: %s causes a warning: %s', (order_amount, expected) => {
    const rule = { order_amount: 'CreditCard in BRL usually takes 0.50 to 50000.00' };
    expect(amount('CreditCard', 'brl', order_amount)).toEqual(expected ? rule : {});
    expect(amount('CreditCard', 'MXN', order_amount)).toEqual({});
    expect(amount('PIX', 'BRL', order_amount)).toEqual({});
  });

  test.each(['COP', 'CLP', 'PYG', 'CRC'])('in %s with decimals cause a warning', (currency) => {
    const rule = `${currency} is usually paid in whole units`;
    expect(amount('PSE', currency, '42000.50')).toEqual({ order_amount: rule });
    expect(amount('PSE', currency, '42000.00')).toEqual({});
    expect(amount('PSE', currency, '99999999999999.99')).toEqual({ order_amount: rule });
    expect(warned({ refund_currency: currency, refund_amount: '0.01' })).toEqual({ refund_amount: rule });
  });

  test('that are not decimals are errors and not warnings', () => {
    for (const order_amount of ['', 'x', '-1.5', '1e3']) expect(amount('PSE', 'COP', order_amount)).toEqual({});
  });

  test('are never refused by the setting for formats', () => {
    const order = edited(pay, { order_amount: '50000.01' });
    expect(faults(() => parseDirectPayment(order, { formats: 'refuse' }))).toEqual({});
  });
});

describe('a warning', () => {
  const wrong = edited(pay, { 'customer.identify.number': '11144477734' });
  const issue = { field: 'customer.identify.number', rule: RULES.CPF };

  test('does not stop the order, and `warn` gets field and rule', async () => {
    const gateway = await open.http(answerJson(operation('/trade/pay').answer));
    const warnings: Warning[] = [];
    const client = open.client(gateway, { warn: (warning) => warnings.push(warning) });
    await expect(client.pay(wrong)).resolves.toMatchObject({ trade_no: 't-1' });
    expect(gateway.received).toHaveLength(1);
    expect(warnings).toEqual([{ operation: '/trade/pay', out_trade_no: pay.out_trade_no, issues: [issue] }]);
    expect(JSON.stringify(warnings)).not.toContain('11144477734');
  });

  test('is an error if formats are refused, and nothing is sent', async () => {
    const gateway = await open.http(answerJson(operation('/trade/pay').answer));
    const warnings: Warning[] = [];
    const client = open.client(gateway, { formats: 'refuse', warn: (warning) => warnings.push(warning) });
    expect(await failureOf(client.pay(wrong))).toMatchObject({ name: 'InvalidRequestError', issues: [issue] });
    expect({ received: gateway.received, warnings }).toEqual({ received: [], warnings: [] });
  });

  test('of a refund knows the method of its trade', () => {
    const { trade_no: _trade, out_trade_no: _order, ...refund } = operation('/trade/refund').request;
    const options = { formats: 'refuse', trade: { method: 'SPEI' } } as const;
    expect(Object.keys(faults(() => parseRefund(refund, options)))).toEqual(['bank_info.number']);
  });

  test('is not given for a refused order', () => {
    const warnings: Warning[] = [];
    const order = edited(wrong, { buyer_id: undefined });
    const found = faults(() => parseDirectPayment(order, { warn: (warning) => warnings.push(warning) }));
    expect({ found, warnings }).toEqual({ found: { buyer_id: 'required' }, warnings: [] });
  });
});

test.each(publishedOrders())('the published order $file causes no warning', ({ request }) => {
  expect(warned(request)).toEqual({});
});

test.each(OPERATIONS)('a complete request of $path causes no warning', ({ request }) => {
  expect(warned(request)).toEqual({});
});
