/** One Temporal server with a SQLite file of its own, for a bench. */
const { mkdtemp, rm } = require('node:fs/promises');
const os = require('node:os');
const { join } = require('node:path');
const { Connection } = require('@temporalio/client');
const { findTemporal, freePort, startDevServer } = require('../../lib/cli/dev/temporal');
const { registerSearchAttributes } = require('../../lib/temporal/search-attributes');

/** What a bench tells while it runs: its figures go to standard output. */
const progress = (text) => process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);

async function startServer() {
  const folder = await mkdtemp(join(os.tmpdir(), 'bench-'));
  const [{ port }, { port: uiPort }, { port: metricsPort }] = await Promise.all([0, 0, 0].map((any) => freePort(any)));
  const dbFile = join(folder, 'temporal.sqlite');
  const ports = { port, uiPort, metricsPort };
  const binary = await findTemporal();
  const server = await startDevServer({ binary, dbFile, host: '127.0.0.1', ...ports, namespace: 'default' });
  const connection = await Connection.connect({ address: server.address });
  await registerSearchAttributes(connection, 'default');
  await connection.close();
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
  return { ...server, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`, stop };
}

/** Runs a bench, and ends what it started, the last first: `parts` takes what ends each. */
async function withParts(run) {
  const parts = [];
  try {
    return await run(parts);
  } finally {
    for (const stop of parts.reverse()) await stop();
  }
}

/** The machine that the figures are of. */
const machine = () => ({
  cpu: `${os.cpus().length} × ${os.cpus()[0]?.model}`,
  memory_gb: Math.round(os.totalmem() / 2 ** 30),
  load_before: os.loadavg().map((one) => Number(one.toFixed(1))),
  node: process.version,
  at: new Date().toISOString(),
});

const machineLine = ({ cpu, memory_gb, node, load_before }) =>
  `${cpu}, ${memory_gb} GB, Node ${node}, load before: ${load_before.join(' ')}\n`;

module.exports = { machine, machineLine, progress, startServer, withParts };
