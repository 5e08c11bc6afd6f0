/**
 * Loaded into a worker by the benches (`--require`): prints every few seconds what each of its threads keeps after a
 * garbage collection. Needs `--expose-gc`. Workflows live in a thread of their own, with a heap of its own.
 */
const { writeSync } = require('node:fs');
const { threadId } = require('node:worker_threads');

const EVERY_MS = 5_000;

setInterval(() => {
  global.gc();
  const { heapUsed, rss } = process.memoryUsage();
  writeSync(2, `${JSON.stringify({ memory: { thread: threadId, heap: heapUsed, rss } })}\n`);
}, EVERY_MS).unref();
