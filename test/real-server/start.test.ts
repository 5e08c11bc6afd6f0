/**
 * What a newcomer does, in order: start everything, pay in the browser, look at it in Temporal UI, pay from a second
 * terminal, stop, start again. Nothing is simulated but the gateway itself.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cp, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transformFile } from '@swc/core';
import { Client } from '@temporalio/client';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import pix from '../../examples/orders/pix.json';
import spei from '../../examples/orders/spei.json';
import { isPortFree } from '../../src/cli/dev/temporal/ports';
import { dataConverter } from '../../src/codec';
import type { PaymentState } from '../../src/contract';
import { withDevSettings } from '../../src/process/dev-settings';
import { loadConfig } from '../../src/process/settings';
import { connectTo } from '../../src/temporal/closed-connection';
import { isAlive } from '../cli/dev/processes';
import { built } from '../harness/built';
import { startChromium } from '../harness/chromium';
import { eventually } from '../harness/eventually';
import { JsonProgram, pythonWith } from '../harness/python';
import { stackFolder } from '../harness/stack-folder';
import { type Place, ROOT, Terminal } from '../harness/terminal';

const order = (name: string) => join(ROOT, 'examples/orders', name);

const folder = mkdtempSync(join(tmpdir(), 'newcomer-'));
const DATA_DIR = join(folder, '.payments');
/** Set it to keep the screenshots. */
const screenshots = process.env.SCREENSHOTS ?? folder;

const terminals: Terminal[] = [];
let stack: Terminal;
let chromium: Browser;
let links: Links;

beforeAll(async () => {
  await built();
  chromium = await startChromium();
  await stackFolder(DATA_DIR);
  stack = startStack();
  links = await linksOf(stack);
});

afterAll(async () => {
  await chromium?.close();
  for (const terminal of terminals.reverse()) await terminal.interrupt();
  rmSync(folder, { recursive: true, force: true });
});

function terminal(cwd: string | Place, ...args: string[]): Terminal {
  const opened = new Terminal(cwd, ...args);
  terminals.push(opened);
  return opened;
}

/** `npm start`, with its state in the test's folder. */
const startStack = () => terminal(ROOT, 'dev', '--data-dir', DATA_DIR);
/** `payment-gateway pay`, in a second terminal in the folder of the stack. */
const pay = (...args: string[]) => terminal(folder, 'pay', ...args);

interface Links {
  buyersPage: string;
  temporalUi: string;
  workflowId: string;
}

