import { spawn } from 'node:child_process';
import { WATCHDOG_PROGRAM, type WatchdogMessage, type WatchdogTask } from './watchdog';

/** How a process ended. */
export interface ProcessEnd {
  code: number | null;
  signal: string | null;
  /** The last lines that it printed. */
  lastLines: string[];
}

export interface SupervisedProcess {
  /** Its process id. */
  readonly pid: number;
  /** Resolves when it has ended, for whatever reason. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends it: SIGTERM, then SIGKILL after `stopMs`. Resolves when it is gone; may be called again. */
  stop(): Promise<void>;
}

const KEPT_LINES = 20;
/** How much longer than `stopMs` the watchdog may take before it is killed together with the server. */
const WATCHDOG_GRACE_MS = 5_000;

/**
 * Runs a program that neither survives this process nor hears the terminal's Ctrl-C (see `watchdog.ts`).
 *
 * @throws Error if the program cannot be run
 */
export async function superviseProcess(task: WatchdogTask): Promise<SupervisedProcess> {
  const watchdog = spawn(process.execPath, ['-e', WATCHDOG_PROGRAM, JSON.stringify(task)], {
    detached: true,
    env: task.env,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  const lines = new LastLines(KEPT_LINES);
  watchdog.stdout?.on('data', (chunk: Buffer) => lines.add(chunk));
  watchdog.stderr?.on('data', (chunk: Buffer) => lines.add(chunk));
  // Closing the lifeline of a watchdog that has just ended is no error.
  watchdog.stdin?.on('error', () => {});

  /** The watchdog leads a process group in which there is only it and the server. */
  const killBoth = () => {
    try {
      if (watchdog.pid !== undefined) process.kill(-watchdog.pid, 'SIGKILL');
    } catch {
      // Already gone, which is what was wanted.
    }
  };

  let end: { code: number | null; signal: string | null } = { code: null, signal: null };
  const ended = new Promise<ProcessEnd>((resolve) => {
    watchdog.on('exit', (_code, signal) => {
      // Somebody killed the watchdog itself; nobody else would end the server then.
      if (signal !== null) killBoth();
    });
    watchdog.on('close', () => resolve({ ...end, lastLines: lines.all() }));
  });
  const pid = await new Promise<number>((resolve, reject) => {
    watchdog.on('message', (message: WatchdogMessage) => {
      if ('pid' in message) resolve(message.pid);
      else if ('error' in message) reject(new Error(`${task.file} cannot be run: ${message.error}`));
      else end = message;
    });
    watchdog.on('error', reject);
    watchdog.on('close', () => reject(new Error(`${task.file} cannot be run: ${lines.all().join(' ')}`)));
  });

  return {
    pid,
    ended,
    async stop() {
      watchdog.stdin?.end();
      const timer = setTimeout(killBoth, task.stopMs + WATCHDOG_GRACE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** The last lines of a stream of bytes. */
class LastLines {
  private readonly lines: string[] = [];
  private rest = '';

  constructor(private readonly count: number) {}

  add(chunk: Buffer): void {
    const parts = (this.rest + chunk.toString()).split('\n');
    this.rest = parts.pop() ?? '';
    this.lines.push(...parts.filter((line) => line.trim() !== ''));
    this.lines.splice(0, Math.max(0, this.lines.length - this.count));
  }

  all(): string[] {
    return this.rest.trim() === '' ? [...this.lines] : [...this.lines, this.rest];
  }
}
