// Each template of `payment-gateway init` as a merchant uses it: `npm run test:templates`, or with names, `-- express go`. The packed
// package is installed in an empty folder, the commands that init prints are given, an order is sold, paid, delivered and in part given
// back, and the template's own tests run. It needs port 9000, and Python and Go for theirs.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { emptyShop, packInto, root } from './packed.mjs';
import { leftBehind, settingIn, stopAll, terminalsWith } from './terminals.mjs';

/** By template: its own tests and checks. */
const CHECKS = {
  express: ['npm test', 'npm run typecheck'],
  fastify: ['npm test', 'npm run typecheck'],
  next: ['npm test', 'npm run build', 'npm run typecheck'],
  python: ['.venv/bin/python -m unittest'],
  go: ['go vet ./...', 'go test -count=1 ./...'],
};
/** Where a PIX refund goes. */
const bank_info = { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' };
const SHOP = 'http://127.0.0.1:9000';
const MOST_TRIES = 120;

const folder = mkdtempSync(join(tmpdir(), 'templates-'));
const terminal = terminalsWith({ ...process.env, NEXT_TELEMETRY_DISABLED: '1' });

async function ask(path, body) {
  const post = body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(`${SHOP}${path}`, post);
  const text = await response.text();
  return { status: response.status, said: text === '' ? undefined : JSON.parse(text) };
}

function expect(what, found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(found)}`);
  console.log(`    ${what}`);
}

/** Asks every second until the shop shows it: events come when the worker posts them. */
async function untilShown(what, number, wanted) {
  let found;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    found = (await ask('/orders')).said[number];
    if (JSON.stringify(found) === JSON.stringify(wanted)) return console.log(`    ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  throw new Error(`${what}: ${JSON.stringify(found)}`);
}

/** Sells an order, which the buyer pays, and waits until the shop has heard of it. */
async function soldAndPaid(cwd, number) {
  const { said: sold } = await ask('/orders', { number });
  if (!/^0002/.test(sold.qr_code) || !/^http/.test(sold.pay_url)) throw new Error(`not sold: ${JSON.stringify(sold)}`);
  expect('the same order again gets the same answer', (await ask('/orders', { number })).said, sold);
  await fetch(`${settingIn(cwd, 'GATEWAY_BASE_URL')}/simulator/trades/${number}/pay`, { method: 'POST' });
  await untilShown('it hears that it is paid', number, { status: 'deliver', refunded: '0.00' });
}

async function sellAndGiveBack(cwd) {
  const [number, other] = ['part', 'all'].map((of) => `${basename(cwd)}-${of}`);
  await soldAndPaid(cwd, number);
  const part = { number, amount: '30.00', out_request_no: 'r-1', bank_info };
  expect('a part goes back', (await ask('/refunds', part)).said.refund_amount, '30.00');
  await untilShown('it hears of the refund', number, { status: 'deliver', refunded: '30.00' });
  const { status, said } = await ask('/refunds', { number, amount: '120.01', out_request_no: 'r-2' });
  expect('more than is left is refused', [status, said.type], [422, 'OverRefund']);
  await soldAndPaid(cwd, other);
  // Go has no absent text: there, all that is left is asked for by its name.
  const all = { number: other, bank_info, ...(basename(cwd) === 'go' ? { amount: 'all' } : {}) };
  expect('all of an order goes back', (await ask('/refunds', all)).said.refund_amount, '150.00');
  await untilShown('it hears that all went back', other, { status: 'deliver', refunded: '150.00' });
  expect(
    'a request that nobody signed is refused',
    (await ask('/events', { id: 'x', type: 'transition' })).status,
    401,
  );
}

async function runs(name, shop) {
  console.log(`${name}:`);
  const cwd = join(shop.cwd, name);
  const printed = shop.run('npx', 'payment-gateway', 'init', name, '--template', name);
  const [dev, start] = [...printed.matchAll(/^ {2}(.*)$/gm)].map(([, command]) => command);
  const stack = terminal(shop.cwd, dev);
  await stack.sees(/Ctrl-C ends everything/);
  const server = terminal(shop.cwd, start);
  await server.sees(/"port"|listen|Ready in|Uvicorn running/);
  await sellAndGiveBack(cwd);
  for (const check of CHECKS[name]) {
    const command = terminal(cwd, check);
    if ((await command.ended) !== 0) throw new Error(`${check} failed:\n${command.printed()}`);
  }
  for (const one of [server, stack]) {
    one.stop();
    await one.ended;
  }
}

try {
  const shop = emptyShop(folder);
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  shop.install(packInto(folder), `@temporalio/worker@${devDependencies['@temporalio/testing']}`);
  const asked = process.argv.slice(2);
  for (const name of asked.length > 0 ? asked : Object.keys(CHECKS)) await runs(name, shop);
  const left = leftBehind(folder);
  if (left.length > 0) throw new Error(`left running:\n${left.join('\n')}`);
  console.log('every template sells, hears, gives back and passes its tests');
} finally {
  await stopAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