async function linksOf(running: Terminal): Promise<Links> {
  await running.sees(/Ctrl-C ends everything/);
  const [buyersPage = ''] = await running.sees(/Buyer's page +(http\S+)/);
  const [temporalUi = ''] = await running.sees(/Temporal UI +(http\S+)/);
  return { buyersPage, temporalUi, workflowId: decodeURIComponent(temporalUi.split('/').at(-1) ?? '') };
}

/** One of the settings that the stack left for other programs. */
async function setting(name: string): Promise<string> {
  const value = withDevSettings({}, DATA_DIR).env[name];
  if (value === undefined) throw new Error(`dev.env lacks ${name}`);
  return value;
}

async function withTemporal<T>(ask: (client: Client) => Promise<T>): Promise<T> {
  const connection = await connectTo({ address: await setting('TEMPORAL_ADDRESS') });
  try {
    const config = loadConfig({ PAYMENTS_ENCRYPTION_KEYS: await setting('PAYMENTS_ENCRYPTION_KEYS') });
    return await ask(new Client({ connection, dataConverter: dataConverter(config) }));
  } finally {
    await connection.close();
  }
}

const stateOf = (workflowId: string) =>
  withTemporal((client) => client.workflow.getHandle(workflowId).query<PaymentState>('state'));
const resultOf = (workflowId: string): Promise<PaymentState> =>
  withTemporal((client) => client.workflow.getHandle(workflowId).result());

async function openPage(url: string): Promise<Page> {
  const page = await chromium.newPage();
  await page.goto(url);
  return page;
}

/** Presses Pay on a buyer's page and waits until the page says that it is paid. */
async function pressPay(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.getByRole('status').getByText('Paid').waitFor();
}

test('the first order is paid when Pay is pressed on the buyer’s page, and the terminal prints that it is paid', async () => {
  const page = await openPage(links.buyersPage);
  expect(await page.getByText('R$ 150,00').isVisible()).toBe(true);
  const qr = await page.getByRole('img', { name: 'QR code' }).locator('svg').boundingBox();
  expect(Math.min(qr?.width ?? 0, qr?.height ?? 0)).toBeGreaterThan(150);
  await page.getByText('For testing').click();
  for (const name of ['Pay', 'Refuse', 'Cancel']) {
    expect(await page.getByRole('button', { name, exact: true }).isVisible()).toBe(true);
  }
  expect(await stateOf(links.workflowId)).toMatchObject({ trade_status: 'PROCESSING', outcome: null });
  expect(stack.printed).not.toContain('is paid');
  await page.screenshot({ path: join(screenshots, 'buyers-page-before.png'), fullPage: true });

  await pressPay(page);
  expect(await page.getByRole('button').count()).toBe(0);
  await page.screenshot({ path: join(screenshots, 'buyers-page-after.png'), fullPage: true });

  expect(await resultOf(links.workflowId)).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query' });
  expect(await stateOf(links.workflowId)).toMatchObject({ trade_status: 'SUCCESS', outcome: 'SUCCESS' });
  await stack.sees(/Order first-\d+ is paid, 150\.00 BRL/);
});

test('a newcomer’s first check finds nothing that fails', async () => {
  const check = terminal(folder, 'check');
  expect([await check.ended, check.printed]).toEqual([0, expect.stringMatching(/retention: .* 30 days.* 0 failed,/s)]);
});

test('the terminal prints the address of the operator’s desk, and the desk lists the first order', async () => {
  const [desk = ''] = await stack.sees(/✓ Operator's desk +(http\S+)/);
  expect(desk).toBe(`${await setting('GATEWAY_BASE_URL')}/simulator/desk`);
  const page = await openPage(desk);
  expect(await page.getByText('first-').first().isVisible()).toBe(true);
});

test('Temporal UI shows the completed payment at the printed link', async () => {
  const page = await openPage(links.temporalUi);
  await page.getByRole('heading', { name: links.workflowId }).waitFor();
  await page.getByText('Completed', { exact: true }).first().waitFor();
  await page.screenshot({ path: join(screenshots, 'temporal-ui.png') });
});

test('Temporal UI shows payloads with masked names, and Temporal itself has them encrypted', async () => {
  const page = await openPage(links.temporalUi);
  const shown = page.getByText('"out_trade_no"').first();
  await shown.waitFor();
  const text = await page.locator('body').innerText();
  expect(text).toContain(links.workflowId.split(':').at(-1));
  expect(text).toMatch(/"name":\s*"\*\*\*"/);
  expect(text).not.toContain(pix.request.customer.name);
  await page.screenshot({ path: join(screenshots, 'temporal-ui-decoded.png') });

  const history = await withTemporal((client) => client.workflow.getHandle(links.workflowId).fetchHistory());
  const kept = JSON.stringify(history).replace(/"data":"([^"]*)"/g, (_, data) =>
    Buffer.from(data, 'base64').toString(),
  );
  expect(kept).not.toContain(pix.request.customer.name);
  expect(kept).not.toContain('"out_trade_no"');
});

test('pay --wait prints the payment data and each state until the outcome', async () => {
  const paying = pay(order('pix.json'), '--wait');
  const [payUrl = ''] = await paying.sees(/pay_url +(http\S+)/);
  await paying.sees(/qr_code +000201/);
  await paying.sees(/Waiting for the outcome.*\n.* PROCESSING {2}\(creation\)/);
  expect(paying.printed).not.toContain('is paid');

  await pressPay(await openPage(payUrl));
  expect(await paying.ended).toBe(0);
  expect(paying.printed).toMatch(/ PROCESSING → SUCCESS {2}\(query\)\nOrder 2026-0001-PIX is paid, 150\.00 BRL/);
});

