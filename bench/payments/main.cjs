/**
 * `npm run bench`: the same payments by contestants on one Temporal server with a SQLite file, one simulated gateway and one driver:
 * the floor (workflows/floor.cjs), a workflow as people write it (workflows/by-hand.cjs), and ours without and with encryption; and the
 * same life on DBOS Transact with a PostgreSQL server, where this machine has one.
 * Rounds are interleaved, so that a slow moment of the machine is everybody's. Prints tables, and writes all figures as JSON.
 *
 * BENCH_CONTESTANTS=ours,ours-traced tells what traces cost.
 *
 * BENCH_ROUNDS (5), BENCH_PAYMENTS a round (60), BENCH_IN_FLIGHT (1,10,30,100), BENCH_CONTESTANTS,
 * BENCH_JSON (a file). BENCH_NODE_OPTIONS are for workers and webhooks: `--cpu-prof --cpu-prof-dir=/tmp/prof` writes profiles.
 */
const { writeFile } = require('node:fs/promises');
const { join } = require('node:path');
const { bundleWorkflowCode, DefaultLogger } = require('@temporalio/worker');
const { startSimulator } = require('../../lib/simulator');
const { APPS, DBOS, NAMES, startContestant } = require('./contestants.cjs');
const { spread } = require('./measure.cjs');
const { table } = require('./report.cjs');
const { round, traceOf } = require('./round.cjs');
const { hasPostgres } = require('./postgres.cjs');
const { machine, machineLine, progress, startServer, withParts } = require('./server.cjs');

const { BENCH_ROUNDS = '5', BENCH_PAYMENTS = '60', BENCH_IN_FLIGHT = '1,10,30,100', BENCH_JSON } = process.env;
const ROUNDS = Number(BENCH_ROUNDS);
const PAYMENTS = Number(BENCH_PAYMENTS);
const IN_FLIGHT = BENCH_IN_FLIGHT.split(',').map(Number);
const CONTESTANTS = process.env.BENCH_CONTESTANTS?.split(',') ?? [...NAMES, ...(hasPostgres() ? [DBOS] : [])];
/** With one at a time, a round of all payments would only take longer. */
const PAYMENTS_ONE_BY_ONE = 20;

/** Figures by contestant, each the median of the rounds with its spread. */
async function compare(contestants, world, inFlight) {
  const payments = inFlight === 1 ? Math.min(PAYMENTS, PAYMENTS_ONE_BY_ONE) : Math.max(PAYMENTS, inFlight);
  const rounds = new Map(contestants.map(({ name }) => [name, []]));
  for (let i = 0; i < ROUNDS; i += 1) {
    // Each round begins with another one: who comes first has no advantage.
    const order = contestants.map((_, place) => contestants[(place + i) % contestants.length]);
    for (const contestant of order) {
      const figures = await round(contestant, world, { payments, inFlight });
      rounds.get(contestant.name).push(figures);
      progress(
        `${inFlight} in flight, round ${i + 1}: ${contestant.name} ${figures['payments/s'].toFixed(1)} payments/s`,
      );
    }
  }
  return Object.fromEntries([...rounds].map(([name, all]) => [name, summary(all)]));
}

const summary = (all) =>
  Object.fromEntries(Object.keys(all[0]).map((figure) => [figure, spread(all.map((one) => one[figure]))]));

async function sizes() {
  // The source map at its end is for stacks; the sandbox does not run it.
  const bundled = async (workflowsPath) => {
    const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
    return Buffer.byteLength(code.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
  };
  const ours = await bundled(require.resolve('../../lib/workflows'));
  const empty = await bundled(join(__dirname, 'workflows', 'empty.cjs'));
  return { ours, empty, ratio: ours / empty };
}

async function bench(world, contestants) {
  for (const contestant of contestants) await round(contestant, world, { payments: 10, inFlight: 5 });
  progress('everybody is warm');
  const traces = {};
  for (const contestant of contestants) traces[contestant.name] = await traceOf(contestant, world);
  const figures = {};
  for (const inFlight of IN_FLIGHT) figures[inFlight] = await compare(contestants, world, inFlight);
  for (const { name, start_s } of contestants) traces[name]['start of its worker, s'] = start_s;
  return { traces, figures };
}

function print({ machine: where, traces, figures, bundle }) {
  console.log(machineLine(where));
  console.log(table('One payment, and what it needs', exact(traces)));
  for (const [inFlight, columns] of Object.entries(figures)) console.log(table(`${inFlight} in flight`, columns));
  console.log(
    `Workflow bundle: ${bundle.ours} bytes, ${bundle.ratio.toFixed(2)} × an empty workflow's (${bundle.empty})`,
  );
}

const exact = (traces) =>
  Object.fromEntries(
    Object.entries(traces).map(([name, trace]) => [
      name,
      Object.fromEntries(Object.entries(trace).map(([figure, value]) => [figure, spread([value])])),
    ]),
  );

async function main() {
  const found = { machine: machine(), rounds: ROUNDS, payments: PAYMENTS, bundle: await sizes() };
  if (!CONTESTANTS.includes(DBOS))
    progress('without DBOS Transact: it needs `initdb` and `postgres` of PostgreSQL on PATH');
  await withParts(async (parts) => {
    const server = await startServer();
    parts.push(server.stop);
    const simulator = await startSimulator({ apps: APPS });
    parts.push(() => simulator.close());
    const contestants = [];
    for (const name of CONTESTANTS) {
      const contestant = await startContestant(name, { address: server.address, base_url: simulator.url });
      contestants.push(contestant);
      parts.push(() => contestant.stop());
      progress(`${name} runs`);
    }
    const world = { simulator, temporalGroup: server.processGroup, metricsUrl: server.metricsUrl };
    Object.assign(found, await bench(world, contestants));
  });
  print(found);
  if (BENCH_JSON) await writeFile(BENCH_JSON, `${JSON.stringify(found, null, 2)}\n`);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
