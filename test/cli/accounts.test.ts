/** `payment-gateway accounts …` with a stack: what it prints, for people and for programs, and its exit codes. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { built } from '../harness/built';
import { Commands, type Ended, started } from '../harness/commands';

const folder = mkdtempSync(join(tmpdir(), 'accounts-'));

let stack: Stack;
let settings: Record<string, string>;
beforeAll(async () => {
  await built();
  stack = await startStack({ env: { PAYMENTS_ACCOUNTS_LOW: '5' } });
  // What a caller needs: no gateway key, no address of the gateway.
  settings = {
    TEMPORAL_ADDRESS: stack.temporal.address,
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
    GATEWAY_APP_ID: APP.app_id,
    PAYMENTS_TASK_QUEUE: stack.taskQueue,
  };
});
afterAll(async () => {
  await commands.end();
  await stack?.close();
  rmSync(folder, { recursive: true });
});

const commands = new Commands(folder);
/** Runs a command to its end in the process that runs them all, and looks at its exit code. */
const accounts = async (code: number, ...args: string[]) =>
  endedWith(code, await commands.run(settings, 'accounts', ...args));
/** The same in a process of its own. */
const start = async (code: number, ...args: string[]) =>
  endedWith(code, await started(folder, settings, 'accounts', ...args));

function endedWith(code: number, ended: Ended): Ended {
  expect(ended).toMatchObject({ code });
  expect(ended.printed).not.toMatch(/^ +at /m);
  return ended;
}

/** Runs a command of the operator's, to its good end. */
const operator = async (...args: string[]) => endedWith(0, await commands.run(settings, ...args));

/** Types the first `resolve` of a page, with what the person writes in the place of capitals. */
async function asThePageSays(page: string, written: Record<string, string>): Promise<Ended> {
  const [, command = ''] = /payment-gateway (resolve .*)/.exec(page) ?? [];
  return operator(...command.split(' ').map((word) => written[word] ?? word));
}

const json = async (...args: string[]) => JSON.parse((await accounts(0, ...args, '--json')).output);

function requestFile(changes: object = {}): string {
  const path = join(folder, `${randomUUID()}.json`);
  const customer = {
    buyer_id: `buyer-${randomUUID()}`,
    email: 'sofia@example.com',
    name: 'Sofía Hernández',
    identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
    ...changes,
  };
  writeFileSync(path, JSON.stringify({ customer }));
  return path;
}

/** A new account, and its buyer. */
async function open(): Promise<{ account_id: string; account_number: string }> {
  return (await json('create', requestFile())).account;
}

/** Deposits one after the other, and returns when they are counted and listed, which visibility is a little behind with. */
async function deposit(account_id: string, ...amounts: string[]) {
  const trades = [];
  const { accounts: client } = stack.payments;
  const listed = async () =>
    (await client.deposits(account_id, { pageSize: 100 })).deposits.filter(({ outcome }) => outcome !== null);
  for (const amount of amounts) {
    trades.push(await stack.simulator.deposit(account_id, amount));
    while ((await client.get(account_id)).deposits.count < trades.length) await delay(50);
  }
  while ((await listed()).length < amounts.length) await delay(100);
  return trades;
}

describe('create', () => {
  test('prints the account with its CLABE, and the same account for the same file', async () => {
    const file = requestFile();
    const first = await start(0, 'create', file);
    expect(first.output).toMatch(
      /^The account is there\.\n {2}account_id +\w+\n {2}account_number +\d{18}\n {2}provider +STP\n {2}status +ACTIVE\n/,
    );
    expect((await accounts(0, 'create', file)).output).toBe(first.output);
    expect((await accounts(0, 'create', file, '--key', randomUUID())).output).not.toBe(first.output);
  });

  test('--json prints one line for programs, and nothing else', async () => {
    const { output, printed } = await accounts(0, 'create', requestFile(), '--json');
    expect(JSON.parse(output)).toEqual({
      account: expect.objectContaining({ account_number: expect.stringMatching(/^\d{18}$/), status: 'ACTIVE' }),
    });
    expect(printed).toBe(output);
  });

  test.each([
    ['a wrong e-mail', start, () => requestFile({ email: 'a+b@example.com' }), /customer\.email: /],
    ['no file', accounts, () => join(folder, 'none.json'), /none\.json cannot be read \(ENOENT\)/],
  ])('%s ends with 2 and says what is wrong, and no account is made', async (_, how, file, said) => {
    const before = stack.simulator.accounts().length;
    const { printed, output } = await how(2, 'create', file());
    expect(printed).toMatch(said);
    expect(output).toBe('');
    expect(stack.simulator.accounts()).toHaveLength(before);
  });

  test('ends with 1 and the gateway’s code if no account is left', async () => {
    stack.simulator.configure({ accountPool: 0 });
    const { printed } = await start(1, 'create', requestFile());
    stack.simulator.configure({ accountPool: 1000 });
    expect(printed).toMatch(/account-pool-run-out/);
  });
});

