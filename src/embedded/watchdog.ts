/**
 * The program of the small process that stands between us and a server of ours, and outlives neither.
 *
 * It runs in a session of its own, so that Ctrl-C in the terminal reaches only us and the server goes on until we have
 * ended our work with it. What ties it to us is its standard input: we close it to stop the server, and the kernel closes
 * it when this process dies in whatever way, `kill -9` included. Both take the same path, so the stop that is used every day
 * is also the one that cleans up after a crash.
 *
 * It is text, not a module, because it has to run as plain JavaScript also where our sources are TypeScript (tests).
 * Run with `node -e`, it takes one JSON argument (`WatchdogTask`) and sends `WatchdogMessage`s over IPC.
 */
export const WATCHDOG_PROGRAM = `
  const { spawn } = require('node:child_process');
  const { file, args, env, stopMs } = JSON.parse(process.argv[1]);
  const tell = (message, then = () => {}) => (process.connected ? process.send(message, then) : then());

  const server = spawn(file, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  server.on('spawn', () => tell({ pid: server.pid }));
  server.on('error', (error) => tell({ error: error.message }, () => process.exit(1)));
  server.on('exit', (code, signal) => tell({ code, signal }, () => process.exit(0)));

  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    server.kill('SIGTERM');
    setTimeout(() => server.kill('SIGKILL'), stopMs);
  };
  process.stdin.on('close', stop).resume();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop);
`;

export interface WatchdogTask {
  file: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Milliseconds from SIGTERM to SIGKILL. */
  stopMs: number;
}

/** The server's process id once it runs; or why it could not be run; or how it ended. */
export type WatchdogMessage = { pid: number } | { error: string } | { code: number | null; signal: string | null };
