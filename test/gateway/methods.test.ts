/** What each payment method asks of an order (section 4.1), as a table of fields that cannot be left out. */
import { parseDirectPayment } from '../../src/gateway';
import { edited, faults, type Json, published } from './support';

/** An order that lacks nothing that any method asks for, in a country without rules of its own. */
const complete: Json = {
  out_trade_no: '2026-0200',
  order_currency: 'MXN',
  order_amount: '150.00',
  subject: 'Order 200',
  content: 'Two tickets and a programme',
  notify_url: 'https://shop.example.com/ipn',
  return_url: 'https://shop.example.com/back',
  buyer_id: 'buyer-200',
  timeout_express: '90m',
  cancellation_express: '2h',
  customer: {
    name: 'Mariana Souza Lima',
    email: 'mariana@example.com',
    phone: '525512345678',
    identify: { number: '11144477735', type: 'CPF' },
  },
  address: {
    zip_code: '01310-100',
    state: 'SP',
    city: 'São Paulo',
    street: 'Avenida Paulista',
    street_number: '1578',
    neighborhood: 'Bela Vista',
  },
  ip: '189.40.76.12',
  fingerprint: 'fp-7c0e9f',
  bank: '001',
  language_code: 'es',
  installments: 1,
  region: 'MEX',
};

const OF_EVERY_ORDER = ['out_trade_no', 'method', 'order_currency', 'order_amount', 'subject', 'buyer_id'];

const name = 'customer.name';
const email = 'customer.email';
const phone = 'customer.phone';
const identity = ['customer.identify.number', 'customer.identify.type'];
const buyer = [name, email, phone, ...identity];

/** Fields beside those of every order that a method cannot do without. */
const REQUIRED: Record<string, string[]> = {
  // The interface exempts PIX from email and phone only; gateways take its orders without an identity, and the examples do.
  PIX: [name],
  Boleto: [...buyer, 'address.zip_code'],
  Lottery: [...buyer, 'address.zip_code'],
  DepositExpress: buyer,
  SPEI: [name, email, phone],
  Wallet: buyer,
  CreditCard: [...buyer, 'ip', 'fingerprint'],
  Cash: [name, email, phone],
  BankTransfer: buyer,
  PSE: buyer,
  Efecty: buyer,
  OXXO: [name, email, phone],
  OXXOPay: [name, email, phone],
  CoDi: [name, email, phone],
  OpenFinance: [name, email, ...identity, 'bank'],
  BNCR: [name, email, phone],
  // The bank-list-driven and the voucher-style method.
  Khipu: [name, email, 'bank'],
  Pago46: [email],
  'a method that nobody told us of': buyer,
};

const paths = (at: Json, prefix = ''): string[] =>
  Object.entries(at).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null
      ? paths(Object.fromEntries(Object.entries(value)), `${prefix}${key}.`)
      : [prefix + key],
  );

describe.each(Object.entries(REQUIRED))('%s', (method, required) => {
  const order = { ...complete, method };

  test('a complete order is accepted', () => {
    expect(faults(() => parseDirectPayment(order))).toEqual({});
  });

  test(`cannot be ordered without ${required.join(', ')}, and without every other field it can`, () => {
    const missed = paths(order).filter((path) => {
      const found = Object.keys(faults(() => parseDirectPayment(edited(order, { [path]: undefined }))));
      if (found.length > 0) expect(found).toEqual([path]);
      return found.length > 0;
    });
    expect(missed.sort()).toEqual([...OF_EVERY_ORDER, ...required].sort());
  });

  test('an order of nothing else but what is required is accepted', () => {
    const kept = new Set([...OF_EVERY_ORDER, ...required]);
    const dropped = paths(order).filter((path) => !kept.has(path));
    const bare = edited(order, Object.fromEntries(dropped.map((path) => [path, undefined])));
    expect(faults(() => parseDirectPayment(bare))).toEqual({});
  });

  test('an empty string or null stands for a field that is not there', () => {
    for (const path of required) {
      for (const nothing of ['', null]) {
        expect(Object.keys(faults(() => parseDirectPayment(edited(order, { [path]: nothing }))))).toEqual([path]);
      }
    }
  });
});

test('the words name the method that asks, where not every method does', () => {
  expect(faults(() => parseDirectPayment(edited({ ...complete, method: 'CreditCard' }, { ip: undefined })))).toEqual({
    ip: 'required for CreditCard',
  });
});

test('a method is known in any case: the interface writes both Cash and CASH', () => {
  const cash = edited(published('cash'), { method: 'CASH' });
  expect(parseDirectPayment(cash)).toEqual(cash);
});

describe('fields that only some methods may carry', () => {
  const MAY_CARRY: [field: string, value: string, methods: string[]][] = [
    ['channel', 'QR', ['Wallet']],
    ['issuer', 'visa', ['CreditCard']],
    ['token', 'tok_4f1c2a9be77d', ['CreditCard', 'Wallet']],
  ];

  test.each(MAY_CARRY)('%s', (field, value, methods) => {
    for (const method of Object.keys(REQUIRED)) {
      const found = faults(() => parseDirectPayment({ ...complete, method, [field]: value }));
      expect({ method, found }).toEqual({
        method,
        found: methods.includes(method) ? {} : { [field]: `only with ${methods.join(' or ')}` },
      });
    }
  });
});

describe('Ecuador: a bank transfer names one of three banks', () => {
  const order = published('bank-transfer-ecuador');
  const reading = (changes: Json) => faults(() => parseDirectPayment(edited(order, changes)));

  test.each(['bpacifico', 'internacional', 'pichincha'])('%s', (bank) => expect(reading({ bank })).toEqual({}));

  test('another bank, or none, is refused', () => {
    expect(reading({ bank: 'guayaquil' })).toEqual({ bank: 'one of bpacifico, internacional, pichincha' });
    expect(reading({ bank: undefined })).toEqual({ bank: 'required: one of bpacifico, internacional, pichincha' });
  });

  test('Panama, also in dollars, takes other banks or none', () => {
    expect(reading({ 'customer.identify.type': 'RUC', bank: '1805' })).toEqual({});
    expect(reading({ 'customer.identify.type': 'RUC', bank: undefined })).toEqual({});
    expect(reading({ region: 'PAN', bank: '1805' })).toEqual({});
  });

  test('the region tells Ecuador, too', () => {
    expect(reading({ region: 'ECU', 'customer.identify.type': 'RUC', bank: '1805' })).toEqual({
      bank: 'one of bpacifico, internacional, pichincha',
    });
  });
});

describe('region', () => {
  const order = { ...complete, method: 'Boleto' };

  test('is required when the app is Global', () => {
    const missing = edited(order, { region: undefined });
    expect(faults(() => parseDirectPayment(missing, { global: true }))).toEqual({
      region: 'required, because the app is Global',
    });
    expect(faults(() => parseDirectPayment(missing, { global: false }))).toEqual({});
    expect(faults(() => parseDirectPayment(order, { global: true }))).toEqual({});
  });
});
