import { randomUUID } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../../process/user-error';
import { connectOnceAsked } from '../../../temporal/closed-connection';
import { childEnvironment } from './child-environment';
import { isListening, isPortFree } from './ports';
import { type ProcessEnd, supervise } from './supervise';
import { guardTemporalUi, hiddenPlace, type Place } from './ui-proxy';

export interface DevServerOptions {
  /** The path of the `temporal` command: see `findTemporal`. */
  binary: string;
  /** The SQLite file with everything; made if missing, with its folder. One server at a time can have it open. */
  dbFile: string;
  /** The address to listen on, such as `127.0.0.1`. */
  host: string;
  port: number;
  uiPort: number;
  /** Made if missing. */
  namespace: string;
  /** Where Temporal UI, in the user's browser, finds a codec server: `http://127.0.0.1:8490`. */
  uiCodecEndpoint?: string;
  /** Where the server serves its metrics; default a free port. */
  metricsPort?: number;
  /** Where the server's HTTP API listens, which refuses everybody; default a free port. */
  httpPort?: number;
  /** How long the server may take until it serves, in milliseconds; default 60,000. */
  startMs?: number;
}

export interface DevServer {
  /** `host:port` for clients and workers. */
  readonly address: string;
  readonly uiUrl: string;
  readonly namespace: string;
  /** The id of the process group that holds the server. */
  readonly processGroup: number;
  /** Resolves when the server has ended, by `stop()` or by itself. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the server and resolves when it is gone. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts Temporal's development server with its UI, and resolves when it serves the namespace. It ends with `stop()` or when
 * this process dies, and does not get the terminal's Ctrl-C, so that workers can finish first. A restart loses nothing.
 * Throws UserError if a port is taken, if another server uses the file, or if it does not serve in time.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { host, port, uiPort, namespace } = options;
  await requireFreePort(port, host);
  await requireFreePort(uiPort, host);
  await mkdir(dirname(options.dbFile), { recursive: true, mode: 0o700 });
  // New files are private (see supervise), but an existing file keeps its mode.
  await chmod(options.dbFile, 0o600).catch(() => {});
  const env = childEnvironment(process.env);
  const ui = await hiddenPlace(uiPort);
  const server = supervise({ file: options.binary, args: serverArguments(options, ui), env });
  const gone = new AbortController();
  let guardClosed: Promise<void>;
  try {
    await Promise.race([
      untilReady(options, ui, gone.signal),
      server.ended.then((end) => Promise.reject(endedEarly(end, options))),
    ]);
    const closeGuard = await guardTemporalUi({ host, port: uiPort }, ui);
    guardClosed = server.ended.then(closeGuard);
  } catch (error) {
    gone.abort();
    await server.stop();
    throw error;
  }
  const stop = () => server.stop().then(() => guardClosed);
  return { ...server, stop, address: `${host}:${port}`, uiUrl: `http://${host}:${uiPort}`, namespace };
}

/** The command line of `temporal`. */
function serverArguments(options: DevServerOptions, ui: Place): string[] {
  return [
    ...['server', 'start-dev', '--ip', options.host, '--port', `${options.port}`],
    ...['--ui-ip', ui.host, '--ui-port', `${ui.port}`],
    ...['--namespace', options.namespace, '--db-filename', options.dbFile],
    // Two servers on one file would take each other's work. This lock refuses the second one, and the system drops it after
    // a crash. With the write-ahead log it is also nearly twice as fast.
    ...['--sqlite-pragma', 'locking_mode=EXCLUSIVE', '--sqlite-pragma', 'journal_mode=WAL'],
    // Its HTTP API would take orders from every page in a browser. We do not need it, so it answers only to a host name that nobody knows.
    ...['--dynamic-config-value', `frontend.httpAllowedHosts=["${randomUUID()}"]`],
    ...(options.httpPort ? ['--http-port', `${options.httpPort}`] : []),
    ...['--log-level', 'warn', '--log-format', 'pretty'],
    ...(options.metricsPort ? ['--metrics-port', `${options.metricsPort}`] : []),
    ...(options.uiCodecEndpoint ? ['--ui-codec-endpoint', options.uiCodecEndpoint] : []),
  ];
}

/** Waits until the server and its UI serve. Throws UserError after `startMs`. */
async function untilReady(options: DevServerOptions, ui: Place, gone: AbortSignal): Promise<void> {
  const { host, port, namespace, startMs = 60_000 } = options;
  const deadline = AbortSignal.any([gone, AbortSignal.timeout(startMs)]);
  try {
    await until(() => isListening(port, host), deadline);
    const connection = connectOnceAsked({ address: `${host}:${port}` });
    const describe = () => connection.workflowService.describeNamespace({ namespace });
    const serves = () => succeeds(() => connection.withDeadline(Date.now() + 1_000, describe));
    await until(serves, deadline).finally(() => connection.close());
    // The UI listens before it has reached the server: a page would show an error for a second.
    const page = `http://${ui.host}:${ui.port}/api/v1/namespaces/${namespace}`;
    await until(() => isServed(page), deadline);
  } catch (error) {
    if (!deadline.aborted) throw error;
    throw new UserError(`Temporal's development server did not serve ${host}:${port} within ${startMs / 1_000} s.`);
  }
}

/** Whether a page is served. A page that was moved, or waits for a server, is not. */
const isServed = (url: string) =>
  succeeds(async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  });

const succeeds = (act: () => Promise<unknown>) =>
  act().then(
    () => true,
    () => false,
  );

async function until(condition: () => Promise<boolean>, deadline: AbortSignal): Promise<void> {
  while (!(await condition())) await delay(25, undefined, { signal: deadline });
}

async function requireFreePort(port: number, host: string): Promise<void> {
  if (await isPortFree(port, host)) return;
  throw new UserError(
    `Port ${port} on ${host} is in use by another program, perhaps by another Temporal server. Stop it or choose another port.`,
  );
}

function endedEarly({ code, output }: ProcessEnd, { dbFile, binary }: DevServerOptions): UserError {
  if (output.includes('database is locked')) {
    return new UserError(`${dbFile} is in use by another development server. Stop it, or choose another file.`);
  }
  return new UserError(`"${binary} server start-dev" ended with code ${code} before it served. It printed:\n${output}`);
}
