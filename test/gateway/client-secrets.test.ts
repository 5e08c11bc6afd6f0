/**
 * No error holds a secret or data of the buyer, whatever the gateway answers: every request field gets a mark, the gateway
 * echoes it, and the test searches every form in which the error may be stored, logged or printed. SECRETS_RUNS=30 plays
 * two and a half times as many requests.
 */
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import pino from 'pino';
import { GatewayError } from '../../src/gateway';
import { OPERATIONS, operation } from './operations';
import { answerJson, edited, failureOf, gateways, type Json } from './support';

const open = gateways();

/** Requests for each way to echo one value of an operation's request; the other tests have their share of it. */
const RUNS = Number(process.env.SECRETS_RUNS ?? 12);
// The search leaves out the lines of stacks, and to write them took a tenth of the time.
Error.stackTraceLimit = 0;

const secret_key = 'sk_live_7Qz9-never-to-be-told';
const app_id = 'app-1';
const credentials = Buffer.from(`${app_id}:${secret_key}`).toString('base64');
const old_key = 'sk_live_of-last-year';
const SECRETS = [secret_key, credentials, old_key];

/** The `values` that an error holds, in any case. */
function told(error: unknown, values: string[]): string[] {
  // Lines and columns of a stack are digits, as those of a PIN are.
  const text = shown(error)
    .replace(/^\s+'?\s*at .*$/gm, '')
    .toLowerCase();
  return values.filter((value) => text.includes(value.toLowerCase()));
}

/** Everything of an error that a log, a failure or a person can see. */
function shown(error: unknown): string {
  if (!(error instanceof GatewayError)) throw error;
  const own = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)));
  return [
    ...logged(error),
    inspect(error.cause, { depth: null, showHidden: true }),
    error.message,
    error.stack,
    String(error),
    JSON.stringify(error),
    JSON.stringify(error.fields()),
    inspect(error, { depth: null, showHidden: true }),
    ...own,
  ].join('\n');
}

/** The strings of an error's log lines, without time and process id, whose digits could equal a PIN. */
function logged(error: GatewayError): string[] {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(line) });
  log.error(error);
  log.error({ err: error, fields: error.fields() }, 'a call of the gateway failed');
  return lines.flatMap((line) => leaves(JSON.parse(line)));
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

/** The private values of an order, each with a unique mark. */
const mark = fc.string({ unit: fc.constantFrom(...'abcdefghkmnpqrstuvwxyzÀéñ'), minLength: 6, maxLength: 14 });
/** Digits that differ from the refusal's code. */
const digits = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length })
    .filter((text) => !'40002'.includes(text));

const order = (parts: Json): Json => ({
  out_trade_no: 'ORDER-1',
  method: 'Wallet',
  order_currency: 'MXN',
  order_amount: '150.00',
  notify_url: 'https://shop.example.com/ipn',
  ...parts,
});

/** Fields without personal data; errors may show them. */
const PUBLIC =
  /^(out_trade_no|trade_no|out_request_no|account_id|method|channel|type|bank|region|regions[.\d]*|language_code|version)$|currency$|amount$|_express$|^trade_type$|^platform_type$|^installments$/;

const fieldsOf = (value: Json, prefix = ''): string[] =>
  Object.entries(value).flatMap(([key, inner]) => [
    prefix + key,
    ...(typeof inner === 'object' && inner !== null ? fieldsOf({ ...inner }, `${prefix}${key}.`) : []),
  ]);

/** A text with a mark, in the form of the one that the field has. */
function markedLike(path: string, text: string): fc.Arbitrary<string> {
  if (path === 'content') return mark.map((m) => `${m} $& $1 \\ (${m}`);
  if (path === 'account_verification_code') return digits(4);
  if (/^\d+$/.test(text)) return digits(Math.max(6, text.length));
  if (/^https?:/.test(text)) return mark.map((m) => `https://shop.example.com/back?cart=${m}`);
  return mark.map((m) => (text.includes('@') ? `${m}@example.com` : m));
}

/** What makes orders, refunds and accounts, and the private texts of a complete request by their paths, each with a mark of its own. */
const PRIVATE = OPERATIONS.filter(({ creates }) => creates).map(({ path, request }) => {
  const texts = fieldsOf(request).flatMap((field): [string, fc.Arbitrary<string>][] => {
    const text = field.split('.').reduce<unknown>((at, key) => Reflect.get(Object(at), key), request);
    return PUBLIC.test(field) || typeof text !== 'string' ? [] : [[field, markedLike(field, text)]];
  });
  return [
    path,
    fc.record(Object.fromEntries(texts)),
    'out_trade_no' in request ? edited(request, { out_trade_no: 'ORDER-1' }) : request,
  ] as const;
});

