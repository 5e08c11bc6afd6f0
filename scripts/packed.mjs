// The package as merchants get it, for the commands that install it in empty folders: packed, and used there.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

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

/** The tarball of a fresh build, in `folder`. */
export function packInto(folder) {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const packed = execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  return join(folder, JSON.parse(packed.toString())[0].filename);
}

/** An empty folder of a merchant's in `parent`; `bin` is a folder with another Node. */
export function emptyShop(parent, bin) {
  const cwd = mkdtempSync(join(parent, 'shop-'));
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }');
  const env = bin ? { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` } : process.env;
  const run = (file, ...args) =>
    execFileSync(file, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return { cwd, run, install: (...packages) => run('npm', 'install', ...QUIET, ...packages) };
}

/** Uses the package that is installed with the SDK's worker and test tools: throws where one way of it fails. */
export function useAll({ run }) {
  run('npx', 'temporal-payment-gateway', 'init');
  run(join(root, 'node_modules/.bin/tsc'), '-p', '.');
  run('node', '-e', CLIENT);
  run('node', '-e', "if (!require('temporal-payment-gateway').PaymentGatewayPlugin) throw new Error();");
  run('node', '-e', PAYMENT);
  return "init, types, /client without native code, the worker's code, a simulated payment";
}
