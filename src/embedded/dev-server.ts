import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { childEnvironment } from './child-environment';
import { isListening, isPortFree } from './ports';
import { type ProcessEnd, superviseProcess } from './supervised-process';

export interface DevServerOptions {
  /** The path of the `temporal` command (`resolveBinary('temporal-cli', …)`). */
  binary: string;
  /** The SQLite file that holds everything; made if missing, with its folder. One server at a time can have it open. */
  dbFile: string;
  /** The address to listen on, such as `127.0.0.1`. */
  host: string;
  port: number;
  uiPort: number;
  /** Made if missing. */
  namespace: string;
  /** Where Temporal UI (in the user's browser) finds a codec server, such as `http://127.0.0.1:8081`. */
  uiCodecEndpoint?: string;
  /** Progress, in sentences for people. */
  log?: (line: string) => void;
  /** How long the server may take to serve, in milliseconds; default 30 000. */
  startMs?: number;
  /** How long the server may take to stop by itself, in milliseconds; default 10 000. */
  stopMs?: number;
  env?: NodeJS.ProcessEnv;
}

export interface DevServer {
  /** `host:port` for clients and workers. */
  readonly address: string;
  readonly uiUrl: string;
  readonly namespace: string;
  /** The server's own process id. */
  readonly pid: number;
  /** Resolves when the server has ended, be it by `stop()` or by itself. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends exactly this server and resolves when it is gone. May be called again. */
  stop(): Promise<void>;
}

/** The development server did not start. The message is for people and says what can be done. */
export class DevServerError extends Error {
  override readonly name = 'DevServerError';
}

/**
 * Starts Temporal's development server with its UI on a SQLite file, so that a restart loses nothing, and resolves when it
 * serves the namespace. The server ends with `stop()`, or when this process dies; it does
 * not hear the terminal's Ctrl-C, so that workers can finish first.
 *
 * @throws DevServerError if it cannot start: a port is taken, the file is in use by another server, it ended early
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { host, port, uiPort, namespace, log = () => {} } = options;
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host;
  await demandFreePort(port, host);
  await demandFreePort(uiPort, host);
  await mkdir(dirname(options.dbFile), { recursive: true });

  log(`Starting Temporal's development server on ${host}:${port} ...`);
  const server = await superviseProcess({
    file: options.binary,
    args: serverArguments(options),
    env: childEnvironment(options.env ?? process.env),
    stopMs: options.stopMs ?? 10_000,
  }).catch((error: Error) => {
    throw new DevServerError(error.message);
  });

  const address = `${reachable}:${port}`;
  const gone = new AbortController();
  try {
    await Promise.race([
      makeReady(address, reachable, gone.signal, options),
      server.ended.then((end) => Promise.reject(endedEarly(end, options))),
    ]);
  } catch (error) {
    gone.abort();
    await server.stop();
    throw error;
  }
  const uiUrl = `http://${reachable}:${uiPort}`;
  return { address, uiUrl, namespace, pid: server.pid, ended: server.ended, stop: () => server.stop() };
}

/** The command line of `temporal`. */
function serverArguments(options: DevServerOptions): string[] {
  return [
    ...['server', 'start-dev', '--ip', options.host, '--port', `${options.port}`, '--ui-port', `${options.uiPort}`],
    ...['--namespace', options.namespace, '--db-filename', options.dbFile],
    // Two servers on one file would both start and take each other's work. This lock refuses the second one, and since the
    // operating system holds it, a crash leaves nothing to clean up. With the write-ahead log it is also nearly twice as fast.
    ...['--sqlite-pragma', 'locking_mode=EXCLUSIVE', '--sqlite-pragma', 'journal_mode=WAL'],
    ...['--log-level', 'warn', '--log-format', 'pretty'],
    ...(options.uiCodecEndpoint ? ['--ui-codec-endpoint', options.uiCodecEndpoint] : []),
  ];
}

/** Waits until the server and its UI serve. */
async function makeReady(address: string, host: string, gone: AbortSignal, options: DevServerOptions): Promise<void> {
  const patience = AbortSignal.any([gone, AbortSignal.timeout(options.startMs ?? 30_000)]);
  try {
    await until(() => isListening(options.port, host), patience);
    // Each call has an end of its own: one that were still being repeated when the connection is closed would throw from afar.
    const connection = Connection.lazy({ address });
    const { namespace } = options;
    const describe = () => connection.workflowService.describeNamespace({ namespace });
    try {
      await until(
        () =>
          connection.withDeadline(Date.now() + 1_000, describe).then(
            () => true,
            () => false,
          ),
        patience,
      );
    } finally {
      await connection.close();
    }
    await until(() => isListening(options.uiPort, host), patience);
  } catch (error) {
    if (!patience.aborted) throw error;
    throw new DevServerError(`Temporal's development server did not serve ${address} in time.`);
  }
}

/** Asks until the answer is yes. */
async function until(condition: () => Promise<boolean>, patience: AbortSignal): Promise<void> {
  while (!(await condition())) await delay(25, undefined, { signal: patience });
}

async function demandFreePort(port: number, host: string): Promise<void> {
  if (await isPortFree(port, host)) return;
  throw new DevServerError(
    `Port ${port} on ${host} is in use by another program, perhaps by another Temporal server. Stop that one or choose another port.`,
  );
}

function endedEarly(end: ProcessEnd, { dbFile, binary }: DevServerOptions): DevServerError {
  const printed = end.lastLines.join('\n');
  if (printed.includes('database is locked')) {
    return new DevServerError(
      `${dbFile} is in use by another development server. Stop that one, or choose another file.`,
    );
  }
  return new DevServerError(
    [
      `"${binary} server start-dev" ended (${end.signal ?? `code ${end.code}`}) before it served. It said:`,
      printed,
    ].join('\n'),
  );
}
