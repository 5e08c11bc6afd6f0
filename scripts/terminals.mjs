// Commands as people give them, for the scripts that follow a page to its end.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const started = new Set();

/** A command in a terminal of its own; `printed()` is what it has said. */
export const terminalsWith = (env) => (cwd, command) => {
  console.log(`  $ ${command}`);
  const child = spawn('sh', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const listeners = new Set();
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk) => {
      text += chunk;
      for (const look of [...listeners]) look();
    });
  }
  const ended = new Promise((resolve) => child.on('close', resolve));
  const sees = (pattern) =>
    Promise.race([
      new Promise((resolve) => {
        const look = () => pattern.test(text) && resolve(pattern.exec(text));
        listeners.add(look);
        look();
      }),
      ended.then((code) => {
        if (!pattern.test(text)) throw new Error(`${command} ended (${code}) without ${pattern}:\n${text}`);
        return pattern.exec(text);
      }),
    ]);
  const one = { sees, ended, printed: () => text, stop: () => process.kill(-child.pid, 'SIGINT') };
  started.add(one);
  ended.then(() => started.delete(one));
  return one;
};

/** Ctrl-C in every terminal that is still open. */
export async function stopAll() {
  for (const { stop, ended } of started) {
    stop();
    await ended;
  }
}

/** A setting of the stack that runs in `cwd`. */
export function settingIn(cwd, name) {
  const text = readFileSync(join(cwd, '.payments/dev.env'), 'utf8');
  return text.match(new RegExp(`^${name}=(.*)$`, 'm'))?.[1];
}

/** Ctrl-C ends everything: whatever still runs and names `folder` was left behind. */
export function leftBehind(folder) {
  const running = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'args='], { encoding: 'utf8' });
  return running.split('\n').filter((line) => line.includes(folder));
}
