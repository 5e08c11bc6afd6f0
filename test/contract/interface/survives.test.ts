/**
 * Every valid request passes from the merchant's call through the client and the wire into the simulator unchanged, and the
 * simulator accepts it. Valid requests are generated from the interface's tables and not from our rules.
 */
import Big from 'big.js';
import * as fc from 'fast-check';
import { isLosslessNumber, parse } from 'lossless-json';
import { type GatewayClient, withReturnUrl } from '../../../src/gateway';
import type { Simulator } from '../../../src/simulator';
import { anyCharacter } from '../../harness/characters';
import { METHODS } from './rows';
import { CLIENT_APP, clientOf, type Json, start, type Wire, wireTo } from './support';

let simulator: Simulator;
let wire: Wire;
let client: GatewayClient;
beforeAll(async () => {
  // In real time, as the client: `1c` must end on the same day for both.
  simulator = await start({ clock: { speed: 1 }, accountPool: 100_000 });
  wire = await wireTo(simulator.url);
  client = clientOf(CLIENT_APP, wire.base_url);
});
afterAll(async () => {
  await client.close();
  await wire.close();
  await simulator.close();
});

// -- What a field can hold ---------------------------------------------------------------------------------------------

/** Any characters: quotes, control characters, characters of two UTF-16 units, joined ones. */
const text = (max: number) => fc.string({ unit: anyCharacter, minLength: 1, maxLength: max });
/** An id has no control characters. */
const id = (max: number) => text(max).filter((made) => !/\p{Cc}/u.test(made));
const characters = (property: RegExp) =>
  fc
    .integer({ min: 0x20, max: 0x2fa1f })
    .filter((code) => (code < 0xd800 || code > 0xdfff) && property.test(String.fromCodePoint(code)))
    .map((code) => String.fromCodePoint(code));
/** Letters of any script, their marks and separators of names; no emoji, no digits. Two marks and one letter count as emoji. */
const letter = fc.oneof(
  characters(/(?![\u20e3\ufe0f\u2139])[\p{L}\p{M}]/u),
  fc.constantFrom(' ', '’', "'", '-', '.', 'ç', 'ñ', '"', '\\'),
);
const name = (min = 1) => fc.string({ unit: letter, minLength: min, maxLength: 60 });
const handle = fc.string({
  unit: fc.oneof(characters(/[\p{L}\p{Nd}]/u), fc.constantFrom('.', '-', '_', '"')),
  minLength: 1,
  maxLength: 20,
});
const email = fc.tuple(handle, fc.domain()).map(([local, domain]) => `${local}@${domain}`);
const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
const address = fc
  .webUrl({ withQueryParameters: true, validSchemes: ['http', 'https'] })
  .filter((url) => url.length <= 255);
const region = fc.constantFrom('BRA', 'MEX', 'COL', 'CHL', 'ECU', 'PER');

/** Amounts up to the limit, in each way to write a decimal: 7, 7.5, 7.50. */
const amount = (max: bigint) =>
  fc.tuple(fc.oneof(fc.bigInt(1n, max), fc.bigInt(1n, 10_000n), fc.constant(max)), fc.nat(2)).map(([cents, places]) => {
    const [whole, fraction = ''] = [`${cents / 100n}`, `${cents % 100n}`.padStart(2, '0')];
    const kept = fraction.replace(/0+$/, '').padEnd(places, '0');
    return kept === '' ? whole : `${whole}.${kept}`;
  });
const LARGEST = 9_999_999_999_999_999n;

/** A timeout and a later cancellation: in minutes and days, or after the end of the day (`1c`). */
const express = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 4319 }), fc.integer({ min: 1, max: 4320 })).map(([timeout, more]) => ({
    timeout_express: `${timeout}m`,
    cancellation_express: `${Math.min(4320, timeout + more)}m`,
  })),
  fc.constantFrom(
    {},
    { timeout_express: '30d' },
    { timeout_express: 'c' },
    { cancellation_express: '3d' },
    { timeout_express: '1c', cancellation_express: '25h' },
    { timeout_express: '71h', cancellation_express: '3d' },
  ),
);

const optional = <T>(fields: { [Field in keyof T]: fc.Arbitrary<T[Field]> }) => fc.record(fields, { requiredKeys: [] });

/** The fields that direct orders and checkouts share. Order numbers begin with a counter, so that they are unique. */
let count = 0;
const unique = () => `${Date.now().toString(36)}-${++count}-`;
const order = fc
  .tuple(
    fc.record({
      out_trade_no: id(40),
      order_amount: amount(LARGEST),
      subject: text(128),
      notify_url: address,
      buyer_id: text(128),
    }),
    optional({ content: text(255), return_url: address }),
    express,
  )
  .map(([needed, more, ends]) => ({ ...needed, ...more, ...ends }));

