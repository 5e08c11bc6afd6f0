/** Processes of contestants. */
const { fork } = require('node:child_process');
const { once } = require('node:events');
const { join } = require('node:path');

/** Starts a file of this folder; resolves once it tells that it runs. Its environment is `env`, PATH and HOME, nothing else. */
async function forked(file, args, { env, stdio = ['ignore', 'inherit', 'inherit', 'ipc'], execArgv = [] }) {
  const { PATH, HOME, BENCH_NODE_OPTIONS = '' } = process.env;
  const child = fork(join(__dirname, file), args, {
    env: { PATH, HOME, ...env },
    execArgv: [...BENCH_NODE_OPTIONS.split(' ').filter(Boolean), ...execArgv],
    stdio,
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ${args.join(' ')} ended with ${code}`))),
  ]);
  return child;
}

/** It exits by itself, so that a profile is written. */
async function stopped(child) {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

module.exports = { forked, stopped };
