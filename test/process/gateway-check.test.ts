/** What a worker says of its apps at its start: once, and only what is wrong. */
import type { ServerResponse } from 'node:http';
import { checkGateways } from '../../src/process/gateway-check';
import { gateways } from '../gateway/support';

const open = gateways();

const says =
  (sub_code: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ code: '40002', msg: 'Business Failed', sub_code }));
  };

/** What is logged of an app whose gateway is here. */
async function logged({ base_url }: { base_url: string }) {
  const lines: [level: string, sentence: string][] = [];
  await checkGateways(
    {
      apps: [{ app_id: 'shop-1', secret_key: 'not-for-logs', base_url }],
      ...{ GATEWAY_CONNECT_TIMEOUT: 5_000, GATEWAY_ANSWER_TIMEOUT: 15_000 },
    },
    {
      error: (_about, sentence) => void lines.push(['error', sentence]),
      warn: (_about, sentence) => void lines.push(['warn', sentence]),
    },
  );
  return lines;
}

test('a gateway that knows the app and not the order is asked once, and nothing is said', async () => {
  const gateway = await open.http(says('trade-not-exist'));
  expect(await logged(gateway)).toEqual([]);
  expect(gateway.received).toHaveLength(1);
});

test('credentials that the gateway refuses are an error that names app and setting, and no key', async () => {
  const lines = await logged(await open.http(says('invalid-signature')));
  expect(lines).toEqual([['error', expect.stringMatching(/app shop-1.*GATEWAY_APPS_FILE.*GATEWAY_SECRET_KEY/)]]);
  expect(JSON.stringify(lines)).not.toContain('not-for-logs');
});

test('a gateway that cannot be reached is a warning', async () => {
  const said = expect.stringMatching(/could not be reached.*base_url/);
  expect(await logged(await open.nobody())).toEqual([['warn', said]]);
});

test('a clock that is hours off is a warning with both times', async () => {
  const date = new Date(Date.now() - 3 * 3_600_000).toUTCString();
  expect(await logged(await open.http(says('trade-not-exist', { date })))).toEqual([
    ['warn', expect.stringMatching(/clock says \d{4}-.*gateway of app shop-1 says \d{4}-/)],
  ]);
});