/** An order by a method: the fields that it requires, and any of the others. */
const directBy = ({ method, currency, asks }: (typeof METHODS)[number]) => {
  const buyer = {
    'customer.name': name(method === 'SPEI' ? 10 : 1),
    'customer.email': email,
    'customer.phone': digits(8, 15),
    'customer.identify.number': text(20),
    'customer.identify.type': fc.constantFrom('CPF', 'RFC', 'CC', 'RUC', 'OTHER'),
    bank: text(20),
    'address.zip_code': text(10),
    ip: fc.oneof(fc.ipV4(), fc.ipV6()),
    fingerprint: text(40),
  };
  const others = {
    'address.state': text(30),
    'address.city': text(30),
    'address.street': text(60),
    'address.street_number': text(10),
    'address.neighborhood': text(30),
    language_code: fc.constantFrom('pt', 'es', 'en'),
    installments: fc.integer({ min: 1, max: 48 }),
    region,
    ...(method === 'CreditCard' && { token: text(60), issuer: fc.constantFrom('visa', 'elo') }),
    ...(method === 'Wallet' && {
      channel: fc.constantFrom('QR', 'PicPay', 'Todito'),
      token: text(60),
      account_number: digits(10, 18),
      account_verification_code: digits(4, 4),
    }),
  };
  // Without a region: the currency alone tells the country of these orders.
  const { region: _region, ...national } = others;
  const fields = currency === 'BRL' ? others : national;
  return fc
    .record({
      order,
      fields: fc.record({ ...buyer, ...fields }, { requiredKeys: asks }),
    })
    .map(({ order: common, fields: own }) => nested({ ...common, method, order_currency: currency, ...own }));
};

const checkout = fc
  .tuple(
    order,
    optional({
      method: fc.constantFrom(...METHODS.map(({ method }) => method)),
      regions: fc.array(region),
      version: text(5),
    }),
    fc.constantFrom('BRL', 'MXN', 'COP', 'CLP', 'USD'),
    text(20),
  )
  .map(([common, more, order_currency, channel]) => ({
    ...common,
    ...more,
    // A method is paid in its own currency.
    order_currency: METHODS.find(({ method }) => method === more.method)?.currency ?? order_currency,
    trade_type: 'WEB',
    ...(more.method === 'Wallet' && { channel }),
  }));

/** A refund of a trade by a method, full or partial, with any fields that it may have. */
const refund = fc
  .record({
    method: fc.constantFrom('PIX', 'Boleto', 'Lottery', 'DepositExpress', 'SPEI', 'Wallet', 'CreditCard'),
    paid: amount(LARGEST),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    request: fc.record({
      out_request_no: id(16),
      user_info: fc.record(
        {
          identify: fc.record({ number: text(16), type: text(16) }, { requiredKeys: ['number'] }),
          name: text(64),
          email: email.filter((one) => [...one].length <= 64),
          phone: text(64),
        },
        { requiredKeys: ['identify', 'name', 'email'] },
      ),
    }),
    more: optional({
      refund_reason: text(128),
      platform_type: fc.constant('API'),
      bank_info: optional({
        bank_id: text(64),
        bank_name: text(64),
        agency: text(64),
        type: text(64),
        number: text(64),
      }),
    }),
  })
  .map(({ method, paid, part, request, more }) => {
    const half = new Big(paid).times(part).round(2, Big.roundDown);
    const refund_amount = half.lte(0) ? paid : half.toFixed(2);
    const refund_currency = METHODS.find((one) => one.method === method)?.currency ?? 'BRL';
    return { method, paid, request: { ...request, ...more, refund_amount, refund_currency } };
  });

const account = fc.record({
  notify_url: address,
  customer: fc.record(
    {
      buyer_id: text(128),
      email,
      name: name(),
      phone: digits(8, 15),
      identify: fc.record({ number: text(20), type: text(10) }),
    },
    { requiredKeys: ['buyer_id', 'email', 'identify'] },
  ),
});

/** Builds an object from values at dotted paths. */
function nested(flat: Json): Json {
  const whole: Json = {};
  for (const [path, value] of Object.entries(flat)) {
    const [first = '', ...rest] = path.split('.');
    const inner = whole[first];
    if (rest.length === 0) whole[first] = value;
    else whole[first] = { ...(typeof inner === 'object' ? inner : {}), ...deeper(inner, rest, value) };
  }
  return whole;
}
function deeper(at: unknown, [first = '', ...rest]: string[], value: unknown): Json {
  if (rest.length === 0) return { [first]: value };
  const inner: unknown = typeof at === 'object' && at !== null ? Reflect.get(at, first) : undefined;
  return { [first]: { ...(typeof inner === 'object' ? inner : {}), ...deeper(inner, rest, value) } };
}

// -- What arrived --------------------------------------------------------------------------------------------------------

const DECIMALS = ['order_amount', 'refund_amount'];