describe('show, also as get', () => {
  test('prints the account and its sums', async () => {
    const { account_id, account_number } = await open();
    expect((await accounts(0, 'show', account_id)).output).toMatch(/^ {2}0 deposits, nothing yet$/m);
    await deposit(account_id, '100.10', '23.35');
    const { output } = await accounts(0, 'get', account_id);
    expect(output).toMatch(new RegExp(`^ {2}account_number +${account_number}$`, 'm'));
    expect(output).toMatch(/^ {2}2 deposits, 123\.45 MXN$/m);
    expect(output).not.toMatch(/person/);
  });

  test('names deposits that are not counted, with amount and reason', async () => {
    const counting = await open();
    const [trade] = await deposit(counting.account_id, '8.00');
    const { out_trade_no } = trade ?? {};
    // Another account is told of a deposit that the first one has counted.
    const { account_id } = await open();
    const told = { app_id: APP.app_id, out_trade_no, trade_status: 'SUCCESS', amount: '8.00', currency: 'MXN' };
    await stack.client.workflow.getHandle(`spei-account:${APP.app_id}:${account_id}`).signal('deposit', told);
    const { accounts: client } = stack.payments;
    const isAside = () =>
      client.get(account_id).then(
        ({ deposits }) => deposits.set_aside.length > 0,
        () => false,
      );
    while (!(await isAside())) await delay(50);
    const { output } = await accounts(0, 'show', account_id);
    expect(output).toContain(`  Not counted: ${trade?.out_trade_no}, notified with 8.00 MXN (old-deposit)\n`);
    const workflowId = `spei-account:${APP.app_id}:${account_id}`;
    expect(output).toContain(`  It needs a person: old-deposit. What to do: payment-gateway show ${workflowId}\n`);

    const page = (await operator('show', workflowId)).output;
    expect(page).toContain('Needs a person: old-deposit. A deposit was notified that may be counted already');
    await asThePageSays(page, { YOU: 'ana', WHY: 'counted' });
    expect(await client.get(account_id)).toMatchObject({ attention: null });
  });

  test('a creation whose answer was lost is listed, explained, and goes on with the account that a person names', async () => {
    stack.simulator.addFault({ on: 'account-create', fault: '5xx-after' });
    const buyer_id = `buyer-${randomUUID()}`;
    await start(3, 'create', requestFile({ buyer_id }));
    const query = "PaymentAttention = 'unknown-outcome'";
    while ((await stack.client.workflow.count(query)).count === 0) await delay(50);
    const [row = ''] = (await operator('list', '--attention', '--query', query, '--json')).output.split('\n');
    const { workflow_id: workflowId } = JSON.parse(row);
    const page = (await operator('show', workflowId)).output;
    expect(page).toContain('nobody knows whether the gateway made the account');
    const made = stack.simulator.accounts().find((one) => one.buyer_id === buyer_id);
    await asThePageSays(page, { YOU: 'ana', WHY: 'seen', ACCOUNT_ID: `${made?.account_id}` });
    expect((await json('create', requestFile({ buyer_id }))).account).toMatchObject({ account_id: made?.account_id });
  });

  test('ends with 1 for an account that no workflow follows', async () => {
    expect((await accounts(1, 'show', 'nobody')).printed).toContain('Temporal has no virtual account nobody');
  });
});

test('deposits prints a line for each with exact amounts, the latest first, page after page', async () => {
  const { account_id } = await open();
  expect((await accounts(0, 'deposits', account_id)).output).toBe('No deposits are listed.\n');
  // One more than a page has.
  const amounts = ['99999999999999.99', '0.01', '12.10', ...Array.from({ length: 18 }, (_, i) => `${i + 1}.00`)];
  const trades = await deposit(account_id, ...amounts);
  const { output } = await accounts(0, 'deposits', account_id);
  const lines = output.trimEnd().split('\n');
  expect(lines).toHaveLength(21);
  for (const [i, amount] of amounts.entries())
    expect(output).toMatch(new RegExp(`^\\d{4}-\\S+Z {2}${trades[i]?.out_trade_no} {2}${amount} MXN {2}SUCCESS$`, 'm'));
  const times = lines.map((line) => line.split(' ')[0]);
  expect(times).toEqual([...times].sort().reverse());
  const listed = (await start(0, 'deposits', account_id, '--json')).output.trimEnd().split('\n');
  expect(listed.map((line) => JSON.parse(line).deposit.amount).sort()).toEqual([...amounts].sort());
});

test('cancel prints the canceled account, also when repeated, and ends with 1 for an unknown account', async () => {
  const { account_id } = await open();
  for (let i = 0; i < 2; i += 1)
    expect((await accounts(0, 'cancel', account_id)).output).toMatch(/^ {2}status +CANCELED$/m);
  expect(stack.simulator.account(account_id)).toMatchObject({ status: 'CANCELED' });
  expect((await json('recheck', account_id)).state).toMatchObject({ status: 'CANCELED' });
  expect((await accounts(1, 'cancel', 'nobody')).printed).toContain('Temporal has no virtual account');
});

test('quantity prints how many accounts are left, and warns if they are few', async () => {
  const left = stack.simulator.availableAccounts(APP.app_id);
  expect((await accounts(0, 'quantity')).output).toBe(`${left} virtual accounts are left.\n`);
  stack.simulator.configure({ accountPool: stack.simulator.accounts().length + 4 });
  expect((await accounts(0, 'quantity')).output).toBe(
    '4 virtual accounts are left. These are few: below 5 (PAYMENTS_ACCOUNTS_LOW).\n',
  );
  expect(await json('quantity')).toEqual({
    quantity: expect.objectContaining({ available_quantity: 4, low: 5, attention: 'few-accounts' }),
  });
});
