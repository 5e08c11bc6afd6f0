import type { Simulator } from '../../src/simulator';
import { methods } from '../../src/simulator/rules/methods';
import { app, call, globalApp, type Json, order, publishedOrders, start, withChanges } from './support';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await start();
});
afterAll(() => simulator.close());

const paths: Record<string, string> = { direct: '/trade/pay', checkout: '/trade/create' };
let count = 0;
const unique = () => `rule-${++count}`;

/** What an order is refused for; `null` if it is accepted. */
async function refusal(request: Json, path = '/trade/pay', as: typeof app = app): Promise<unknown> {
  const { status, body } = await call(simulator, path, request, { as });
  expect(status).toBe(body.code === '10000' ? 200 : 400);
  return body.sub_code ?? null;
}

/** The order with a number of its own and some changes. */
const changed = (file: string, changes: Json) => order(file, { out_trade_no: unique(), ...changes });

describe('published orders', () => {
  test.each(publishedOrders())(
    '$file is accepted, with its payment data',
    async ({ kind, request, expect: expected }) => {
      const { body } = await call(simulator, paths[kind] ?? '', {
        notify_url: 'https://shop.example.com/ipn',
        ...request,
      });
      expect(body).toMatchObject({ code: '10000', msg: 'Success', out_trade_no: request.out_trade_no });
      expect(Object.keys(body)).toEqual(expect.arrayContaining([...(expected.payment_data ?? [])]));
      if (expected.trade_status_at_creation) expect(body.trade_status).toBe(expected.trade_status_at_creation);
    },
  );

  // A gateway takes fields that it does not know; refusing a misspelt one is for the merchant's side.
  const refused = publishedOrders('invalid').filter(({ file }) => file !== 'misspelt-field.json');
  test.each(refused)(
    '$file is refused for the field that breaks the rule',
    async ({ kind, request, expect: expected }) => {
      const { status, body } = await call(simulator, paths[kind] ?? '', {
        notify_url: 'https://shop.example.com/ipn',
        ...request,
      });
      expect(status).toBe(400);
      expect(expected.refused).toContain(body.sub_code);
      expect(body.code).toMatch(/^4000[12]$/);
      expect(body.sub_msg).toContain(String(body.sub_code));
    },
  );

  test('a field that nobody knows is ignored', async () => {
    expect(await refusal(changed('spei', { cancelation_express: '3d', version: '2.0' }))).toBeNull();
  });
});

describe('what each method requires of the buyer (section 4.1)', () => {
  const buyer = { name: 'customer.name', email: 'customer.email', phone: 'customer.phone' };
  const identify = ['customer.identify.number', 'customer.identify.type'];
  const { name, email, phone } = buyer;
  // Everything that a direct order must say besides the order's own fields, by method.
  const required: Record<string, string[]> = {
    PIX: [name],
    Boleto: [name, email, phone, ...identify, 'address.zip_code'],
    Lottery: [name, email, phone, ...identify, 'address.zip_code'],
    DepositExpress: [name, email, phone, ...identify],
    OpenFinance: [name, email, ...identify, 'bank'],
    SPEI: [name, email, phone],
    OXXO: [name, email, phone],
    OXXOPay: [name, email, phone],
    CoDi: [name, email, phone],
    Cash: [name, email, phone],
    BNCR: [name, email, phone],
    PSE: [name, email, phone, ...identify],
    Efecty: [name, email, phone, ...identify],
    BankTransfer: [name, email, phone, ...identify, 'bank'],
    Wallet: [name, email, phone, ...identify],
    CreditCard: [name, email, phone, ...identify, 'ip', 'fingerprint'],
    Khipu: [name, email, 'bank'],
    Pago46: [email],
  };
  const candidates = [name, email, phone, ...identify, 'bank', 'ip', 'fingerprint', 'address.zip_code'];
  const full = (method: string) => ({
    out_trade_no: unique(),
    method,
    order_currency: method === 'BankTransfer' ? 'USD' : 'XXX',
    order_amount: '10.00',
    subject: 'All fields',
    notify_url: 'https://shop.example.com/ipn',
    buyer_id: 'buyer-1',
    customer: {
      name: 'Ten Letters Name',
      email: 'buyer@example.com',
      phone: '5511987654321',
      // An identity card of Ecuador, where a transfer in dollars needs a bank.
      identify: { number: '1710034065', type: 'CI' },
    },
    address: { zip_code: '01310-100' },
    bank: 'pichincha',
    ip: '189.40.76.12',
    fingerprint: 'fp-1',
  });

  test('the table has every method', () => {
    expect(Object.keys(required).sort()).toEqual(Object.keys(methods).sort());
  });

  test.each(Object.entries(required))('%s requires %j', async (method, fields) => {
    const order = full(method);
    const refusedWithout = [];
    for (const field of candidates) {
      if ((await refusal(withChanges(order, { [field]: undefined, out_trade_no: unique() }))) === field)
        refusedWithout.push(field);
    }
    expect(refusedWithout.sort()).toEqual([...fields].sort());
  });

  test.each(Object.entries(required))('%s needs nothing else', async (method, fields) => {
    const order = withChanges(
      full(method),
      Object.fromEntries(candidates.filter((field) => !fields.includes(field)).map((field) => [field, undefined])),
    );
    expect(await refusal(order)).toBeNull();
  });

  test('PIX requires an identity too where the letter of the table is asked for', async () => {
    simulator.configure({ pixIdentify: 'required' });
    expect(await refusal(changed('pix', {}))).toBe('customer.identify.number');
    simulator.configure({ pixIdentify: 'optional' });
    expect(await refusal(changed('pix', {}))).toBeNull();
  });
});

