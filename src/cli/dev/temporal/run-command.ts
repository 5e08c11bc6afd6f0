import { execFile } from 'node:child_process';

export interface CommandResult {
  /** True if it exited by itself with code 0. */
  ok: boolean;
  /** Standard output, then standard error. */
  output: string;
  /** What went wrong, in one line; empty if nothing did. */
  problem: string;
}

/** Runs a command to its end, at most `timeoutMs`. Never rejects: `problem` says what went wrong. */
export function runCommand(
  file: string,
  args: string[],
  { env, timeoutMs }: { env: NodeJS.ProcessEnv; timeoutMs: number },
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 64 * 1_048_576 } as const;
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      const output = stdout + stderr;
      resolve({ ok: error === null, output, problem: error === null ? '' : problemOf(error, file, output, timeoutMs) });
    });
    // Nobody answers here: a command that reads its input would wait without end.
    child.stdin?.end();
  });
}

function problemOf(
  error: { code?: unknown; killed?: boolean; message: string },
  file: string,
  output: string,
  timeoutMs: number,
): string {
  if (error.code === 'ENOENT') return `there is no ${file}`;
  if (error.killed) return `${file} gave no result within ${timeoutMs / 1_000} s`;
  return output.trimEnd().split('\n').at(-1)?.trim() || `${file} failed (${error.code ?? error.message})`;
}
