import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SupervisedCommand, type SupervisedProcess, supervise } from '../../../src/cli/dev/temporal/supervise';
import { eventually } from '../../harness/eventually';
import { FixtureProcess, isAlive } from './processes';

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

/** In place of a server: writes its own process id and its parent's (the watchdog) into `note`, then runs for ever. */
function server(program = '', stopMs = 10_000): SupervisedCommand {
  const script = `
    ${program}
    require('node:fs').writeFileSync(${JSON.stringify(note)}, process.pid + ' ' + process.ppid);
    setInterval(() => {}, 1000);`;
  return { file: process.execPath, args: ['-e', script], env: { PATH: process.env.PATH }, stopMs };
}

function start(command: SupervisedCommand): SupervisedProcess {
  const supervised = supervise(command);
  started.push(supervised);
  return supervised;
}

/** Waits until it runs. */
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
  const supervised = start(server(`console.log('one'); console.error('two');`));
  const { server: pid, watchdog } = await ids();
  expect(supervised.processGroup).toBe(watchdog);
  await Promise.all([supervised.stop(), supervised.stop()]);
  await supervised.stop();
  expect(isAlive(pid)).toBe(false);
  expect(isAlive(watchdog)).toBe(false);
  const end = await supervised.ended;
  expect(end.code).toBe(137);
  expect(end.output.split('\n').sort()).toEqual(['', 'one', 'two']);
});

test('a server that ignores SIGTERM is killed after stopMs', async () => {
  const supervised = start(server(`process.on('SIGTERM', () => {});`, 200));
  const { server: pid } = await ids();
  await supervised.stop();
  expect(isAlive(pid)).toBe(false);
  expect(await supervised.ended).toMatchObject({ code: 137 });
});

test('a server that ends by itself gives its code and its last output', async () => {
  const supervised = start({ ...server(), args: ['-e', `console.log('too many\\n'); process.exit(3)`] });
  expect(await supervised.ended).toEqual({ code: 3, output: 'too many\n\n' });
});

test('a program that cannot be run ends with code 127 and its name', async () => {
  const { ended } = start({ ...server(), file: join(folder, 'nothing') });
  expect(await ended).toEqual({ code: 127, output: expect.stringContaining('nothing ENOENT') });
});

test('kill -9 of the parent leaves neither server nor watchdog', async () => {
  const parent = new FixtureProcess('supervising-parent.ts', server());
  await parent.line();
  const { server: pid, watchdog } = await ids();
  await parent.killHard();
  await eventually('both are gone', () => !isAlive(pid) && !isAlive(watchdog));
});

test('kill -9 of the watchdog ends the server too', async () => {
  const supervised = start(server());
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