test('settings and keys are in a file that only its owner can read, and no terminal prints a key', async () => {
  await stack.sees(/✓ settings and keys +\S+dev\.env/);
  expect((await stat(join(DATA_DIR, 'dev.env'))).mode & 0o777).toBe(0o600);
  const sealing = JSON.parse(await setting('PAYMENTS_SEALING_JWKS'));
  const [, encryption = ''] = (await setting('PAYMENTS_ENCRYPTION_KEYS')).split(':');
  for (const secret of [encryption, sealing.keys[0].d, await setting('GATEWAY_SECRET_KEY')]) {
    expect(secret).toMatch(/^\S{40,}$/);
    expect(terminals.filter(({ printed }) => printed.includes(secret))).toEqual([]);
  }
});

test('the commands of the Python README start a payment, and print its outcome when it is paid', async () => {
  const example = join(ROOT, 'clients/python');
  const guide = await readFile(join(example, 'README.md'), 'utf8');
  const [, , [, words = ''] = []] = [...guide.matchAll(/```sh\n(.*?)```/gs)];
  expect(words).toContain('clients/python/examples/merchant.py');
  // What the first words of it make is made here once for all tests: an environment with the packages.
  const environment = dirname(dirname(await pythonWith(join(example, 'requirements.txt'))));
  await cp(example, join(folder, 'clients/python'), { recursive: true, filter: (file) => !file.includes('.venv') });
  await symlink(environment, join(folder, 'clients/python/.venv'));
  await mkdir(join(folder, 'examples/orders'), { recursive: true });
  const request = { ...pix.request, out_trade_no: 'from-python' };
  await writeFile(join(folder, 'examples/orders/pix.json'), JSON.stringify({ kind: 'direct', request }));

  const merchant = new JsonProgram('sh', ['-euc', `cd "$0"\n${words}`, folder], {
    PATH: process.env.PATH,
    PYTHONPATH: join(folder, 'clients/python'),
  });
  try {
    const paid = z.object({ payment_data: z.object({ pay_url: z.string(), qr_code: z.string() }) });
    const { payment_data } = paid.parse(await merchant.next());
    expect(await merchant.next()).toMatchObject({ state: { trade_status: 'PROCESSING', outcome: null } });
    await pressPay(await openPage(payment_data.pay_url));
    expect(await merchant.end()).toMatchObject({
      code: 0,
      printed: [{ result: { outcome: 'SUCCESS', order_amount: '150.00', confirmed_by: 'query' } }],
    });
  } finally {
    await merchant.kill();
  }
});

describe('the programs of the README', () => {
  const shop = join(folder, 'shop');

  beforeAll(async () => {
    // As they lie in a merchant's project: types taken off, and the packages installed beside them.
    await mkdir(join(shop, 'node_modules'), { recursive: true });
    await symlink(ROOT, join(shop, 'node_modules/temporal-payment-gateway'));
    await symlink(join(ROOT, 'node_modules/@temporalio'), join(shop, 'node_modules/@temporalio'));
    await cp(example('workflows.ts'), join(shop, 'workflows.ts'));
    for (const name of ['merchant', 'worker', 'sell']) {
      const { code } = await transformFile(example(`${name}.mts`), {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      });
      await writeFile(join(shop, `${name}.mjs`), code);
    }
  });

  const example = (name: string) => join(ROOT, 'examples/typescript', name);
  const run = (name: string, env: Record<string, string>, ...args: string[]) =>
    terminal({ cwd: folder, env, program: join(shop, `${name}.mjs`) }, ...args);

  test('the merchant’s program pays on the stack of npm start, and a second run with the same number prints the same payment', async () => {
    const merchant = run('merchant', {}, 'from-readme');
    const [payUrl = ''] = await merchant.sees(/The buyer pays here: (http\S+)/);
    await pressPay(await openPage(payUrl));
    expect(await merchant.ended).toBe(0);
    expect(merchant.printed).toMatch(/\nPaid: deliver the tickets\.\n$/);

    const again = run('merchant', {}, 'from-readme');
    expect(await again.ended).toBe(0);
    expect(again.printed).toBe(merchant.printed);
  });

  test('the worker’s program runs the merchant’s own workflow that the program beside it starts, with a payment as its child', async () => {
    run('worker', z.record(z.string(), z.string()).parse(withDevSettings({}, DATA_DIR).env));
    const app_id = await setting('GATEWAY_APP_ID');
    const sells = run('sell', {}, 'of-a-shop');
    const pays = `${await setting('GATEWAY_BASE_URL')}/simulator/trades/of-a-shop/pay`;
    await eventually('the gateway has the order', async () => (await fetch(pays, { method: 'POST' })).ok);
    await sells.sees(/delivered/);
    expect(await sells.ended).toBe(0);
    expect(await resultOf(`payment:${app_id}:of-a-shop`)).toMatchObject({ outcome: 'SUCCESS' });
  });
});

