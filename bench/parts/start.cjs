/**
 * Starts: a worker from its process's begin until it polls, and what loading a client costs. Ours takes the bundle that its build has
 * made; "without a bundle" is ours in a package that lacks it. By hand: the SDK bundles at each start, and loads its own client.
 */
const { execFileSync } = require('node:child_process');
const { rename } = require('node:fs/promises');
const { join } = require('node:path');
const { performance } = require('node:perf_hooks');
const { stopped } = require('../payments/children.cjs');
const { environmentOf, started } = require('../payments/contestants.cjs');
const { startServer } = require('../payments/server.cjs');

const LIB = join(__dirname, '../../lib');
const BUNDLES = join(LIB, 'temporal/workflow-bundles');

async function contestants(parts) {
  const server = await startServer();
  parts.push(server.stop);
  const [byHand, ours] = await Promise.all(
    ['by-hand', 'ours'].map((name) => environmentOf(name, server.address, 'http://127.0.0.1:9')),
  );
  return [
    { name: 'by-hand', measure: () => measure('by-hand', byHand, '@temporalio/client') },
    { name: 'ours', measure: () => measure('ours', ours, join(LIB, 'client')) },
    {
      name: 'ours without a bundle',
      measure: () => without(BUNDLES, () => measure('ours', ours, join(LIB, 'client'))),
    },
  ];
}

async function measure(name, env, client) {
  const began = performance.now();
  const worker = await started(name, 'worker', env);
  const seconds = (performance.now() - began) / 1_000;
  await stopped(worker);
  return { 'worker until it polls, s': seconds, ...loading(client) };
}

/** Loads a module in a process of its own: ms, and what the process has in memory more than one that loads nothing. */
function loading(path) {
  const load = `const { rss } = process.memoryUsage(), began = performance.now(); require(${JSON.stringify(path)});
    console.log(JSON.stringify({ ms: performance.now() - began, mb: (process.memoryUsage().rss - rss) / 2 ** 20 }))`;
  const { ms, mb } = JSON.parse(execFileSync(process.execPath, ['-e', load], { cwd: __dirname, encoding: 'utf8' }));
  return { 'loading its client, ms': ms, 'loading its client, MB': mb };
}

/** Runs something while a folder is away. */
async function without(folder, run) {
  await rename(folder, `${folder}.away`);
  try {
    return await run();
  } finally {
    await rename(`${folder}.away`, folder);
  }
}

module.exports = { title: 'Starts', contestants };
