/** Python for tests: an environment with a program's requirements, made once for each list of them, and kept. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { defaultCacheDir } from '../../src/cli/dev/temporal';
import { runCommand } from '../../src/cli/dev/temporal/run-command';
import { discardDraft, draftOf, keepDraft } from './kept-folder';

/** No usable Python, or its packages cannot be had. The message is for people and says what to do. */
export class PythonNotReadyError extends Error {
  override readonly name = 'PythonNotReadyError';
}

/** Packages come over the network, and a slow line is no failure. */
const INSTALL_MS = 10 * 60_000;
const CHECK_MS = 30_000;

/** The path of a Python that has the packages of `requirements` (a `requirements.txt`). Throws PythonNotReadyError. */
export async function pythonWith(requirements: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const run = async (file: string, args: string[], timeoutMs: number, hint: string): Promise<string> => {
    const result = await runCommand(file, args, { env, timeoutMs });
    if (result.ok) return result.output;
    throw new PythonNotReadyError(`${hint} (${result.problem})`);
  };

  const about = await run(
    'python3',
    ['-c', 'import sys; assert sys.version_info >= (3, 10), sys.version; print(sys.executable, sys.version)'],
    CHECK_MS,
    'These tests need Python 3.10 or later as python3: apt-get install python3 python3-venv',
  );
  // Another list or another Python is another environment.
  const key = createHash('sha256')
    .update(about)
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 16);
  const folder = join(defaultCacheDir(env), 'python', key);
  const python = join(folder, 'bin', 'python');
  if (await exists(python)) return python;

  const draft = draftOf(folder);
  try {
    await run(
      'python3',
      ['-m', 'venv', draft],
      INSTALL_MS,
      'Python cannot make a virtual environment: apt-get install python3-venv',
    );
    await run(
      join(draft, 'bin', 'python'),
      ['-m', 'pip', '--disable-pip-version-check', '--no-input', 'install', '--quiet', '-r', requirements],
      INSTALL_MS,
      `pip cannot install ${requirements}; is a package index within reach?`,
    );
    keepDraft(draft, folder);
  } finally {
    discardDraft(draft);
  }
  return python;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** A program that runs: what it prints, its end with what it printed on standard error, and how to end it. */
export interface Running {
  output: Readable;
  ended: Promise<{ code: number | null; complaints: string }>;
  kill: () => void;
}

/** What a program prints that prints JSON, one value a line. */
export class JsonOutput {
  private readonly lines: AsyncIterator<string>;

  constructor(private readonly running: Running) {
    this.lines = createInterface(running.output)[Symbol.asyncIterator]();
  }

  /** The next value that it prints; throws with what it complained of where it ends instead. */
  async next(): Promise<unknown> {
    const { value, done } = await this.lines.next();
    if (!done) return JSON.parse(value);
    const { code, complaints } = await this.running.ended;
    throw new Error(`The program ended with code ${code} and printed nothing more:\n${complaints}`);
  }

  /** Waits for its end. `printed` are the values that nobody has read yet, `complaint` the one on its standard error. */
  async end(): Promise<{ code: number | null; printed: unknown[]; complaint: unknown }> {
    const printed: unknown[] = [];
    for (let line = await this.lines.next(); !line.done; line = await this.lines.next()) {
      printed.push(JSON.parse(line.value));
    }
    const { code, complaints } = await this.running.ended;
    return { code, printed, complaint: complaints === '' ? undefined : asJson(complaints) };
  }

  /** Ends it, whatever it does. */
  async kill(): Promise<void> {
    this.running.kill();
    await this.running.ended;
  }
}

/** A program that prints JSON, in a process of its own. */
export class JsonProgram extends JsonOutput {
  constructor(file: string, args: string[], env: NodeJS.ProcessEnv) {
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let complaints = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaints += chunk.toString();
    });
    const ended = new Promise<{ code: number | null; complaints: string }>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, complaints }));
    });
    super({ output: child.stdout, ended, kill: () => child.kill('SIGKILL') });
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
