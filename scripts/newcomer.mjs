// The newcomer's two paths to a first paid order, in the README's words, timed: `npm run test:newcomer`. With `--cold`, npm has an
// empty cache. What is committed is cloned; the buyer who presses Pay is this program. Fails beyond two minutes, and if Ctrl-C
// leaves something running.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './packed.mjs';
import { leftBehind, settingIn, stopAll, terminalsWith } from './terminals.mjs';

const LIMIT_S = 120;
const folder = mkdtempSync(join(tmpdir(), 'newcomer-'));
const isCold = process.argv.includes('--cold');
const env = { ...process.env, ...(isCold ? { npm_config_cache: join(folder, 'npm-cache') } : {}) };
const terminal = terminalsWith(env);

/** Pays the order that the stack in `cwd` shows, as the buyer's page does, and waits until the stack has said that it is paid. */
async function payFirst(cwd, stack) {
  await stack.sees(/Ctrl-C ends everything/);
  const [number] = await stack.sees(/first-\d+/);
  const gateway = settingIn(cwd, 'GATEWAY_BASE_URL');
  const { ok } = await fetch(`${gateway}/simulator/trades/${number}/pay`, { method: 'POST' });
  if (!ok) throw new Error(`the order ${number} could not be paid`);
  await stack.sees(/ is paid/);
}

const secondsSince = (begin) => Math.round((Date.now() - begin) / 1_000);

/** Runs the commands of a path to a first paid order; the last one stays, and is the stack. */
async function timed(name, cwd, commands) {
  console.log(`${name}:`);
  const begin = Date.now();
  for (const command of commands.slice(0, -1)) {
    const code = await terminal(cwd, command).ended;
    if (code !== 0) throw new Error(`${command} ended with ${code}`);
    console.log(`    ended after ${secondsSince(begin)} s`);
  }
  const stack = terminal(cwd, commands.at(-1));
  await payFirst(cwd, stack);
  const seconds = secondsSince(begin);
  console.log(
    `    paid after ${seconds} s; the load of the machine is ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`,
  );
  stack.stop();
  await stack.ended;
  const left = leftBehind(folder);
  console.log(left.length === 0 ? '    Ctrl-C left nothing running' : `    left running:\n${left.join('\n')}`);
  if (seconds > LIMIT_S || left.length > 0) process.exitCode = 1;
}

try {
  console.log(`Node ${process.version}; npm's cache is ${isCold ? 'cold' : 'warm'}`);
  const clone = join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', root, clone]);
  await timed('from a clone', clone, ['npm ci', 'npm start']);

  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: clone });
  const { version } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
  const shop = join(folder, 'shop');
  mkdirSync(shop);
  writeFileSync(join(shop, 'package.json'), '{ "private": true }');
  await timed('from an empty folder with the package', shop, [
    `npm install ../temporal-payment-gateway-${version}.tgz`,
    'npx payment-gateway dev',
  ]);
} finally {
  await stopAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
