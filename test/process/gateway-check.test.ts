/** What a worker says of its apps at its start: once, and only what is wrong. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkGateways } from '../../src/process/gateway-check';

let server: Server;
let asked = 0;
let answer: (response: ServerResponse) => void = () => undefined;

beforeAll(async () => {
  server = createServer((_request: IncomingMessage, response) => {
    asked += 1;
    answer(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => {
  asked = 0;
});

const says =
  (sub_code: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ code: '40002', msg: 'Business Failed', sub_code }));
  };

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

/** What is logged of an app whose gateway is here, or at another port. */
async function logged(port?: number, GATEWAY_CHECK_AT_START = true): Promise<[level: string, sentence: string][]> {
  const address = server.address();
  if (!isAddress(address)) throw new Error('the server has no port');
  const base_url = `http://127.0.0.1:${port ?? address.port}`;
  const lines: [string, string][] = [];
  const apps = [{ app_id: 'shop-1', secret_key: 'not-for-logs', base_url }];
  await checkGateways(
    { apps, GATEWAY_CHECK_AT_START, GATEWAY_CONNECT_TIMEOUT: 5_000, GATEWAY_ANSWER_TIMEOUT: 15_000 },
    {
      error: (_about, sentence) => void lines.push(['error', sentence]),
      warn: (_about, sentence) => void lines.push(['warn', sentence]),
    },
  );
  return lines;
}

test('a gateway that knows the app and not the order is asked once, and nothing is said', async () => {
  answer = says('trade-not-exist');
  expect(await logged()).toEqual([]);
  expect(asked).toBe(1);
});

test('credentials that the gateway refuses are an error that names app and setting, and no key', async () => {
  answer = says('invalid-signature');
  const lines = await logged();
  expect(lines).toEqual([['error', expect.stringMatching(/app shop-1.*GATEWAY_APPS_FILE.*GATEWAY_SECRET_KEY/)]]);
  expect(JSON.stringify(lines)).not.toContain('not-for-logs');
});

test('a gateway that cannot be reached is a warning', async () => {
  // A port that was free a moment ago.
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const address = other.address();
  await new Promise((done) => other.close(done));
  expect(await logged(isAddress(address) ? address.port : 1)).toEqual([
    ['warn', expect.stringMatching(/could not be reached.*base_url/)],
  ]);
});

test('a clock that is hours off is a warning with both times', async () => {
  answer = says('trade-not-exist', { date: new Date(Date.now() - 3 * 3_600_000).toUTCString() });
  expect(await logged()).toEqual([
    ['warn', expect.stringMatching(/clock says \d{4}-.*gateway of app shop-1 says \d{4}-/)],
  ]);
});

test('nothing is asked where GATEWAY_CHECK_AT_START is false', async () => {
  expect(await logged(undefined, false)).toEqual([]);
  expect(asked).toBe(0);
});
