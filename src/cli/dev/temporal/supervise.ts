import { spawn } from 'node:child_process';

/**
 * The program of a small process between us and a server. It runs in a separate session, so that Ctrl-C in the terminal
 * reaches only us, and the server goes on until our work with it has ended. It stops the server when its standard input
 * closes: we close it to stop, and the kernel closes it when this process dies in any way, `kill -9` included.
 * Only its owner may read what the server writes.
 * It is text because it must run as plain JavaScript where our sources are TypeScript, as in tests.
 */
const WATCHDOG = `
  const { spawn } = require('node:child_process');
  const [stopMs, file, ...args] = process.argv.slice(1);
  process.umask(0o077);
  const server = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  server.on('error', (error) => { console.error(error.message); process.exit(127); });
  server.on('exit', (code) => process.exit(code ?? 137));
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    server.kill('SIGTERM');
    setTimeout(() => server.kill('SIGKILL'), Number(stopMs));
  };
  process.stdin.on('close', stop).resume();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop);
`;

export interface SupervisedCommand {
  file: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Milliseconds from SIGTERM to SIGKILL; default 10,000. */
  stopMs?: number;
}

/** How a server ended. */
export interface ProcessEnd {
  /** Its exit code: 127 if it could not be run, 137 if a signal ended it. */
  code: number | null;
  /** The end of what it printed. */
  output: string;
}

export interface SupervisedProcess {
  /** The id of the process group that holds the server and its watchdog. */
  readonly processGroup: number;
  /** Resolves when the server has ended, for any reason. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends it and resolves when it is gone. May be called again. */
  stop(): Promise<void>;
}

const KEPT_CHARACTERS = 4_096;
/** How much longer than `stopMs` the watchdog may take before both are killed. */
const WATCHDOG_GRACE_MS = 5_000;

/** Runs a server that does not outlive this process and does not get the terminal's Ctrl-C. */
export function supervise({ file, args, env, stopMs = 10_000 }: SupervisedCommand): SupervisedProcess {
  const watchdog = spawn(process.execPath, ['-e', WATCHDOG, '--', `${stopMs}`, file, ...args], {
    detached: true,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { pid: processGroup } = watchdog;
  if (processGroup === undefined) throw new Error(`${process.execPath} cannot be run, so neither can ${file}.`);
  let output = '';
  for (const stream of [watchdog.stdout, watchdog.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT_CHARACTERS);
    });
  }
  // Closing the input of a watchdog that has just ended is no error.
  watchdog.stdin.on('error', () => {});
  const killBoth = () => {
    try {
      // The watchdog leads a process group that holds only itself and the server.
      process.kill(-processGroup, 'SIGKILL');
    } catch {
      // Both are gone already.
    }
  };
  const ended = new Promise<ProcessEnd>((resolve) => {
    // Somebody killed the watchdog; nothing else would end the server.
    watchdog.on('exit', (_code, signal) => signal !== null && killBoth());
    watchdog.on('close', (code) => resolve({ code, output }));
  });
  return {
    processGroup,
    ended,
    async stop() {
      watchdog.stdin.end();
      const timer = setTimeout(killBoth, stopMs + WATCHDOG_GRACE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