describe('the order’s own fields (sections 4.1, 4.2, 8)', () => {
  const always = ['out_trade_no', 'order_currency', 'order_amount', 'subject', 'notify_url', 'buyer_id'];

  test.each([...always, 'method'])('a direct order without %s misses an argument', async (field) => {
    const { body } = await call(simulator, '/trade/pay', changed('pix', { [field]: undefined }));
    expect(body).toMatchObject({ code: '40001', msg: 'Missing Required Arguments', sub_code: field });
  });
  test.each([...always, 'trade_type'])('a checkout without %s misses an argument', async (field) => {
    const { body } = await call(simulator, '/trade/create', changed('checkout', { [field]: undefined }));
    expect(body).toMatchObject({ code: '40001', msg: 'Missing Required Arguments', sub_code: field });
  });
  test('a checkout may leave the method to the buyer', async () => {
    expect(await refusal(changed('checkout', { method: undefined }), '/trade/create')).toBeNull();
  });
  test('a required field that is empty is refused by its name', async () => {
    const { body } = await call(simulator, '/trade/pay', changed('pix', { buyer_id: '' }));
    expect(body).toMatchObject({ code: '40002', sub_code: 'buyer_id', sub_msg: 'buyer_id can not be empty.' });
  });
  test('an optional field that is empty is absent', async () => {
    expect(await refusal(changed('pix', { content: '', timeout_express: '', channel: '' }))).toBeNull();
  });
  test.each([
    ['out_trade_no', 64],
    ['subject', 128],
    ['content', 255],
    ['buyer_id', 128],
    ['return_url', 255],
  ])('%s has at most %i characters', async (field, longest) => {
    // Characters, not UTF-16 units: this one takes two of them.
    const letter = '𝔸';
    const prefix = unique();
    const filled = (length: number) => prefix + letter.repeat(length - prefix.length);
    expect(await refusal(changed('pix', { [field]: filled(longest + 1) }))).toBe(field);
    expect(await refusal(changed('pix', { [field]: filled(longest) }))).toBeNull();
  });
  test.each(['checkout', 'direct'])('notify_url of a %s is an address of at most 255 characters', async (kind) => {
    const file = kind === 'direct' ? 'pix' : 'checkout';
    const path = paths[kind];
    const address = (length: number) => 'https://shop.example.com/'.padEnd(length, 'x');
    expect(await refusal(changed(file, { notify_url: address(255) }), path)).toBeNull();
    expect(await refusal(changed(file, { notify_url: address(256) }), path)).toBe('notify_url');
    expect(await refusal(changed(file, { notify_url: 'shop.example.com/ipn' }), path)).toBe('notify_url');
  });
  test.each([
    ['0.01', null],
    ['99999999999999.99', null],
    ['10', null],
    ['10.5', null],
    ['0', 'order_amount'],
    ['0.00', 'order_amount'],
    ['0.001', 'order_amount'],
    ['-1.00', 'order_amount'],
    ['100000000000000.00', 'order_amount'],
    ['99999999999999.991', 'order_amount'],
    ['10.100', 'order_amount'],
    ['1,50', 'order_amount'],
    ['BRL 5', 'order_amount'],
    ['NaN', 'order_amount'],
    [true, 'order_amount'],
  ])('an amount of %s: %s', async (amount, expected) => {
    expect(await refusal(changed('pix', { order_amount: amount }))).toBe(expected);
  });
  test('a currency has three characters', async () => {
    for (const currency of ['BR', 'BRLX'])
      expect(await refusal(changed('pix', { order_currency: currency }))).toBe('order_currency');
  });
  test('a number in the place of a text is refused', async () => {
    expect(await refusal(changed('pix', { buyer_id: 17 }))).toBe('buyer_id');
  });
  test('a method that nobody knows is not supported', async () => {
    expect(await refusal(changed('pix', { method: 'pix' }))).toBe('no-method-supported');
    expect(await refusal(changed('checkout', { method: 'Bitcoin' }), '/trade/create')).toBe('no-method-supported');
  });
  test('CASH, as the interface writes it once, is Cash', async () => {
    expect(await refusal(changed('cash', { method: 'CASH' }))).toBeNull();
  });
  test('a channel is for wallets', async () => {
    expect(await refusal(changed('spei', { channel: 'QR' }))).toBe('channel');
    expect(await refusal(changed('checkout', { method: 'SPEI', channel: 'QR' }), '/trade/create')).toBe('channel');
    expect(await refusal(changed('checkout', { method: 'Wallet', channel: 'QR' }), '/trade/create')).toBeNull();
    // The buyer may still choose a wallet.
    expect(await refusal(changed('checkout', { channel: 'QR' }), '/trade/create')).toBeNull();
  });
  test('a checkout is of type WEB, and its regions are a list', async () => {
    expect(await refusal(changed('checkout', { trade_type: 'APP' }), '/trade/create')).toBe('trade_type');
    expect(await refusal(changed('checkout', { regions: 'BRA' }), '/trade/create')).toBe('regions');
    expect(await refusal(changed('checkout', { regions: ['BRA'] }), '/trade/create')).toBeNull();
  });
  test('a Global app must say the region of a direct order', async () => {
    expect(await refusal(changed('pix', {}), '/trade/pay', globalApp)).toBe('region');
    expect(await refusal(changed('pix', { region: 'BRA' }), '/trade/pay', globalApp)).toBeNull();
    expect(await refusal(changed('checkout', {}), '/trade/create', globalApp)).toBeNull();
  });
});

