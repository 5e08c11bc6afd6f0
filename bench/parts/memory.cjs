/**
 * What open payments keep of a worker's memory: BENCH_OPEN (1,000) payments a round that nobody pays, with a cache for all of them, and
 * with one for ten. Heap of all threads after a garbage collection, in KB a payment. Every worker is a new process.
 */
const { startSimulator } = require('../../lib/simulator');
const { APPS, startContestant } = require('../payments/contestants.cjs');
const { ORDER } = require('../payments/round.cjs');
const { startServer } = require('../payments/server.cjs');

const OPEN = Number(process.env.BENCH_OPEN ?? '1000');
const AT_ONCE = 20;
const FEW = 10;
let number = 0;

async function contestants(parts) {
  const server = await startServer();
  parts.push(server.stop);
  const simulator = await startSimulator({ apps: APPS });
  parts.push(() => simulator.close());
  const where = { address: server.address, base_url: simulator.url };
  return ['floor', 'by-hand', 'ours'].map((name) => ({
    name,
    measure: async () => ({
      'cached, KB': await kept(name, where, 2 * OPEN),
      'evicted, KB': await kept(name, where, FEW),
    }),
  }));
}

/** KB that a payment keeps in a worker that caches so many. */
async function kept(name, where, cached) {
  const contestant = await startContestant(name, where, { cached, tellsMemory: true });
  try {
    // What all payments share is loaded by the first ones.
    await open(contestant, FEW);
    const before = await contestant.memory();
    await open(contestant, OPEN);
    return ((await contestant.memory()) - before) / 1_024 / OPEN;
  } finally {
    await contestant.stop();
  }
}

async function open({ name, merchant }, payments) {
  let left = payments;
  const buyer = async () => {
    while (left > 0) {
      left -= 1;
      number += 1;
      await merchant.pay({ ...ORDER, out_trade_no: `${name}-open-${process.pid}-${number}` });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, buyer));
}

module.exports = { title: 'Memory of a worker, an open payment', contestants };
