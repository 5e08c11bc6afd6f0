/**
 * Plays random stories in a hostile world, on every core: `npm run hostile` those of a payment, `npm run hostile:refunds` those
 * after a sale, `npm run hostile:accounts` those of virtual accounts. HOSTILE_RUNS is how many in all (20,000), HOSTILE_SEED the
 * seed of the first batch (random); the others count on from it. A batch is a process of its own, because a process that has
 * played many stories grows slow. A failing story prints how to play it again.
 */
const { spawn } = require('node:child_process');
const { randomInt } = require('node:crypto');
const { availableParallelism } = require('node:os');

const BATCH = 500;
const { HOSTILE_WORLD = 'payment', HOSTILE_RUNS = '20000', HOSTILE_SEED = String(randomInt(1_000_000)) } = process.env;
const wanted = Number(HOSTILE_RUNS);
const batches = Array.from({ length: Math.ceil(wanted / BATCH) }, (_, index) => ({
  seed: Number(HOSTILE_SEED) + index,
  runs: Math.min(BATCH, wanted - index * BATCH),
}));
const began = Date.now();
const minutes = () => `${((Date.now() - began) / 60_000).toFixed(1)} minutes`;
let played = 0;
const failed = [];

/** Plays the stories of one seed. */
function play({ seed, runs }) {
  const stories = [`test/workflows/${HOSTILE_WORLD}/hostile/hostile.test.ts`, '-t', 'random stories'];
  const env = { ...process.env, HOSTILE_RUNS: String(runs), HOSTILE_SEED: String(seed) };
  const child = spawn('npx', ['jest', '-i', ...stories], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      played += runs;
      if (code !== 0) failed.push(seed);
      console.log(`seed ${seed}: ${code === 0 ? 'kept' : 'a story FAILED'}; ${played} of ${wanted}, ${minutes()}`);
      if (code !== 0) console.log(output);
      resolve();
    });
  });
}

async function playOn() {
  for (let batch = batches.shift(); batch; batch = batches.shift()) await play(batch);
}

const cores = availableParallelism();
console.log(`${wanted} stories on ${cores} cores, from seed ${HOSTILE_SEED} on, ${BATCH} of each seed`);
Promise.all(Array.from({ length: cores }, playOn)).then(() => {
  if (failed.length === 0) return console.log(`${wanted} stories passed in ${minutes()}`);
  console.log(`promises were broken with the seeds ${failed.join(', ')}`);
  process.exitCode = 1;
});
