import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Runs a fixture in a Node process (and process group) of its own, with one JSON argument. */
export class FixtureProcess {
  readonly child: ChildProcess;
  private readonly lines: Interface;

  constructor(fixture: string, argument: unknown) {
    const folder = join(__dirname, 'fixtures');
    const args = ['-r', join(folder, 'typescript.cjs'), join(folder, fixture), JSON.stringify(argument)];
    this.child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    if (!this.child.stdout) throw new Error('no output to read');
    this.lines = createInterface(this.child.stdout);
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('not started');
    return this.child.pid;
  }

  /** The next line that it prints. */
  async line(): Promise<string> {
    const [line] = await once(this.lines, 'line');
    return line;
  }

  async killHard(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