describe('express times (sections 4.1, 7)', () => {
  // Noon: twelve hours are left of the UTC day.
  test.each([
    ['90m', undefined, null],
    ['2h', undefined, null],
    ['40d', undefined, null],
    ['1c', undefined, null],
    ['c', undefined, null],
    ['90', undefined, 'timeout_express'],
    ['m', undefined, 'timeout_express'],
    ['0m', undefined, 'timeout_express'],
    ['1.5h', undefined, 'timeout_express'],
    ['-5m', undefined, 'timeout_express'],
    ['90s', undefined, 'timeout_express'],
    ['2c', undefined, 'timeout_express'],
    ['90M', undefined, 'timeout_express'],
    [undefined, '3d', null],
    [undefined, '72h', null],
    [undefined, '4320m', null],
    [undefined, '4321m', 'cancellation_express'],
    [undefined, '4d', 'cancellation_express'],
    [undefined, '1c', 'cancellation_express'],
    [undefined, 'c', 'cancellation_express'],
    [undefined, '90', 'cancellation_express'],
    ['2h', '121m', null],
    ['2h', '120m', 'cancellation_express'],
    ['2h', '1h', 'cancellation_express'],
    ['1c', '12h', null],
    ['1c', '11h', 'cancellation_express'],
  ])('timeout %s with cancellation %s: %s', async (timeout_express, cancellation_express, expected) => {
    const times = { timeout_express, cancellation_express };
    expect(await refusal(changed('spei', times))).toBe(expected);
    expect(await refusal(changed('checkout', times), '/trade/create')).toBe(expected);
  });
});

