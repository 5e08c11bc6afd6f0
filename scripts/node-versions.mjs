// Installs the packed package in an empty folder under each version of Node, and uses it there. `node scripts/node-versions.mjs 22`
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const versions = process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24'];
const folder = mkdtempSync(join(tmpdir(), 'node-versions-'));
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

/** What the backend of a merchant loads must bring no native code along. */
const CLIENT = `
  const { PaymentsClient } = require('temporal-payment-gateway/client');
  const native = Object.keys(require.cache).filter((file) => file.includes('core-bridge') || file.endsWith('.node'));
  if (typeof PaymentsClient !== 'function' || native.length > 0) throw new Error('native code: ' + native);`;

/** A payment on the simulated Temporal: bundle, sandbox and workflows. */
const PAYMENT = `
  const { simulate } = require('temporal-payment-gateway/testing');
  (async () => {
    const { payments, gateway, close } = await simulate();
    gateway.statusAt = (age) => (age > 60_000 ? 'SUCCESS' : 'PROCESSING');
    const price = { method: 'PIX', order_currency: 'BRL', order_amount: '150.00', timeout_express: '90m' };
    const buyer = { buyer_id: 'b', customer: { name: 'Mariana Souza Lima' } };
    const { qr_code } = await payments.pay({ out_trade_no: '1', subject: 'Tickets', ...price, ...buyer });
    const { outcome } = await payments.outcome('1');
    await close();
    if (!qr_code || outcome !== 'SUCCESS') throw new Error('not paid: ' + outcome);
    process.exit(0);
  })();`;

/** The folder of `node` in this version, from the package registry. */
function nodeOf(version) {
  const place = join(folder, `node-${version}`);
  execFileSync('npm', ['install', '--prefix', place, ...QUIET, `node@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return dirname(join(place, 'node_modules/node/bin/node'));
}

function tried(version, tarball) {
  const bin = nodeOf(version);
  const cwd = mkdtempSync(join(folder, 'shop-'));
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const run = (file, ...args) =>
    execFileSync(file, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }');
  const name = run('node', '--version').trim();
  run('npm', 'install', ...QUIET, tarball);
  run('npx', 'temporal-payment-gateway', 'init');
  run(join(root, 'node_modules/.bin/tsc'), '-p', '.');
  run('node', '-e', CLIENT);
  run('node', '-e', "if (!require('temporal-payment-gateway').PaymentGatewayPlugin) throw new Error();");
  run('node', '-e', PAYMENT);
  return `${name}: installs, init, types, /client without native code, the worker's code, a simulated payment`;
}

try {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  const tarball = join(folder, JSON.parse(packed.toString())[0].filename);
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  console.log(`package.json asks for Node ${engines.node}`);
  for (const version of versions) console.log(tried(version, tarball));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