/** The latest body on the wire: texts as they are, numbers as their digits. */
function arrived(): Json {
  const body: unknown = parse(wire.bodies.at(-1) ?? '', (_, value) =>
    isLosslessNumber(value) ? { digits: value.value } : value,
  );
  const { app_id, timestamp, ...rest } = body as Json;
  expect(app_id).toBe(CLIENT_APP.app_id);
  expect(timestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  return rest;
}

/** What must arrive: the merchant's request, with amounts as numbers of the same digits. */
const written = (request: Json): Json =>
  Object.fromEntries(
    Object.entries(request).map(([key, value]) => [
      key,
      DECIMALS.includes(key) || typeof value === 'number' ? { digits: String(value) } : value,
    ]),
  );

/** Each request costs four calls by HTTP; INTERFACE_RUNS asks for more of them. */
const RUNS = { numRuns: Number(process.env.INTERFACE_RUNS ?? 40) };
const RUNS_OF_A_METHOD = { numRuns: Math.ceil(RUNS.numRuns / 10) };
const money = (text: unknown) => new Big(String(text)).toFixed(2);

test.each(METHODS)('a direct order by $method in $currency arrives unchanged', async (by) => {
  await fc.assert(
    fc.asyncProperty(directBy(by), async (generated) => {
      const request: Json = { ...generated, out_trade_no: unique() + generated.out_trade_no };
      const answer = await client.pay(request);
      expect(arrived()).toEqual(written(request));

      const { out_trade_no, order_amount, order_currency, method, subject, content = null, buyer_id } = request;
      expect(answer.out_trade_no).toBe(out_trade_no);
      expect(simulator.trade(String(answer.trade_no))).toMatchObject({
        ...{ out_trade_no, order_currency, method, subject, content, buyer_id },
        order_amount: money(order_amount),
      });
      // And the query returns the same number and amount.
      expect(await client.query({ out_trade_no: String(out_trade_no) })).toMatchObject({
        out_trade_no,
        order_currency,
        order_amount: money(order_amount),
      });
      expect(method).toBe(by.method);
    }),
    RUNS_OF_A_METHOD,
  );
});

test('a checkout arrives unchanged, and its address takes any return_url', async () => {
  await fc.assert(
    fc.asyncProperty(checkout, address, async (generated, back) => {
      const request: Json = { ...generated, out_trade_no: unique() + generated.out_trade_no };
      const answer = await client.createCheckout(request);
      expect(arrived()).toEqual(written(request));
      const { out_trade_no, order_amount, order_currency, subject, buyer_id } = request;
      expect(simulator.trade(String(answer.trade_no))).toMatchObject({
        ...{ out_trade_no, order_currency, subject, buyer_id },
        order_amount: money(order_amount),
      });
      const there = new URL(withReturnUrl(String(answer.web_url), back));
      expect(there.searchParams.get('return_url')).toBe(back);
      expect(there.searchParams.get('trade_no')).toBe(answer.trade_no);
    }),
    RUNS,
  );
});

test('a full or partial refund arrives unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(refund, id(40), async ({ method, paid, request: generated }, number) => {
      const out_trade_no = unique() + number;
      const { refund_currency: order_currency } = generated;
      const trade = { method, order_amount: paid };
      const { trade_no } = await client.pay({ ...whole, out_trade_no, order_currency, ...trade, ...own(method) });
      await simulator.pay(String(trade_no));

      const request: Json = { ...generated, out_trade_no, trade_no };
      const answer = await client.refund(request, trade);
      expect(arrived()).toEqual(written(request));
      expect(answer).toMatchObject({ out_trade_no, trade_no, refund_amount: money(generated.refund_amount) });
      expect(simulator.ledger({ out_trade_no })).toMatchObject([
        { refunds: [{ out_request_no: generated.out_request_no, refund_amount: money(generated.refund_amount) }] },
      ]);
    }),
    RUNS,
  );
});

const whole: Json = {
  subject: 'To be given back',
  notify_url: 'https://shop.example.com/ipn',
  buyer_id: 'buyer-1',
  customer: {
    name: 'Mariana Souza Lima',
    email: 'mariana@example.com',
    phone: '5511987654321',
    identify: { number: '11144477735', type: 'CPF' },
  },
  address: { zip_code: '01310-100' },
};
const own = (method: string): Json =>
  method === 'CreditCard' ? { ip: '189.40.76.12', fingerprint: 'fp-1' } : method === 'Wallet' ? { channel: 'QR' } : {};

test('a virtual account and its deposits arrive unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(account, amount(LARGEST), async (request, deposited) => {
      const opened = await client.createSpeiAccount(request);
      expect(arrived()).toEqual(request);
      const { account_id } = opened;
      expect(simulator.account(account_id)).toMatchObject({
        buyer_id: request.customer.buyer_id,
        notify_url: request.notify_url,
      });
      expect(await client.querySpeiAccount(account_id)).toEqual({ ...opened, status: 'ACTIVE' });
      expect(arrived()).toEqual({ account_id });

      const { trade_no } = await simulator.deposit(account_id, deposited);
      expect(await client.query({ trade_no })).toMatchObject({ trade_no, order_amount: money(deposited) });
      expect(await client.cancelSpeiAccount(account_id)).toEqual({ ...opened, status: 'CANCELED' });
    }),
    RUNS,
  );
});

test('the amount of an installment query arrives unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(amount(9_999_999_999n), async (asked) => {
      const [first] = await client.installments({ currency: 'BRL', amount: asked });
      expect(wire.bodies.at(-1)).toMatch(new RegExp(`"amount":${asked.replace('.', '\\.')}[,}]`));
      expect(first).toMatchObject({ stage: 1, amount: money(asked) });
    }),
    RUNS,
  );
});
