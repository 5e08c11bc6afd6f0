import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SupervisedProcess, superviseProcess } from '../../src/embedded/supervised-process';
import type { WatchdogTask } from '../../src/embedded/watchdog';
import { eventually, FixtureProcess, isAlive } from './processes';

let folder: string;
let note: string;
const started: { stop(): Promise<void> }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervised-'));
  note = join(folder, 'note');
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
  rmSync(folder, { recursive: true, force: true });
});

/** A stand-in for a server: writes its own and its parent's (the watchdog's) process id into `note`, then runs for ever. */
function server(program = '', stopMs = 10_000): WatchdogTask {
  const script = `
    ${program}
    require('node:fs').writeFileSync(${JSON.stringify(note)}, process.pid + ' ' + process.ppid);
    setInterval(() => {}, 1000);`;
  return { file: process.execPath, args: ['-e', script], env: { PATH: process.env.PATH }, stopMs };
}

async function supervise(task: WatchdogTask): Promise<SupervisedProcess> {
  const supervised = await superviseProcess(task);
  started.push(supervised);
  return supervised;
}

/** Waits until the stand-in runs. */
async function ids(): Promise<{ server: number; watchdog: number }> {
  let parts: string[] = [];
  await eventually('the server runs', () => {
    try {
      parts = readFileSync(note, 'utf8').split(' ');
    } catch {
      // Not there yet.
    }
    return parts.length === 2;
  });
  return { server: Number(parts[0]), watchdog: Number(parts[1]) };
}

test('stop ends the server and the watchdog, and may be called again', async () => {
  const supervised = await supervise(server(`console.log('one'); console.error('two');`));
  const { server: pid, watchdog } = await ids();
  expect(supervised.pid).toBe(pid);
  await Promise.all([supervised.stop(), supervised.stop()]);
  await supervised.stop();
  expect(isAlive(pid)).toBe(false);
  expect(isAlive(watchdog)).toBe(false);
  const end = await supervised.ended;
  expect(end.signal).toBe('SIGTERM');
  expect(end.lastLines.sort()).toEqual(['one', 'two']);
});

test('a server that ignores SIGTERM is killed after the bound', async () => {
  const supervised = await supervise(server(`process.on('SIGTERM', () => {});`, 200));
  const { server: pid } = await ids();
  await supervised.stop();
  expect(isAlive(pid)).toBe(false);
  expect(await supervised.ended).toMatchObject({ signal: 'SIGKILL' });
});

test('the end of a server that stops by itself is told, with its last words', async () => {
  const supervised = await supervise({ ...server(), args: ['-e', `console.log('too many\\n'); process.exit(3)`] });
  expect(await supervised.ended).toEqual({ code: 3, signal: null, lastLines: ['too many'] });
});

test('a program that cannot be run is an error', async () => {
  await expect(superviseProcess({ ...server(), file: join(folder, 'nothing') })).rejects.toThrow(
    /nothing cannot be run/,
  );
});

test('kill -9 of the parent leaves neither server nor watchdog', async () => {
  const parent = new FixtureProcess('supervising-parent.ts', server());
  await parent.line();
  const { server: pid, watchdog } = await ids();
  await parent.killHard();
  await eventually('both are gone', () => !isAlive(pid) && !isAlive(watchdog));
});

test('kill -9 of the watchdog takes the server with it', async () => {
  const supervised = await supervise(server());
  const { server: pid, watchdog } = await ids();
  process.kill(watchdog, 'SIGKILL');
  await supervised.ended;
  await eventually('the server is gone', () => !isAlive(pid));
});

test("the terminal's Ctrl-C does not reach the server", async () => {
  const parent = new FixtureProcess('supervising-parent.ts', server(`process.on('SIGINT', () => process.exit(0));`));
  try {
    await parent.line();
    const { server: pid } = await ids();
    // What a terminal does on Ctrl-C: SIGINT to the whole process group.
    const heard = parent.line();
    process.kill(-parent.pid, 'SIGINT');
    expect(await heard).toBe('heard Ctrl-C');
    expect(isAlive(pid)).toBe(true);
  } finally {
    await parent.killHard();
  }
});
