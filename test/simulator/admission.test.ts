import type { Simulator } from '../../src/simulator';
import { app, authorization, call, order, otherApp, send, start } from './support';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await start();
});
afterAll(() => simulator.close());

const query = { app_id: app.app_id, timestamp: '2026-03-02 12:00:00', out_trade_no: 'none' };
const text = JSON.stringify(query);

describe('who may call (section 5)', () => {
  const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

  test.each([
    ['no header', {}],
    ['another scheme', { authorization: `Bearer ${app.secret_key}` }],
    ['no base64', { authorization: 'Basic %%%' }],
    ['an unknown app', { authorization: basic(`app-9:${app.secret_key}`) }],
    ['a wrong secret', { authorization: basic(`${app.app_id}:wrong`) }],
    ['a part of the secret', { authorization: basic(`${app.app_id}:secret`) }],
    ['another app’s secret', { authorization: basic(`${app.app_id}:${otherApp.secret_key}`) }],
  ])('%s is answered invalid-signature', async (_, headers) => {
    const { status, body } = await send(simulator, '/trade/query', text, headers);
    expect(status).toBe(400);
    expect(body).toEqual({
      code: '40002',
      msg: 'Business Failed',
      sub_code: 'invalid-signature',
      sub_msg: 'invalid signature',
    });
  });

  test('a body of another app does not match', async () => {
    const { status, body } = await call(simulator, '/trade/query', { ...query, app_id: otherApp.app_id });
    expect([status, body.code, body.sub_code]).toEqual([400, '40002', 'app-not-match']);
  });

  test('the HTTP status of refusals is a setting', async () => {
    simulator.configure({ refusalStatus: 200, credentialsStatus: 401 });
    expect((await send(simulator, '/trade/query', text, {})).status).toBe(401);
    expect((await call(simulator, '/trade/query', query)).status).toBe(200);
    simulator.configure({ refusalStatus: 400, credentialsStatus: 400 });
  });
});

describe('what every body carries (section 2.1)', () => {
  test.each(['app_id', 'timestamp'])('%s', async (field) => {
    const { body } = await call(simulator, '/trade/query', { ...query, [field]: undefined });
    expect([body.code, body.sub_code]).toEqual(['40001', field]);
  });

  test.each([
    ['2026-03-02 12:00:00', 'trade-not-exist'],
    ['2024-02-29 23:59:59', 'trade-not-exist'],
    ['2026-02-29 12:00:00', 'timestamp'],
    ['2026-03-02 24:00:00', 'timestamp'],
    ['2026-03-02T12:00:00', 'timestamp'],
    ['2026-3-2 12:00:00', 'timestamp'],
    ['2026-03-02 12:00:00Z', 'timestamp'],
    ['0', 'timestamp'],
  ])('a timestamp of %s is answered %s', async (timestamp, expected) => {
    const { body } = await call(simulator, '/trade/query', { ...query, timestamp });
    expect(body.sub_code).toBe(expected);
  });
});

describe('what a body is', () => {
  test.each([
    ['nothing', ''],
    ['half of an object', '{"app_id":'],
    ['a list', '[]'],
    ['a text', '"success"'],
    ['bytes that are not UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a nest deeper than any stack', '['.repeat(100_000)],
  ])('%s is unreadable', async (_, sent) => {
    const { status, body } = await send(simulator, '/trade/query', sent, {
      authorization: authorization(),
      'content-type': 'application/json',
    });
    expect([status, body.code, body.sub_code]).toEqual([400, '40001', 'body']);
  });

  test('the content type is only recommended, as long as the body is JSON', async () => {
    const headers = { authorization: authorization(), 'content-type': 'text/plain' };
    expect((await send(simulator, '/trade/query', text, headers)).body.sub_code).toBe('trade-not-exist');
    expect((await send(simulator, '/trade/query', 'out_trade_no=none', headers)).body.code).toBe('40005');
  });

  test('names of prototypes are unknown fields like any other', async () => {
    const inherited = '{"__proto__":{"out_trade_no":"none"},"constructor":{"prototype":{"y":1}},';
    const sent = JSON.stringify({ ...query, out_trade_no: undefined }).replace('{', inherited);
    const { body } = await send(simulator, '/trade/query', sent, { authorization: authorization() });
    expect([body.code, body.sub_code]).toEqual(['40001', 'trade_no']);
    expect(Object.prototype).not.toHaveProperty('y');
  });

  test('an amount keeps all its digits, as a text and as a number', async () => {
    for (const [out_trade_no, literal] of [
      ['text', '"99999999999999.99"'],
      ['number', '99999999999999.99'],
    ] as const) {
      const sent = JSON.stringify({ ...query, ...order('pix'), out_trade_no }).replace('"150.00"', literal);
      expect((await send(simulator, '/trade/pay', sent, { authorization: authorization() })).body.code).toBe('10000');
      expect((await call(simulator, '/trade/query', { out_trade_no })).text).toContain(
        '"order_amount":99999999999999.99,',
      );
    }
  });
});
