/** A command as a person runs it in a terminal: it prints, it may be stopped by Ctrl-C, it ends with a code. */
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { childEnvironment } from '../../src/cli/dev/temporal/child-environment';

export const ROOT = join(__dirname, '../..');
const COMMAND_LINE = join(ROOT, 'lib/cli/main.js');

/** Where a command runs: a folder, and the settings that it finds there. */
export interface Place {
  cwd: string;
  env: Record<string, string>;
  /** The JavaScript file that runs there; `payment-gateway` where absent. */
  program?: string;
}

/** The environment of a program: these settings, and none of this process's. */
export function environmentOf(settings: Record<string, string>): NodeJS.ProcessEnv {
  const { TEMPORAL_CLI_PATH } = process.env;
  return {
    ...childEnvironment(process.env, /^PIP_/),
    ...(TEMPORAL_CLI_PATH ? { TEMPORAL_CLI_PATH } : {}),
    ...settings,
  };
}

/** A program in a folder, `payment-gateway` where no other is named, with none of this process's settings. */
export class Terminal {
  /** Everything that it printed, on both outputs. */
  printed = '';
  /** What of it went to standard output, for programs. */
  output = '';
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;
  private readonly listeners = new Set<() => void>();
  private hasEnded = false;

  constructor(place: string | Place, ...args: string[]) {
    const { cwd, env, program = COMMAND_LINE }: Place = typeof place === 'string' ? { cwd: place, env: {} } : place;
    this.child = spawn(process.execPath, [program, ...args], {
      cwd,
      env: environmentOf(env),
      // A process group of its own, as a shell gives each command: Ctrl-C goes to all of it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
    for (const output of [this.child.stdout, this.child.stderr]) {
      output.on('data', (chunk: Buffer) => {
        this.printed += chunk.toString();
        for (const listener of [...this.listeners]) listener();
      });
    }
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code) => {
        this.hasEnded = true;
        for (const listener of [...this.listeners]) listener();
        resolve(code);
      });
    });
  }

  /** Waits until it has printed this, and gives what the groups hold. Throws where it ends without. */
  sees(pattern: RegExp): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(this.printed);
        if (!found && !this.hasEnded) return;
        this.listeners.delete(look);
        if (found) resolve(found.slice(1));
        else reject(new Error(`It ended and never printed ${pattern}, but:\n${this.printed}`));
      };
      this.listeners.add(look);
      look();
    });
  }

  /** Ctrl-C. Gives its exit code once it has ended. */
  async interrupt(): Promise<number | null> {
    if (!this.hasEnded) process.kill(-this.pid, 'SIGINT');
    return this.ended;
  }

  /** Ends it in any case: what it started in other process groups ends with it. */
  async kill(): Promise<void> {
    if (!this.hasEnded) process.kill(-this.pid, 'SIGKILL');
    await this.ended;
  }

  /** The ids of its process and of every process that it started, directly or not. */
  async processes(): Promise<number[]> {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
    const table = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
    const family = [this.pid];
    for (const parent of family) for (const [pid, ppid] of table) if (pid && ppid === parent) family.push(pid);
    return family;
  }

  /** The id of its process. */
  get pid(): number {
    if (this.child.pid === undefined) throw new Error('The command could not be started.');
    return this.child.pid;
  }
}
