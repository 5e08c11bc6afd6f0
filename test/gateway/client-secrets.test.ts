/**
 * No error tells a secret or a word of the buyer's, whatever the gateway says back: every field of an order is planted
 * with a mark, the gateway echoes it, and the error is searched in every form in which it may be stored or printed.
 */
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { GatewayError } from '../../src/gateway';
import { answerJson, failureOf, gateways, type Json } from './support';

const open = gateways();

const secret_key = 'sk_live_7Qz9-never-to-be-told';
const app_id = 'app-1';
const credentials = Buffer.from(`${app_id}:${secret_key}`).toString('base64');
const old_key = 'sk_live_of-last-year';
const SECRETS = [secret_key, credentials, old_key];

/** Which of `values` an error tells, in whatever case. */
function told(error: unknown, values: string[]): string[] {
  // Lines and columns of a stack are digits, as those of a PIN are.
  const text = shown(error)
    .replace(/^\s+'?\s*at .*$/gm, '')
    .toLowerCase();
  return values.filter((value) => text.includes(value.toLowerCase()));
}

/** Everything that a log, a failure or a person could see of an error. */
function shown(error: unknown): string {
  if (!(error instanceof GatewayError)) throw error;
  const own = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)));
  return [
    error.message,
    error.stack,
    String(error),
    JSON.stringify(error),
    JSON.stringify(error.fields()),
    inspect(error, { depth: null, showHidden: true }),
    ...own,
  ].join('\n');
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

/** Every private value of an order, with a mark that nothing else contains. */
const mark = fc.string({ unit: fc.constantFrom(...'abcdefghkmnpqrstuvwxyzÀéñ'), minLength: 6, maxLength: 14 });
/** Digits that are not those of the refusal's own code. */
const digits = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length })
    .filter((text) => !'40002'.includes(text));

const privateParts = fc.record({
  subject: mark,
  content: mark.map((m) => `${m} $& $1 \\ (${m}`),
  notify_url: mark.map((m) => `https://shop.example.com/${m}`),
  return_url: mark.map((m) => `https://shop.example.com/back?cart=${m}`),
  buyer_id: mark,
  token: mark,
  customer: fc.record({
    name: fc.tuple(mark, mark).map(([first, last]) => `${first} ${last}`),
    email: mark.map((m) => `${m}@example.com`),
    phone: digits(12),
    identify: fc.record({ number: digits(11), type: mark }),
  }),
  address: fc.record({
    zip_code: digits(8),
    state: mark,
    city: mark,
    street: mark,
    street_number: digits(6),
    neighborhood: mark,
  }),
  ip: digits(3).map((d) => `189.40.76.${d}`),
  fingerprint: mark,
  account_number: digits(18),
  account_verification_code: digits(4),
});

const order = (parts: Json): Json => ({
  out_trade_no: 'ORDER-1',
  method: 'Wallet',
  order_currency: 'MXN',
  order_amount: '150.00',
  notify_url: 'https://shop.example.com/ipn',
  ...parts,
});

/** Ways in which a gateway may quote a request back at us, given everything that it could quote. */
const ECHOES: [name: string, answer: (said: string) => { status: number; body: string }][] = [
  ['in sub_msg', (said) => ({ status: 400, body: refusal({ sub_msg: said }) })],
  ['in the middle of sub_msg', (said) => ({ status: 200, body: refusal({ sub_msg: `bad value [${said}] given` }) })],
  ['in sub_code', (said) => ({ status: 400, body: refusal({ sub_code: said, sub_msg: undefined }) })],
  ['in sub_code and sub_msg', (said) => ({ status: 500, body: refusal({ sub_code: said, sub_msg: said }) })],
  ['in msg', (said) => ({ status: 400, body: refusal({ msg: said }) })],
  ['in code', (said) => ({ status: 400, body: refusal({ code: said }) })],
  [
    'in capitals',
    (said) => ({ status: 400, body: refusal({ sub_code: said.toUpperCase(), sub_msg: said.toUpperCase() }) }),
  ],
  ['in a page', (said) => ({ status: 403, body: `<html>${said}</html>` })],
  ['in another JSON', (said) => ({ status: 500, body: JSON.stringify({ error: said, request: { said } }) })],
];

const refusal = (fields: Json) =>
  JSON.stringify({ code: '40002', msg: 'Business Failed', sub_code: 'new-code', sub_msg: 'no', ...fields });

