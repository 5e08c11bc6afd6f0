/** Two stacks that start at one moment choose the same free ports, and one of them is late. */
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporal } from '../../../src/cli/dev/temporal';
import { built } from '../../harness/built';
import { until } from '../../harness/runs';
import { stackFolder } from '../../harness/stack-folder';
import { Terminal } from '../../harness/terminal';

let folder: string;
let stack: Terminal | undefined;
const others: Server[] = [];

beforeAll(async () => {
  await built();
  folder = mkdtempSync(join(tmpdir(), 'taken-port-'));
});
afterEach(async () => {
  await stack?.interrupt();
  for (const other of others.splice(0)) other.close();
  for (const file of ['waits', 'go']) rmSync(join(folder, file), { force: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A `temporal` whose server makes a file named `waits`, and starts once there is one named `go`. */
async function temporalThatWaits(): Promise<string> {
  const path = join(folder, 'temporal');
  const wait = `: > '${join(folder, 'waits')}'; until [ -e '${join(folder, 'go')}' ]; do sleep 0.05; done`;
  writeFileSync(path, `#!/bin/sh\nif [ "$1" = server ]; then ${wait}; fi\nexec '${await findTemporal()}' "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

test.each(['temporal', 'webhook'])(
  'a port of dev that another program takes after it was chosen (%s): dev starts again on others',
  async (server) => {
    const dataDir = join(folder, `data-${server}`);
    const ports = await stackFolder(dataDir);
    const env = { TEMPORAL_CLI_PATH: await temporalThatWaits() };
    stack = new Terminal({ cwd: folder, env }, 'dev', '--data-dir', dataDir);
    // Until then, dev itself listens on each port for a moment, to see whether it is free.
    await until(async () => existsSync(join(folder, 'waits')), Boolean);
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
