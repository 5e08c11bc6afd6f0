/** One PostgreSQL server with a folder of its own, for a bench: `initdb` and `postgres` are found on PATH. */
const { execFileSync } = require('node:child_process');
const { chownSync, mkdtempSync, readFileSync, rmSync } = require('node:fs');
const os = require('node:os');
const { join } = require('node:path');
const { setTimeout } = require('node:timers/promises');
const { freePort } = require('../../lib/cli/dev/temporal');
const { supervise } = require('../../lib/cli/dev/temporal/supervise');
const { processes, processOf } = require('../processes.cjs');

/** PostgreSQL refuses to run as root, so root runs it as the user whom its packages make. */
const isRoot = process.getuid() === 0;
const asUser = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];

/** Whether this machine can run one. */
function hasPostgres() {
  try {
    for (const program of ['initdb', 'postgres']) {
      const [file, ...args] = [...asUser, program, '--version'];
      execFileSync(file, args, { stdio: 'ignore' });
    }
    return true;
  } catch {
    return false;
  }
}

/** As it is configured by default: every commit is on the disk before it is answered. Throws where it does not serve. */
async function startPostgres() {
  const folder = mkdtempSync(join(os.tmpdir(), 'bench-postgres-'));
  if (isRoot) chownSync(folder, ...['-u', '-g'].map((which) => Number(execFileSync('id', [which, 'postgres']))));
  const { port } = await freePort(0);
  const data = join(folder, 'data');
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
  const [file, ...args] = [...asUser, 'initdb', '-D', data, '-U', 'bench', '--auth', 'trust'];
  execFileSync(file, args, { cwd: folder, env, stdio: 'ignore' });
  const [first, ...rest] = [...asUser, 'postgres', '-D', data, '-p', String(port)];
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`];
  const server = supervise({ file: first, args: [...rest, ...settings], env });
  const pid = await untilReady(join(data, 'postmaster.pid'), server);
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  };
  return { url: `postgres://bench@127.0.0.1:${port}/bench`, cpu: () => cpuOf(pid), stop };
}

/** Answers with the id of its first process, which it writes to a file whose last line tells its state. */
async function untilReady(pidFile, server) {
  let end;
  server.ended.then((ended) => {
    end = ended;
  });
  for (;;) {
    if (end) throw new Error(`postgres ended with code ${end.code}. It printed:\n${end.output}`);
    const lines = contentOf(pidFile).split('\n');
    if (lines.some((line) => line.trim() === 'ready')) return Number(lines[0]);
    await setTimeout(50);
  }
}

function contentOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Each connection is a process, in a process group of its own. */
const cpuOf = (pid) =>
  processes()
    .filter(({ parent }) => parent === pid)
    .reduce((sum, { cpu_ms }) => sum + cpu_ms, processOf(pid)?.cpu_ms ?? 0);

module.exports = { hasPostgres, startPostgres };