describe.each(ECHOES)('a gateway that echoes %s', (_, answer) => {
  test('makes no error tell a value of the buyer or of the shop', async () => {
    let said = '';
    const gateway = await open.http((response) => {
      const { status, body } = answer(said);
      response.writeHead(status).end(body);
    });
    const client = open.client(gateway, {}, { app_id, secret_key });
    await fc.assert(
      fc.asyncProperty(privateParts, fc.nat(), async (parts, pick) => {
        const values = leaves(parts);
        said = values[pick % values.length] ?? '';
        expect(told(await failureOf(client.pay(order(parts))), [said])).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('makes no error tell all of them at once, nor the request’s own text', async () => {
    const gateway = await open.http((response, { body: request }) => {
      const { status, body } = answer(request.toString('utf8'));
      response.writeHead(status).end(body);
    });
    const client = open.client(gateway, {}, { app_id, secret_key });
    await fc.assert(
      fc.asyncProperty(privateParts, async (parts) => {
        expect(told(await failureOf(client.pay(order(parts))), leaves(parts))).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test('makes no error of any operation tell a key', async () => {
    for (const secret of SECRETS) {
      const gateway = await open.http((response) => {
        const { status, body } = answer(`Basic ${secret}`);
        response.writeHead(status).end(body);
      });
      const client = open.client(gateway, {}, { app_id, secret_key, previous_secret_keys: [old_key] });
      const calls = [
        client.pay(order({ buyer_id: 'b-1', subject: 's-1', customer: buyer, channel: 'QR' })),
        client.createCheckout(checkout),
        client.query({ out_trade_no: 'ORDER-1' }),
      ];
      for (const failure of await Promise.all(calls.map(failureOf))) expect(told(failure, SECRETS)).toEqual([]);
    }
  });
});

const buyer = { name: 'Ana', email: 'ana@example.com', phone: '5255', identify: { number: '123456789', type: 'CURP' } };
const checkout = {
  notify_url: 'https://shop.example.com/ipn-of-its-own',
  out_trade_no: 'ORDER-2',
  trade_type: 'WEB',
  order_currency: 'MXN',
  order_amount: '1.00',
  subject: 'A subject of its own',
  buyer_id: 'buyer-of-its-own',
};

describe('an error without an answer', () => {
  test.each<[string, () => Promise<{ base_url: string }>]>([
    ['nobody listens', () => open.nobody()],
    ['the connection is reset', () => open.tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))],
    ['the answer is not HTTP', () => open.tcp((socket) => socket.on('data', (request) => socket.end(request)))],
    [
      'the answer’s head quotes the request',
      () => open.tcp((socket) => socket.on('data', (request) => socket.end(`HTTP/1.1 200 ${String(request)}`))),
    ],
  ])('tells nothing either: %s', async (_, address) => {
    const client = open.client(await address(), {}, { app_id, secret_key });
    const parts = {
      buyer_id: 'marked-buyer',
      subject: 'marked-subject',
      customer: { ...buyer, name: 'Marked Name' },
      channel: 'QR',
    };
    const failure = await failureOf(client.pay(order(parts)));
    expect(told(failure, [...SECRETS, 'marked-buyer', 'marked-subject', 'Marked Name'])).toEqual([]);
  });
});

describe('what an error does tell', () => {
  test('is the gateway’s own words, also where a buyer’s value is one of them', async () => {
    // A subject that occurs in a code of the table must not make the refusal unreadable.
    const gateway = await open.http(
      answerJson({ code: '40002', sub_code: 'duplicate-out_trade_no', sub_msg: 'out_trade_no is duplicate' }),
    );
    const parts = { subject: 'duplicate', buyer_id: 'trade', content: '4000', customer: buyer, channel: 'QR' };
    const failure = await failureOf(open.client(gateway).pay(order(parts)));
    expect(failure).toMatchObject({ code: '40002', sub_code: 'duplicate-out_trade_no' });
  });

  test('is the order’s number, which the gateway may quote', async () => {
    const gateway = await open.http(
      answerJson({ code: '40002', sub_code: 'new-code', sub_msg: 'ORDER-1 of Ana is 150.00 MXN' }),
    );
    const failure = await failureOf(
      open.client(gateway).pay(order({ buyer_id: 'b-1', subject: 's-1', customer: buyer, channel: 'QR' })),
    );
    expect(failure.message).toContain('(ORDER-1 of *** is 150.00 MXN)');
  });
});
