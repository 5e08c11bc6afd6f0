/** Commands of which only the exit code and the output matter, run by one process: most of a command's CPU goes into its start. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { environmentOf, Terminal } from './terminal';

const ENDED = z.object({ code: z.number(), output: z.string(), printed: z.string() });
/** How a command ended, what went to its standard output, and what it printed on both outputs. */
export interface Ended {
  code: number | null;
  output: string;
  printed: string;
}

/** A command in a process of its own, as a person starts it. */
export async function started(cwd: string, env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const command = new Terminal({ cwd, env }, ...args);
  const code = await command.ended;
  return { code, output: command.output, printed: command.printed };
}

/** The process that runs commands in a folder, one after the other: command-runner.cjs says how. It starts with the first. */
export class Commands {
  private runner: ChildProcess | undefined;
  private last: Promise<unknown> = Promise.resolve();
  /** What is printed past the outputs that each command has. */
  private readonly stray = mkdtempSync(join(tmpdir(), 'stray-'));

  constructor(
    private readonly cwd: string,
    /** What its process finds when it starts. Each command has its own. */
    private readonly env: Record<string, string> = {},
  ) {}

  async run(env: Record<string, string>, ...args: string[]): Promise<Ended> {
    const answer = this.last.then(() => this.ask({ args, cwd: this.cwd, env: environmentOf({ ...this.env, ...env }) }));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  /** Ends the process. Throws where a command printed past the outputs that tests look at. */
  async end(): Promise<void> {
    await this.last;
    if (this.runner?.connected) {
      this.runner.disconnect();
      await once(this.runner, 'exit');
    }
    const printed = this.strayText();
    rmSync(this.stray, { recursive: true });
    if (printed !== '') throw new Error(`A command printed this, and no test saw it:\n${printed}`);
  }

  private async ask(what: { args: string[]; cwd: string; env: NodeJS.ProcessEnv }): Promise<Ended> {
    this.runner ??= this.start();
    const given = new AbortController();
    const { signal } = given;
    const died = once(this.runner, 'exit', { signal }).then(() => {
      throw new Error(`The process that runs commands ended at ${what.args.join(' ')}:\n${this.strayText()}`);
    });
    const answer = once(this.runner, 'message', { signal });
    this.runner.send(what);
    const [ended] = await Promise.race([answer, died]).finally(() => given.abort());
    return ENDED.parse(ended);
  }

  private start(): ChildProcess {
    const output = openSync(join(this.stray, 'output'), 'a');
    const runner = fork(join(__dirname, 'command-runner.cjs'), {
      env: environmentOf(this.env),
      stdio: ['ignore', output, output, 'ipc'],
    });
    closeSync(output);
    return runner;
  }

  private strayText(): string {
    return this.runner ? readFileSync(join(this.stray, 'output'), 'utf8') : '';
  }
}
