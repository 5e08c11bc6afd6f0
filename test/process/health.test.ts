/** Checks of health, as every program of ours serves them at HEALTH_ADDRESS. */
import pino from 'pino';
import { freePort } from '../../src/cli/dev/temporal';
import { Readiness, serveHealth } from '../../src/process/health';
import { placeOf } from '../../src/process/listen';
import { ConfigError } from '../../src/process/settings';

const log = pino({ level: 'silent' });
let own: string | undefined;
let asked = 0;
let answer: () => Promise<string | undefined>;
let address: string;
let server: Awaited<ReturnType<typeof serveHealth>>;

beforeEach(async () => {
  own = undefined;
  asked = 0;
  answer = async () => undefined;
  address = `127.0.0.1:${(await freePort(0)).port}`;
  const readiness = new Readiness(
    () => own,
    () => {
      asked += 1;
      return answer();
    },
  );
  server = await serveHealth({ HEALTH_ADDRESS: address }, readiness, log);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await server?.close();
});

const ask = (path: string, method = 'GET') => fetch(`http://${address}${path}`, { method });

test('/healthz asks nobody: it answers 200 whatever others say', async () => {
  own = 'it is stopping';
  answer = () => Promise.reject(new Error('nobody asks'));
  const { status, headers } = await ask('/healthz');
  expect([status, headers.get('connection'), asked]).toEqual([200, 'close', 0]);
});

test('/readyz is 200 while the program and whom it asks agree, else 503 with the reason', async () => {
  expect(await (await ask('/readyz')).json()).toEqual({ status: 'ready' });
  own = 'it is stopping';
  const stopping = await ask('/readyz');
  expect([stopping.status, await stopping.json()]).toEqual([503, { status: 'not ready', why: 'it is stopping' }]);
});

test('others are asked once in ten seconds, whatever the number of requests', async () => {
  const now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
  answer = async () => 'Temporal does not answer';
  const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await ask('/readyz')).status));
  expect([new Set(statuses), asked]).toEqual([new Set([503]), 1]);
  clock.mockReturnValue(now + 9_999);
  expect([(await ask('/readyz')).status, asked]).toEqual([503, 1]);
  clock.mockReturnValue(now + 10_000);
  answer = async () => undefined;
  expect([(await ask('/readyz')).status, asked]).toEqual([200, 2]);
});

test('where others do not answer, /readyz says so within the time that a check has', async () => {
  answer = () => new Promise(() => undefined);
  const reply = await ask('/readyz');
  expect([reply.status, await reply.json()]).toEqual([503, { status: 'not ready', why: 'Temporal does not answer' }]);
});

test.each([
  ['HEAD', '/readyz', 200],
  ['POST', '/readyz', 404],
  ['DELETE', '/healthz', 404],
  ['GET', '/', 404],
])('%s %s is answered with %i', async (method, path, status) => {
  expect((await ask(path, method)).status).toBe(status);
});

test('an address that is taken is a ConfigError that names the setting, and no address serves nothing', async () => {
  const second = serveHealth({ HEALTH_ADDRESS: address }, new Readiness(() => undefined), log);
  await expect(second).rejects.toThrow(ConfigError);
  await expect(second).rejects.toThrow('HEALTH_ADDRESS');
  expect(await serveHealth({}, new Readiness(() => undefined), log)).toBeUndefined();
});

test.each([
  ['127.0.0.1:8481', '127.0.0.1', 8481],
  ['[::1]:8481', '::1', 8481],
  ['0.0.0.0:80', '0.0.0.0', 80],
])('HEALTH_ADDRESS=%s is served there, and at no free port', (given, host, port) => {
  expect(placeOf(given)).toEqual({ host, port });
});
