/** Short Python programs without the half second that each takes to import Temporal's SDK: forks.py has done so once. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { z } from 'zod';
import { JsonOutput, type Running } from './python';

const END = z.object({ code: z.number(), complaints: z.string() });
type End = Awaited<Running['ended']>;

export class PythonForks {
  private constructor(
    private readonly process: ChildProcessByStdio<Writable, Readable, null>,
    private readonly path: string,
  ) {}

  /** Starts the process that they are forks of; `folder` is for its socket, and `modules` has the package that they import. */
  static async start(python: string, folder: string, modules: string): Promise<PythonForks> {
    const path = join(folder, 'forks');
    const process = spawn(python, [join(__dirname, 'forks.py'), path], {
      env: { PATH: globalThis.process.env.PATH, PYTHONPATH: modules, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const died = once(process, 'exit').then(() => {
      throw new Error('forks.py ended before it was ready');
    });
    await Promise.race([once(process.stdout, 'data'), died]);
    died.catch(() => undefined);
    return new PythonForks(process, path);
  }

  /** Runs a program. It has this environment, and prints JSON. */
  run(args: string[], env: NodeJS.ProcessEnv): JsonOutput {
    const socket = createConnection(this.path);
    const output = new PassThrough();
    let last: Buffer | undefined;
    socket.on('data', (chunk: Buffer) => {
      const end = last ? 0 : chunk.indexOf(0);
      if (end < 0) output.write(chunk);
      else if (last) last = Buffer.concat([last, chunk]);
      else {
        last = chunk.subarray(end + 1);
        output.end(chunk.subarray(0, end));
      }
    });
    const ended = new Promise<End>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', () => {
        output.end();
        resolve(last ? END.parse(JSON.parse(last.toString())) : { code: null, complaints: '' });
      });
    });
    socket.write(`${JSON.stringify({ args, env })}\n`);
    return new JsonOutput({ output, ended, kill: () => socket.destroy() });
  }

  /** Ends the process, and with it all that it runs. */
  async end(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.stdin.end();
    await ended;
  }
}
