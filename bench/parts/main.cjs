/**
 * `npm run bench:parts [webhook|client|start|memory …]`: single parts of ours, each beside the least that does the same, in interleaved
 * rounds. Prints tables, and writes all figures as JSON. BENCH_ROUNDS (5), BENCH_JSON (a file); each part says what else it reads.
 */
const { writeFile } = require('node:fs/promises');
const { spread } = require('../payments/measure.cjs');
const { table } = require('../payments/report.cjs');
const { machine, machineLine, progress, withParts } = require('../payments/server.cjs');

const PARTS = {
  webhook: require('./webhook.cjs'),
  client: require('./client.cjs'),
  start: require('./start.cjs'),
  memory: require('./memory.cjs'),
};
const { BENCH_ROUNDS = '5', BENCH_JSON } = process.env;
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS);

/** Each round begins with another contestant: who comes first has no advantage. */
async function inRounds(name, contestants) {
  const rounds = contestants.map(() => []);
  for (let i = 0; i < Number(BENCH_ROUNDS); i += 1) {
    for (let turn = 0; turn < contestants.length; turn += 1) {
      const place = (turn + i) % contestants.length;
      rounds[place].push(await contestants[place].measure());
      progress(`${name}, round ${i + 1}: ${contestants[place].name}`);
    }
  }
  return Object.fromEntries(contestants.map((one, place) => [one.name, summary(rounds[place])]));
}

const summary = (rounds) =>
  Object.fromEntries(Object.keys(rounds[0]).map((figure) => [figure, spread(rounds.map((round) => round[figure]))]));

async function main() {
  const found = { machine: machine(), rounds: Number(BENCH_ROUNDS), parts: {} };
  console.log(machineLine(found.machine));
  for (const name of wanted) {
    const { title, contestants } = PARTS[name];
    found.parts[name] = await withParts(async (parts) => inRounds(name, await contestants(parts)));
    console.log(table(title, found.parts[name]));
  }
  if (BENCH_JSON) await writeFile(BENCH_JSON, `${JSON.stringify(found, null, 2)}\n`);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
