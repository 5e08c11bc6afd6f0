import { spawn } from 'node:child_process';

export interface CommandOptions {
  env: NodeJS.ProcessEnv;
  /** The command is killed after this long, in milliseconds. */
  timeoutMs: number;
  /** Kills the command earlier, once `progress` (any number that grows while there is progress) stands still. */
  stall?: { afterMs: number; progress: () => Promise<number> };
}

export interface CommandResult {
  /** True if it exited by itself with code 0. */
  ok: boolean;
  /** Standard output and error together, in the order in which they came; only the end of a very long one. */
  output: string;
  /** What went wrong, in one line for people; empty if nothing did. */
  problem: string;
}

const KEPT_OUTPUT = 64 * 1024;
const STALL_CHECK_MS = 250;

/**
 * Runs a command to its end, bounded in time. Never rejects: whatever goes wrong is told in `problem`, because each
 * caller has another way to try.
 */
export function runCommand(file: string, args: string[], options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { env: options.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let killedBecause = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);

    const kill = (reason: string) => {
      killedBecause ||= reason;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => kill(`gave no result within ${seconds(options.timeoutMs)}`), options.timeoutMs);
    const stopWatching = options.stall ? watchForStall(options.stall, kill) : () => {};

    const finish = (ok: boolean, problem: string) => {
      clearTimeout(timer);
      stopWatching();
      resolve({ ok, output, problem });
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      finish(false, error.code === 'ENOENT' ? `there is no ${file}` : `${file} cannot be run: ${error.message}`);
    });
    child.on('close', (code, signal) => {
      if (code === 0) finish(true, '');
      else finish(false, killedBecause || lastLine(output) || `${file} ended with ${signal ?? `code ${code}`}`);
    });
  });
}

/** Calls `onStall` when progress has stood still for too long; returns how to stop watching. */
function watchForStall(stall: NonNullable<CommandOptions['stall']>, onStall: (reason: string) => void): () => void {
  let furthest = -1;
  let since = Date.now();
  const timer = setInterval(async () => {
    const now = await stall.progress().catch(() => furthest);
    if (now > furthest) {
      furthest = now;
      since = Date.now();
    } else if (Date.now() - since >= stall.afterMs) {
      onStall(`made no progress for ${seconds(stall.afterMs)}`);
    }
  }, STALL_CHECK_MS);
  return () => clearInterval(timer);
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
