/** Metrics of processes without Temporal's native core. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../package.json';
import { freePort } from '../../src/cli/dev/temporal';
import { metricsOf } from '../../src/contract';
import { type ServedMetrics, serveMetrics } from '../../src/process/metrics/serve';
import { PEERS, peer } from '../../src/process/peers';
import { ConfigError, loadConfig } from '../../src/process/settings';
import { built } from '../harness/built';
import { ROOT } from '../harness/terminal';

let served: ServedMetrics | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

const address = async () => `127.0.0.1:${(await freePort(0)).port}`;

test('a process with METRICS_ADDRESS serves every metric of its own, in seconds, and no other', async () => {
  const METRICS_ADDRESS = await address();
  served = await serveMetrics('webhook', loadConfig({ METRICS_ADDRESS }));
  served?.record('webhookAnswers', 0.004, { status: '200' });
  const text = await (await fetch(`http://${METRICS_ADDRESS}/metrics`)).text();
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, kind]) => [name, kind]);
  expect(types.sort()).toEqual(
    metricsOf('webhook')
      .map(({ name, kind }) => [name, kind])
      .sort(),
  );
  expect(text).toContain('payments_webhook_answer_seconds_bucket{status="200",le="0.002"} 0');
  expect(text).toContain('payments_webhook_answer_seconds_bucket{status="200",le="0.005"} 1');
});

test('a process with METRICS_OTLP_URL pushes its metrics there, the last time at its end', async () => {
  const bodies: Buffer[] = [];
  const collector = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()));
    response.end();
  });
  await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done));
  const { port } = collector.address() as AddressInfo;
  // OpenTelemetry imports Node's http by an import that Jest's sandbox does not have.
  await built();
  const script = `const { serveMetrics } = require(${JSON.stringify(join(ROOT, 'lib/process/metrics/serve'))});
    const METRICS_OTLP_URL = 'http://127.0.0.1:${port}/v1/metrics';
    serveMetrics('codec server', { METRICS_OTLP_URL }).then((served) => served.close());`;
  const pushes: string[] = [];
  for (const _process of ['one', 'another']) {
    await promisify(execFile)(process.execPath, ['-e', script]);
    pushes.push(Buffer.concat(bodies.splice(0)).toString());
  }
  collector.close();
  const [pushed = ''] = pushes;
  // By these a receiver tells two processes apart.
  const instances = pushes.map((text) => /service\.instance\.id\W+([\da-f-]{36})/.exec(text)?.[1]);
  expect(new Set(instances.filter(Boolean)).size).toBe(2);
  for (const { name } of metricsOf('codec server')) expect(pushed).toContain(name);
  expect(pushed).toContain('payments-codec-server');
});

test('a process without either setting measures nothing', async () => {
  expect(await serveMetrics('webhook', loadConfig({}))).toBeUndefined();
});

test('METRICS_ADDRESS and METRICS_OTLP_URL together are refused in words', () => {
  const both = { METRICS_ADDRESS: '127.0.0.1:9464', METRICS_OTLP_URL: 'http://collector:4318/v1/metrics' };
  expect(() => loadConfig(both)).toThrow(/METRICS_ADDRESS and METRICS_OTLP_URL are both set.*keep one/);
});

test('an optional peer that is missing is refused with the command that installs all that the setting needs', async () => {
  const missing = () => Promise.reject(Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' }));
  const isPeer = (name: string) => /^@opentelemetry\/|opentelemetry$/.test(name);
  const declared = Object.entries(manifest.peerDependencies).filter(([name]) => isPeer(name));
  const named = new Set<string>();
  for (const setting of [
    'METRICS_ADDRESS and METRICS_OTLP_URL',
    'OTEL_EXPORTER_OTLP_ENDPOINT and telemetry',
  ] as const) {
    const error: unknown = await peer(setting, missing).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    const [, command = ''] = /npm install (.*)$/.exec(String(error)) ?? [];
    expect(command).toBe(
      Object.entries(PEERS[setting])
        .map((one) => one.join('@'))
        .join(' '),
    );
    for (const one of command.split(' ')) named.add(one);
  }
  expect([...named].sort()).toEqual(declared.map((one) => one.join('@')).sort());
  for (const [name] of declared) expect(manifest.peerDependenciesMeta).toHaveProperty([name, 'optional'], true);
});
