// Programs that a check starts, and ends by their pids. What they print is in a file each.
import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const running = new Set();

/** Starts a program; `stop` ends it, and waits until it is gone. */
export function start(folder, name, file, args, env = {}) {
  const log = join(folder, `${name}.log`);
  const out = openSync(log, 'a');
  // Nothing of the environment reaches it by chance: a setting there would change what is checked.
  const { PATH, HOME } = process.env;
  const child = spawn(file, args, { cwd: folder, env: { PATH, HOME, ...env }, stdio: ['ignore', out, out] });
  let isGone = false;
  const ended = new Promise((resolve) => {
    child.on('error', resolve);
    child.on('close', resolve);
  }).then(() => {
    isGone = true;
    running.delete(program);
  });
  const program = {
    name,
    isGone: () => isGone,
    said: () => readFileSync(log, 'utf8').split('\n').slice(-15).join('\n'),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
  running.add(program);
  return program;
}

export async function stopPrograms() {
  await Promise.all([...running].map((program) => program.stop('SIGKILL')));
}

/** Asks until the answer is truthy. Throws after `seconds`, with what is awaited. */
export async function until(what, ask, { seconds = 180, of } = {}) {
  const begin = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer) return { answer, seconds: Math.round((Date.now() - begin) / 1_000) };
    if (of?.isGone()) throw new Error(`${of.name} has ended before ${what}:\n${of.said()}`);
    if (Date.now() - begin > seconds * 1_000) throw new Error(`after ${seconds} s, not yet: ${what}`);
    await delay(250);
  }
}

export const answers = (url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
