/** Which addresses may send, and which proxies are believed about them. */
import type { FastifyInstance } from 'fastify';
import type { WebhookServerOptions } from '../../src/webhook';
import { type FakeTemporal, ipn, otherApp, post, sign, startWebhook } from './support';

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

  test('accepts a notification from an allowed address', async () => {
    expect((await post(await start({ allowedIps: ['127.0.0.0/8'] }), body)).status).toBe(200);
  });

  test('refuses a good notification from another address, with the same answer as every refusal', async () => {
    const url = await start({ allowedIps: gateway });
    const [elsewhere, forged, unknown] = [
      await post(url, body),
      await post(url, body, { headers: { 'service-signature': sign(body, otherApp) } }),
      await post(url, body, { path: '/ipn/nobody' }),
    ];
    expect(elsewhere.status).toBe(401);
    expect(forged).toEqual(elsewhere);
    expect(unknown).toEqual(elsewhere);
    expect(temporal.callCount).toBe(0);
    expect(lines.join('')).toContain('"why":"address not allowed","address":"127.0.0.1"');
  });

  test.each([
    ['does not believe X-Forwarded-For by default', {}, '203.0.113.9', 401],
    [
      'does not believe X-Forwarded-For from an untrusted proxy',
      { trustedProxies: ['10.0.0.0/8'] },
      '203.0.113.9',
      401,
    ],
    ['believes a trusted proxy', { trustedProxies: ['127.0.0.0/8'] }, '203.0.113.9', 200],
    ['believes two trusted proxies', { trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] }, '203.0.113.9, 10.0.0.2', 200],
    [
      'believes only the address that a trusted proxy saw',
      { trustedProxies: ['127.0.0.0/8'] },
      '203.0.113.9, 198.51.100.1',
      401,
    ],
    ['takes the port away that a proxy writes', { trustedProxies: ['127.0.0.0/8'] }, '203.0.113.9:4711', 200],
    [
      'knows a trusted proxy by its address, with any port',
      { trustedProxies: ['127.0.0.0/8', '2001:db8::/32'] },
      '203.0.113.9:4711, [2001:db8::1]:443',
      200,
    ],
    ['does not believe an unreadable header', { trustedProxies: ['127.0.0.0/8'] }, '203.0.113.9, x', 401],
    ['does not believe an empty header', { trustedProxies: ['127.0.0.0/8'] }, '', 401],
    ['refuses the proxy’s own address', { trustedProxies: ['127.0.0.0/8'] }, '127.0.0.1', 401],
  ])('%s', async (_, options, hops, status) => {
    const url = await start({ allowedIps: gateway, ...options });
    expect((await post(url, body, by(hops))).status).toBe(status);
    expect(temporal.writeCount).toBe(status === 200 ? 1 : 0);
  });

  test('does not believe any other header about the sender’s address', async () => {
    const url = await start({ allowedIps: gateway, trustedProxies: ['127.0.0.0/8'] });
    const claims = ['x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip', 'forwarded'];
    const headers = Object.fromEntries(claims.map((name) => [name, '203.0.113.9']));
    expect((await post(url, body, { headers })).status).toBe(401);
  });
});
