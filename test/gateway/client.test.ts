/** What the client sends (sections 2.1, 4 and 5), and how it reads a success. */
import { inspect } from 'node:util';
import type { GatewayClient } from '../../src/gateway';
import { OPERATIONS, operation } from './operations';
import { answerJson, app, edited, failureOf, gateways, type Json, sendable } from './support';

const open = gateways();

const created = { code: '10000', msg: 'Success', trade_no: 't-1', trade_status: 'PROCESSING' };
const trade = { ...created, out_trade_no: '2026-0001-PIX', order_amount: '150.00', order_currency: 'BRL' };
const pix = sendable('pix');

async function sentBy(call: (client: GatewayClient) => Promise<unknown>, as = {}, answer: Json = trade) {
  const gateway = await open.http(answerJson(answer));
  await call(open.client(gateway, {}, as));
  expect(gateway.received).toHaveLength(1);
  const [request] = gateway.received;
  if (!request) throw new Error('Nothing arrived');
  const text = request.body.toString('utf8');
  return { ...request, text, json: JSON.parse(text) as Json };
}

describe.each(OPERATIONS)('$path', ({ path, request, answer, call }) => {
  test('is a POST of JSON with Basic credentials, and carries app_id, timestamp and every field, amounts as numbers', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const sent = await sentBy((client) => call(client, request), {}, answer);
    expect(sent).toMatchObject({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from(`${app.app_id}:${app.secret_key}`).toString('base64')}`,
        'user-agent': 'temporal-payment-gateway',
        // So that half a request is not taken for a whole one.
        'content-length': String(sent.body.length),
      },
    });
    const { app_id, timestamp, ...fields } = sent.json;
    const amounts = Object.entries(request).filter(([name]) => /amount$/.test(name));
    expect({ app_id, ...fields }).toEqual({
      app_id: app.app_id,
      ...request,
      ...Object.fromEntries(amounts.map(([name, text]) => [name, Number(text)])),
    });
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const said = Date.parse(`${String(timestamp).replace(' ', 'T')}Z`);
    expect(said).toBeGreaterThanOrEqual(before);
    expect(said).toBeLessThanOrEqual(Date.now());
  });

  test('with an unknown field is refused and not sent', async () => {
    const gateway = await open.http(answerJson(answer));
    for (const [changes, named] of typos(request)) {
      const failure = await failureOf(call(open.client(gateway), edited(request, changes)));
      expect(failure).toMatchObject({ name: 'InvalidRequestError', operation: path, outcome: 'not-sent' });
      expect(failure.message).toContain(`${named}: unknown field`);
    }
    expect(gateway.received).toEqual([]);
  });
});

/** An unknown field at the top of a request and in each of its parts. */
function typos(request: Json): [Json, string][] {
  if (Object.keys(request).length < 2 && !('region' in request)) return [];
  const parts = Object.keys(request).filter(
    (name) => typeof request[name] === 'object' && !Array.isArray(request[name]),
  );
  return ['', ...parts.map((part) => `${part}.`)].map((part) => [{ [`${part}colour`]: 'red' }, `${part}colour`]);
}

describe('an order on the wire', () => {
  test('has no field that the merchant left out', async () => {
    const { json } = await sentBy((client) => client.pay({ ...pix, content: undefined, address: undefined }));
    expect(Object.keys(json)).not.toContain('content');
    expect(Object.keys(json)).not.toContain('address');
  });

  test('credentials of any character are encoded as UTF-8', async () => {
    const { headers } = await sentBy((client) => client.pay(pix), { app_id: 'app', secret_key: 'ção:𝒳\n=' });
    const [, credentials = ''] = /^Basic (.*)$/.exec(headers.authorization ?? '') ?? [];
    expect(Buffer.from(credentials, 'base64').toString('utf8')).toBe('app:ção:𝒳\n=');
  });

  test('has its timestamp in the app’s time zone', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const { json } = await sentBy((client) => client.pay(pix), { time_zone: 'Etc/GMT+12' });
    const said = Date.parse(`${String(json.timestamp).replace(' ', 'T')}Z`) + 12 * 3_600_000;
    expect(said).toBeGreaterThanOrEqual(before);
    expect(said).toBeLessThanOrEqual(Date.now());
  });
});

describe('the base address', () => {
  test.each([
    ['', '/trade/query'],
    ['/', '/trade/query'],
    ['/gateway/v2', '/gateway/v2/trade/query'],
    ['/gateway/v2/', '/gateway/v2/trade/query'],
  ])('may end in %j', async (end, path) => {
    const gateway = await open.http(answerJson(trade));
    await open.client({ base_url: gateway.base_url + end }).query({ trade_no: 't-1' });
    expect(gateway.received.map((request) => request.path)).toEqual([path]);
  });
});

describe('a success', () => {
  test.each(['/trade/pay', '/trade/create'])(
    'of %s has every scalar as text, digit by digit, also where it is a number',
    async (path) => {
      const { call, request } = operation(path);
      const gateway = await open.http((response) => {
        response.end(
          '{"code":10000,"trade_no":10001,"out_trade_no":2025120320503108483,"trade_status":"","reference":1234567,"new":true,"more":[1]}',
        );
      });
      const asked = { ...request, out_trade_no: '2025120320503108483' };
      await expect(call(open.client(gateway), asked)).resolves.toEqual({
        trade_no: '10001',
        out_trade_no: '2025120320503108483',
        reference: '1234567',
        new: 'true',
        more: [1],
      });
    },
  );

  test.each([200, 201, 400, 403, 500, 502])('is recognised by its JSON with HTTP status %i', async (status) => {
    const gateway = await open.http(answerJson(trade, status));
    const client = open.client(gateway);
    await expect(client.pay(pix)).resolves.toMatchObject({ trade_no: 't-1' });
    await expect(client.query({ trade_no: 't-1' })).resolves.toMatchObject({ trade_status: 'PROCESSING' });
  });
});

describe('an order that breaks a rule', () => {
  test('an order or account without notify_url or with a sealed secret is not sent', async () => {
    const gateway = await open.http(answerJson(created));
    const client = open.client(gateway);
    for (const path of ['/trade/pay', '/trade/create', '/virtual-account/spei/create']) {
      const { call, request } = operation(path);
      const failure = await failureOf(call(client, edited(request, { notify_url: undefined })));
      expect(failure.message).toContain('notify_url: required');
    }
    for (const secret of ['token', 'account_verification_code']) {
      const { call, request } = operation('/trade/pay');
      const failure = await failureOf(call(client, { ...request, [secret]: { sealed: 'eyJ.a.b.c.d' } }));
      expect(failure.message).toContain(`${secret}: must be opened before it is sent`);
    }
    expect(gateway.received).toEqual([]);
  });
});

test('a client that is printed shows no key', () => {
  const shown = inspect(open.client({ base_url: 'https://gateway.example' }), { depth: null, showHidden: true });
  expect(shown).not.toContain(app.secret_key);
  expect(shown).not.toContain(Buffer.from(`${app.app_id}:${app.secret_key}`).toString('base64'));
});

test('the path of the wallet token is a setting', async () => {
  const gateway = await open.http(answerJson({ code: '10000', token: 'client-token-1' }));
  const client = open.client(gateway, { wallet_token_path: '/trade/get-paypal-client-token' });
  await expect(client.walletToken()).resolves.toBe('client-token-1');
  expect(gateway.received.map(({ path }) => path)).toEqual(['/trade/get-paypal-client-token']);
});

test('many calls at the same time get their own responses', async () => {
  const gateway = await open.http((response, { body }) => {
    const { out_trade_no } = JSON.parse(body.toString('utf8'));
    answerJson({ ...created, out_trade_no })(response);
  });
  const client = open.client(gateway);
  const numbers = Array.from({ length: 100 }, (_, i) => `order-${i}`);
  const answers = await Promise.all(numbers.map((out_trade_no) => client.pay({ ...pix, out_trade_no })));
  expect(answers.map((answer) => answer.out_trade_no)).toEqual(numbers);
  expect(gateway.received).toHaveLength(100);
});