/** Ways in which a gateway may quote a request. */
const ECHOES: [name: string, answer: (said: string) => { status: number; body: string }][] = [
  ['in sub_msg', (said) => ({ status: 400, body: refusal({ sub_msg: said }) })],
  ['in the middle of sub_msg', (said) => ({ status: 200, body: refusal({ sub_msg: `bad value [${said}] given` }) })],
  ['in sub_code', (said) => ({ status: 400, body: refusal({ sub_code: said, sub_msg: undefined }) })],
  ['in sub_code and sub_msg', (said) => ({ status: 500, body: refusal({ sub_code: said, sub_msg: said }) })],
  ['in msg', (said) => ({ status: 400, body: refusal({ msg: said }) })],
  ['in code', (said) => ({ status: 400, body: refusal({ code: said }) })],
  [
    'as an address quotes it',
    (said) => ({ status: 400, body: refusal({ sub_msg: `https://pay.example/?said=${encodeURIComponent(said)}` }) }),
  ],
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
  describe.each(PRIVATE)('to %s', (path, private_parts, request) => {
    const { call } = operation(path);
    const whole = (parts: Json) => edited(request, parts);

    test('causes no error that holds a value of the buyer or the shop', async () => {
      let said = '';
      const gateway = await open.http((response) => {
        const { status, body } = answer(said);
        response.writeHead(status).end(body);
      });
      const client = open.client(gateway, {}, { app_id, secret_key });
      await fc.assert(
        fc.asyncProperty(private_parts, fc.nat(), async (parts, pick) => {
          const values = Object.values(parts);
          said = values[pick % values.length] ?? '';
          const failure = await failureOf(call(client, whole(parts)));
          expect(failure.name).toBe('GatewayError');
          expect(told(failure, [said, encodeURIComponent(said)])).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    });

    test('causes no error that holds any of them when it echoes the whole request', async () => {
      const gateway = await open.http((response, { body: sent }) => {
        const { status, body } = answer(sent.toString('utf8'));
        response.writeHead(status).end(body);
      });
      const client = open.client(gateway, {}, { app_id, secret_key });
      await fc.assert(
        fc.asyncProperty(private_parts, async (parts) => {
          expect(told(await failureOf(call(client, whole(parts))), Object.values(parts))).toEqual([]);
        }),
        { numRuns: Math.ceil(RUNS * 0.4) },
      );
    });
  });

  test('causes no error of any operation that holds a key', async () => {
    for (const secret of SECRETS) {
      const gateway = await open.http((response) => {
        const { status, body } = answer(`Basic ${secret}`);
        response.writeHead(status).end(body);
      });
      const client = open.client(gateway, {}, { app_id, secret_key, previous_secret_keys: [old_key] });
      const calls = OPERATIONS.map(({ call, request }) => call(client, request));
      for (const failure of await Promise.all(calls.map(failureOf))) expect(told(failure, SECRETS)).toEqual([]);
    }
  });
});

const buyer = { name: 'Ana', email: 'ana@example.com', phone: '5255', identify: { number: '123456789', type: 'CURP' } };
// The requests of all other operations hold nothing but what may be told.
describe.each(OPERATIONS.filter(({ creates }) => creates))(
  'a request to $path that holds a secret where it does not belong',
  ({ request, call }) => {
    const fields = fieldsOf(request);
    /** A secret as it is, with what makes it wrong, and in what should have been text. */
    const FORMS: ((secret: string) => unknown)[] = [
      (secret) => secret,
      (secret) => `${secret}+😀 ${secret}`,
      (secret) => secret.repeat(30),
      (secret) => [secret],
      (secret) => ({ sealed: secret }),
      (secret) => ({ number: { type: secret } }),
    ];

    test('is not in an error of ours, nor in one of a gateway that quotes everything', async () => {
      const gateway = await open.http((response, { body }) =>
        answerJson({ code: '40002', sub_code: 'new-code', sub_msg: body.toString('utf8') }, 400)(response),
      );
      const client = open.client(gateway, {}, { app_id, secret_key });
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...fields),
          fc.constantFrom(...FORMS),
          mark.filter((m) => m.length >= 8),
          async (field, form, secret) => {
            const planted = form(secret);
            // What may be told of an order is its own number, and the names of its method, currency and so on.
            fc.pre(!(PUBLIC.test(field) && typeof planted === 'string'));
            const failure = await failureOf(call(client, edited(request, { [field]: planted })));
            expect({ field, told: told(failure, [secret]) }).toEqual({ field, told: [] });
          },
        ),
        { numRuns: 5 * RUNS },
      );
    });
  },
);

describe('an error without a response', () => {
  test.each<[string, () => Promise<{ base_url: string }>]>([
    ['nobody listens', () => open.nobody()],
    ['the connection is reset', () => open.tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))],
    ['the answer is not HTTP', () => open.tcp((socket) => socket.on('data', (request) => socket.end(request)))],
    [
      'the answer’s head quotes the request',
      () => open.tcp((socket) => socket.on('data', (request) => socket.end(`HTTP/1.1 200 ${String(request)}`))),
    ],
  ])('holds no private value: %s', async (_, address) => {
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

describe('an error shows', () => {
  test('the words of the table of refusals, even if a value of the buyer equals one', async () => {
    // A subject that occurs in a code of the table must not make the refusal unreadable.
    const gateway = await open.http(
      answerJson({ code: '40002', sub_code: 'duplicate-out_trade_no', sub_msg: 'out_trade_no is duplicate' }),
    );
    const parts = { subject: 'duplicate', buyer_id: 'trade', content: '4000', customer: buyer, channel: 'QR' };
    const failure = await failureOf(open.client(gateway).pay(order(parts)));
    expect(failure).toMatchObject({ code: '40002', sub_code: 'duplicate-out_trade_no' });
  });

  test('a code that no table lists, and not the sentence beside it', async () => {
    const gateway = await open.http(
      answerJson({ code: '40002', sub_code: 'new-code', sub_msg: 'ORDER-1 of Ana is 150.00 MXN' }),
    );
    const failure = await failureOf(
      open.client(gateway).pay(order({ buyer_id: 'b-1', subject: 's-1', customer: buyer, channel: 'QR' })),
    );
    expect(failure.message).toBe('The gateway refused /trade/pay for order ORDER-1: code 40002, sub_code new-code.');
  });
});
