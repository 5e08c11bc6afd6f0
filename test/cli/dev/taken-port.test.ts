/** Two stacks that start at one moment choose the same free ports, and one of them is late. */
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporal } from '../../../src/cli/dev/temporal';
import { built } from '../../harness/built';
import { stackFolder } from '../../harness/stack-folder';
import { Terminal } from '../../harness/terminal';

let folder: string;
let stack: Terminal | undefined;
const others: Server[] = [];

beforeAll(async () => {
  await built();
  folder = mkdtempSync(join(tmpdir(), 'taken-port-'));
});
afterAll(async () => {
  await stack?.interrupt();
  for (const other of others) other.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A `temporal` whose server starts once there is a file named `go`. */
async function temporalThatWaits(): Promise<string> {
  const path = join(folder, 'temporal');
  const wait = `[ "$1" = server ] && until [ -e '${join(folder, 'go')}' ]; do sleep 0.05; done`;
  writeFileSync(path, `#!/bin/sh\n${wait}\nexec '${await findTemporal()}' "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

test.each(['temporal', 'webhook'])(
  'a port of dev that another program takes after it was chosen (%s): dev starts again on others',
  async (server) => {
    rmSync(join(folder, 'go'), { force: true });
    const dataDir = join(folder, `data-${server}`);
    const ports = await stackFolder(dataDir);
    const env = { TEMPORAL_CLI_PATH: await temporalThatWaits() };
    stack = new Terminal({ cwd: folder, env }, 'dev', '--data-dir', dataDir);
    await stack.sees(/Starting Temporal's development server/);
    const port = ports[server];
    const other = createServer().listen(port, '127.0.0.1');
    others.push(other);
    await once(other, 'listening');
    writeFileSync(join(folder, 'go'), '');

    await stack.sees(/Another program has taken a port meanwhile; starting again\./);
    await stack.sees(new RegExp(`Port ${port} is taken; ${server} uses \\d+\\.`));
    await stack.sees(/Ctrl-C ends everything/);
    expect(readFileSync(join(dataDir, 'dev.env'), 'utf8')).not.toMatch(new RegExp(`:${port}\\b`));
    expect(await stack.interrupt()).toBe(0);
  },
);