describe('names, addresses, banks and wallets', () => {
  test.each([
    ['José Hernández Gómez', null],
    ['Ana Perez', 'customer.name'],
    ['Ana  Perez', null],
    ['𝔸𝔹ℂ𝔻𝔼𝔽𝔾ℍ𝕀', 'customer.name'],
    ['José Hernández 😀', 'customer.name'],
    ['José Hernández 1️⃣', 'customer.name'],
    ['José Hernández 1⃣', 'customer.name'],
    ['José Hernández 🇲🇽', 'customer.name'],
    ['José Hernández 👩‍👩‍👧', 'customer.name'],
    ['José Hernández ❤️', 'customer.name'],
    ['José Hernández 👍🏽', 'customer.name'],
    ['José Hernández 3rd #1 *', null],
  ])('a SPEI order for %s: %s', async (name, expected) => {
    expect(await refusal(changed('spei', { 'customer.name': name }))).toBe(expected);
  });
  test('a name in Brazil has no digits, in whatever script', async () => {
    for (const name of ['Mariana 2', 'Mariana ٢'])
      expect(await refusal(changed('pix', { 'customer.name': name }))).toBe('customer.name');
  });
  test('an email has no +', async () => {
    expect(await refusal(changed('boleto', { 'customer.email': 'a+b@example.com' }))).toBe('customer.email');
    expect(await refusal(changed('pix', { 'customer.email': 'a+b@example.com' }))).toBe('customer.email');
  });
  test.each(['bpacifico', 'internacional', 'pichincha'])('%s is a bank of Ecuador', async (bank) => {
    expect(await refusal(changed('bank-transfer-ecuador', { bank }))).toBeNull();
  });
  test('other bank transfers take other banks, or none', async () => {
    expect(await refusal(changed('bank-transfer-ecuador', { order_currency: 'PEN', bank: undefined }))).toBeNull();
    expect(await refusal(changed('bank-transfer-ecuador', { region: 'PAN', bank: '1805' }))).toBeNull();
    // As published for Panama: no region, and another identity than Ecuador's card.
    const panama = { 'customer.identify': { type: 'RUC', number: '155714930-2-2021' }, bank: '1805' };
    expect(await refusal(changed('bank-transfer-ecuador', panama))).toBeNull();
  });
  test.each([
    ['300123456', '4821', 'account_number'],
    ['3001234567', '4821', null],
    ['300123456789012345', '4821', null],
    ['3001234567890123456', '4821', 'account_number'],
    ['30012345x7', '4821', 'account_number'],
    ['3001234567', '482', 'account_verification_code'],
    ['3001234567', '48211', 'account_verification_code'],
    ['3001234567', '48 1', 'account_verification_code'],
  ])(
    'a card-number wallet with number %s and PIN %s: %s',
    async (account_number, account_verification_code, expected) => {
      expect(await refusal(changed('wallet-card-number', { account_number, account_verification_code }))).toBe(
        expected,
      );
    },
  );
  test('elsewhere an account number may be what it is', async () => {
    expect(await refusal(changed('bank-transfer-ecuador', { account_number: '12-4324' }))).toBeNull();
  });
  test('installments are a whole number', async () => {
    for (const installments of [0, 1.5, 'two'])
      expect(await refusal(changed('credit-card', { installments }))).toBe('installments');
    for (const installments of [1, '12']) expect(await refusal(changed('credit-card', { installments }))).toBeNull();
  });
});
