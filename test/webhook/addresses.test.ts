/** Who may send: the allow-list, and whose word is taken for where a request comes from. */
import type { FastifyInstance } from 'fastify';
import type { WebhookServerOptions } from '../../src/webhook';
import { networks } from '../../src/webhook/addresses';
import { type FakeTemporal, ipn, otherApp, post, sign, startWebhook } from './support';

describe('networks', () => {
  test.each<[string, string[], string, boolean]>([
    ['an address in it', ['203.0.113.0/24'], '203.0.113.255', true],
    ['an address beside it', ['203.0.113.0/24'], '203.0.114.0', false],
    ['a bare address', ['203.0.113.7'], '203.0.113.7', true],
    ['the one after a bare address', ['203.0.113.7'], '203.0.113.8', false],
    ['IPv6', ['2001:db8::/32'], '2001:db8:ffff::1', true],
    ['IPv6 beside it', ['2001:db8::/32'], '2001:db9::1', false],
    ['IPv6 written out', ['2001:db8::1'], '2001:0db8:0000:0000:0000:0000:0000:0001', true],
    ['IPv4 over IPv6', ['203.0.113.0/24'], '::ffff:203.0.113.9', true],
    ['IPv4 over IPv6 beside it', ['203.0.113.0/24'], '::ffff:203.0.114.9', false],
    ['the second of two', ['203.0.113.0/24', '198.51.100.0/24'], '198.51.100.1', true],
    ['none', [], '127.0.0.1', false],
    ['no address', ['203.0.113.0/24'], '', false],
    ['a name', ['203.0.113.0/24'], 'unknown', false],
    ['an address with a port', ['203.0.113.0/24'], '203.0.113.9:443', false],
    ['an address with more', ['203.0.113.0/24'], '203.0.113.9, 10.0.0.1', false],
  ])('%s', (_, list, address, holds) => expect(networks(list)(address)).toBe(holds));

  test.each(['0.0.0.0/0', '::/0', '203.0.113.0/33', 'gateway.example', '203.0.113', '1.2.3.4/255.0.255.0', '*'])(
    '%s is none',
    (network) => expect(() => networks([network])).toThrow(TypeError),
  );
});

describe('the endpoint', () => {
  let temporal: FakeTemporal;
  let server: FastifyInstance;
  let lines: string[];
  afterEach(() => server.close());

  async function start(options: Partial<WebhookServerOptions>): Promise<string> {
    const started = await startWebhook(options);
    ({ temporal, server, lines } = started);
    return started.url;
  }
  const gateway = ['203.0.113.0/24'];
  const by = (hops: string) => ({ headers: { 'x-forwarded-for': hops } });
  const body = ipn();

  test('takes what comes from an allowed address', async () => {
    expect((await post(await start({ allowedIps: ['127.0.0.0/8'] }), body)).status).toBe(200);
  });

  test('refuses a genuine notification from elsewhere, in the words of every refusal', async () => {
    const url = await start({ allowedIps: gateway });
    const [elsewhere, forged, unknown] = [
      await post(url, body),
      await post(url, body, { headers: { 'service-signature': sign(body, otherApp) } }),
      await post(url, body, { path: '/ipn/nobody' }),
    ];
    expect(elsewhere.status).toBe(401);
    expect(forged).toEqual(elsewhere);
    expect(unknown).toEqual(elsewhere);
    expect(temporal.asked).toBe(0);
    expect(lines.join('')).toContain('"why":"address not allowed","address":"127.0.0.1"');
  });

  test.each([
    ['believes no X-Forwarded-For unless told to', {}, '203.0.113.9', 401],
    ['believes no X-Forwarded-For of who is no trusted proxy', { trustedProxies: ['10.0.0.0/8'] }, '203.0.113.9', 401],
    ['takes a trusted proxy’s word', { trustedProxies: ['127.0.0.0/8'] }, '203.0.113.9', 200],
    ['takes it through two proxies', { trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] }, '203.0.113.9, 10.0.0.2', 200],
    ['believes only what a trusted proxy saw', { trustedProxies: ['127.0.0.0/8'] }, '203.0.113.9, 198.51.100.1', 401],
    ['believes no header that is garbage', { trustedProxies: ['127.0.0.0/8'] }, '203.0.113.9, x', 401],
    ['believes no empty header', { trustedProxies: ['127.0.0.0/8'] }, '', 401],
    ['refuses the proxy itself', { trustedProxies: ['127.0.0.0/8'] }, '127.0.0.1', 401],
  ])('%s', async (_, options, hops, status) => {
    const url = await start({ allowedIps: gateway, ...options });
    expect((await post(url, body, by(hops))).status).toBe(status);
    expect(temporal.told).toBe(status === 200 ? 1 : 0);
  });

  test('believes no other header that says where a request comes from', async () => {
    const url = await start({ allowedIps: gateway, trustedProxies: ['127.0.0.0/8'] });
    const claims = ['x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip', 'forwarded'];
    const headers = Object.fromEntries(claims.map((name) => [name, '203.0.113.9']));
    expect((await post(url, body, { headers })).status).toBe(401);
  });
});
