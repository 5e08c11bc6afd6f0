import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@temporalio/client';
import {
  type DevServer,
  type DevServerOptions,
  findTemporal,
  freePort,
  startDevServer,
} from '../../../src/cli/dev/temporal';
import { isPortFree } from '../../../src/cli/dev/temporal/ports';
import { UserError } from '../../../src/process/user-error';
import { connectTo } from '../../../src/temporal/closed-connection';
import { eventually } from '../../harness/eventually';
import { FixtureProcess, isAlive } from './processes';

let folder: string;
let binary: string;
const running: DevServer[] = [];

beforeAll(async () => {
  binary = await findTemporal();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dev-server-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function options(changes: Partial<DevServerOptions> = {}): Promise<DevServerOptions> {
  const [{ port }, { port: uiPort }] = await Promise.all([freePort(0), freePort(0)]);
  return {
    binary,
    dbFile: join(folder, 'state', 'temporal.db'),
    host: '127.0.0.1',
    port,
    uiPort,
    namespace: 'payments',
    ...changes,
  };
}

async function start(given: DevServerOptions): Promise<DevServer> {
  const server = await startDevServer(given);
  running.push(server);
  return server;
}

async function withClient<T>(server: DevServer, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await connectTo({ address: server.address });
  try {
    return await work(new Client({ connection, namespace: server.namespace }));
  } finally {
    await connection.close();
  }
}

/** Nobody polls the queue: the workflow waits in the server's file. */
const startPayment = (client: Client, workflowId: string) =>
  client.workflow.start('payment', { taskQueue: 'nobody', workflowId });

const statusOf = (server: DevServer, workflowId: string) =>
  withClient(server, async (client) => (await client.workflow.getHandle(workflowId).describe()).status.name);

test('a server serves its API and its UI, and stops', async () => {
  const given = await options();
  const server = await start(given);
  expect(server.address).toBe(`127.0.0.1:${given.port}`);
  expect((await fetch(server.uiUrl)).status).toBe(200);
  await withClient(server, (client) => startPayment(client, 'payment:1'));

  await Promise.all([server.stop(), server.stop()]);
  expect(isAlive(-server.processGroup)).toBe(false);
  expect(await isPortFree(given.port)).toBe(true);
  expect(await isPortFree(given.uiPort)).toBe(true);
  expect(await server.ended).toMatchObject({ code: 0 });
});

test('a page that points its own name at this machine reaches no Temporal UI', async () => {
  const given = await options();
  const server = await start(given);
  await withClient(server, (client) => startPayment(client, 'payment:victim'));
  const ask = (host: string) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const path = `/api/v1/namespaces/${server.namespace}/workflows`;
      get({ host: '127.0.0.1', port: given.uiPort, path, headers: { host } }, async (response) => {
        resolve({ status: response.statusCode, body: await text(response) });
      }).on('error', reject);
    });
  const port = given.uiPort;
  // Temporal lists a workflow a moment after its start: on a busy machine the page came first, and was empty.
  await eventually('listed', async () => (await ask(`127.0.0.1:${port}`)).body.includes('payment:victim'));
  for (const own of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    expect(await ask(own)).toMatchObject({ status: 200, body: expect.stringContaining('payment:victim') });
  }
  for (const foreign of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.evil.example']) {
    expect(await ask(foreign)).toMatchObject({ status: 403, body: expect.not.stringContaining('victim') });
  }
});

test('a page in a browser cannot end a workflow through the server’s HTTP API, by whatever name it calls it', async () => {
  const { port: httpPort } = await freePort(0);
  const server = await start(await options({ httpPort }));
  await withClient(server, (client) => startPayment(client, 'payment:victim'));
  const path = `/api/v1/namespaces/${server.namespace}/workflows/payment:victim/terminate`;
  for (const name of ['evil.example', `127.0.0.1:${httpPort}`, `localhost:${httpPort}`]) {
    const headers = { host: name, origin: 'http://evil.example', 'content-type': 'text/plain' };
    const status = await new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: httpPort, path, method: 'POST', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      });
      asked.on('error', reject).end('{}');
    });
    expect(status).toBe(403);
  }
  expect(await statusOf(server, 'payment:victim')).toBe('RUNNING');
});

test('the files are for their owner alone, also in a folder and of a server from before', async () => {
  const given = await options();
  mkdirSync(join(folder, 'state'), { mode: 0o755 });
  await (await start(given)).stop();
  chmodSync(given.dbFile, 0o644);
  await start(given);
  const modes = readdirSync(join(folder, 'state')).map((name) => statSync(join(folder, 'state', name)).mode & 0o777);
  expect(new Set(modes)).toEqual(new Set([0o600]));
});

test('a restart loses nothing, after a stop and after a crash', async () => {
  const first = await start(await options());
  await withClient(first, (client) => startPayment(client, 'payment:before-stop'));
  await first.stop();

  const second = await start(await options());
  expect(await statusOf(second, 'payment:before-stop')).toBe('RUNNING');
  await withClient(second, (client) => startPayment(client, 'payment:before-crash'));
  process.kill(-second.processGroup, 'SIGKILL');
  expect(await second.ended).toMatchObject({ code: null });

  const third = await start(await options());
  expect(await statusOf(third, 'payment:before-stop')).toBe('RUNNING');
  expect(await statusOf(third, 'payment:before-crash')).toBe('RUNNING');
});

test('a second server on the same file is refused, and the first one goes on', async () => {
  const first = await start(await options());
  await expect(startDevServer(await options())).rejects.toThrow(/temporal\.db is in use by another development server/);
  await withClient(first, (client) => startPayment(client, 'payment:1'));
});

test('a file can get another namespace', async () => {
  await (await start(await options())).stop();
  const server = await start(await options({ namespace: 'other' }));
  await withClient(server, (client) => startPayment(client, 'payment:1'));
});

describe('a server that cannot start', () => {
  const messageOf = async (given: DevServerOptions): Promise<string> => {
    const error: Error = await startDevServer(given).then(
      () => new Error('it started'),
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(UserError);
    expect(error.message).not.toMatch(/\n\s+at /);
    return error.message;
  };

  test.each(['port', 'uiPort'] as const)('a taken %s is named in the error', async (which) => {
    const given = await options();
    const other = createServer().listen(given[which], '127.0.0.1');
    try {
      expect(await messageOf(given)).toMatch(`Port ${given[which]} on 127.0.0.1 is in use by another program`);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  test('an early exit is reported with the server’s output', async () => {
    const dbFile = join(folder, 'notes.txt');
    writeFileSync(dbFile, 'This is not a database. '.repeat(100));
    expect(await messageOf(await options({ dbFile }))).toMatch(
      /ended with code 1 before it served.*file is not a database/s,
    );
  });

  test('a program that does not exist is named in the error', async () => {
    const message = await messageOf(await options({ binary: '/nowhere/temporal' }));
    expect(message).toMatch(/ended with code 127 .*\/nowhere\/temporal ENOENT/s);
  });

  test('a server that does not serve in time is ended', async () => {
    const given = await options({ startMs: 1 });
    expect(await messageOf(given)).toContain('did not serve');
    expect(await isPortFree(given.port)).toBe(true);
  });
});

test('kill -9 of the parent leaves no orphan, and the file can be opened again', async () => {
  const given = await options();
  const parent = new FixtureProcess('dev-server-parent.ts', given);
  const processGroup = Number(await parent.line());
  expect(isAlive(-processGroup)).toBe(true);
  await parent.killHard();
  await eventually('the server is gone', () => !isAlive(-processGroup));
  await start(given);
});