// orders.test.ts has all invalid orders, without a process for each.
test.each(['amount-zero.json', 'boleto-no-zip.json'])(
  'the command pay refuses %s and names the wrong field',
  async (name) => {
    const file = order(join('invalid', name));
    const { expect: expected } = JSON.parse(readFileSync(file, 'utf8'));
    const refused = pay(file);
    expect(await refused.ended).toBe(2);
    for (const field of expected.refused) expect(refused.printed).toMatch(new RegExp(`^ +${field}: .`, 'm'));
    expect(refused.printed).not.toMatch(/\n +at /);
  },
);

test('Ctrl-C ends every process that npm start began, and a second start still has every payment', async () => {
  const unpaid = pay(order('spei.json'));
  expect(await unpaid.ended).toBe(0);
  const [payUrl = ''] = await unpaid.sees(/pay_url +(http\S+)/);
  const workflowId = `payment:${await setting('GATEWAY_APP_ID')}:${spei.request.out_trade_no}`;

  const { ports } = JSON.parse(await readFile(join(DATA_DIR, 'stack.json'), 'utf8'));
  const processes = await stack.processes();
  expect(processes.length).toBeGreaterThan(1);
  expect(await stack.interrupt()).toBe(0);
  expect(processes.filter(isAlive)).toEqual([]);
  for (const port of Object.values<number>(ports)) expect([port, await isPortFree(port)]).toEqual([port, true]);

  const stranger = createServer().listen(ports.ui, '127.0.0.1');
  await once(stranger, 'listening');
  try {
    stack = startStack();
    links = await linksOf(stack);
  } finally {
    stranger.close();
  }
  await stack.sees(new RegExp(`Port ${ports.ui} is taken; ui uses \\d+\\.`));
  const { ports: now } = JSON.parse(await readFile(join(DATA_DIR, 'stack.json'), 'utf8'));
  expect(now).toEqual({ ...ports, ui: expect.any(Number) });
  expect(new URL(links.temporalUi).port).toBe(String(now.ui));
  expect(now.ui).not.toBe(ports.ui);
  await (await openPage(links.temporalUi)).getByRole('heading', { name: links.workflowId }).waitFor();

  expect(await stateOf(workflowId)).toMatchObject({ trade_status: 'PROCESSING', outcome: null });
  await pressPay(await openPage(payUrl));
  expect(await resultOf(workflowId)).toMatchObject({ outcome: 'SUCCESS', order_amount: '2499.50' });
});

test('where Temporal dies, everything that npm start began ends and says why: no worker goes on to another stack', async () => {
  const processes = await stack.processes();
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=,args=', '-p', processes.join(',')]);
  const lines = stdout.split('\n').filter((line) => / server start-dev /.test(line) && !/ -e /.test(line));
  expect(lines).toHaveLength(1);
  process.kill(Number.parseInt(lines[0] ?? '', 10), 'SIGKILL');
  expect(await stack.ended).toBe(2);
  expect(stack.printed).toMatch(/Temporal has ended by itself .*, so all of this stack ends\. .* start it again\./);
  expect(processes.filter(isAlive)).toEqual([]);
});
