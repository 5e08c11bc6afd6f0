/**
 * Plays random stories of payments in the hostile world, on every core: `npm run hostile`. HOSTILE_RUNS is how many in all
 * (20,000), HOSTILE_SEED the seed of the first core (random); the others count on from it. A failing story prints how to
 * play it again.
 */
const { spawn } = require('node:child_process');
const { randomInt } = require('node:crypto');
const { availableParallelism } = require('node:os');

const { HOSTILE_RUNS = '20000', HOSTILE_SEED = String(randomInt(1_000_000)) } = process.env;
const cores = availableParallelism();
const runs = Math.ceil(Number(HOSTILE_RUNS) / cores);
const began = Date.now();
const minutes = () => `${((Date.now() - began) / 60_000).toFixed(1)} minutes`;

/** Resolves to whether every story of this seed kept the promises. */
function play(seed) {
  const stories = ['test/workflows/payment/hostile/hostile.test.ts', '-t', 'random stories'];
  const env = { ...process.env, HOSTILE_RUNS: String(runs), HOSTILE_SEED: String(seed) };
  const child = spawn('npx', ['jest', '-i', ...stories], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const isKept = code === 0;
      console.log(`seed ${seed}: ${isKept ? `${runs} stories passed` : 'a story FAILED'} in ${minutes()}`);
      if (!isKept) console.log(output);
      resolve(isKept);
    });
  });
}

const seeds = Array.from({ length: cores }, (_, core) => Number(HOSTILE_SEED) + core);
console.log(`${runs} stories on each of ${cores} cores, seeds ${seeds.join(', ')}`);
Promise.all(seeds.map(play)).then((kept) => {
  if (kept.every(Boolean)) console.log(`${runs * cores} stories passed in ${minutes()}`);
  else process.exitCode = 1;
});
