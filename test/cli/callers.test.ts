/**
 * What a merchant's backend and people type with a stack: `payment-gateway accounts …`, `refund` and `pay`. What they print, for
 * people and for programs, and their exit codes. One stack for all, and one process for the commands; of each family one is
 * started as a person does.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { built } from '../harness/built';
import { Commands, type Ended, started } from '../harness/commands';
import { eventually } from '../harness/eventually';
import { publishedOrder } from '../harness/orders';
import { afterSaleOf, sold, USER } from '../harness/sold';
import { ROOT, Terminal } from '../harness/terminal';

const folder = mkdtempSync(join(tmpdir(), 'caller-'));

let stack: Stack;
let settings: Record<string, string>;
beforeAll(async () => {
  await built();
  // Notifications tell what becomes of a trade: those that nobody pays would be polled for as long as some tests wait.
  const slow = { PAYMENTS_POLL_SCHEDULE: '1h', PAYMENTS_POLL_EVERY: '1h' };
  stack = await startStack({
    env: { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true', PAYMENTS_ACCOUNTS_LOW: '5', ...slow },
    simulator: { refundTakes: '1s' },
  });
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

function withoutStack(ended: Ended): Ended {
  expect(ended.printed).not.toMatch(/^ +at /m);
  return ended;
}

describe('accounts', () => {
  /** Runs a command to its end in the process that runs them all, and looks at its exit code. */
  const accounts = async (code: number, ...args: string[]) =>
    endedWith(code, await commands.run(settings, 'accounts', ...args));
  /** The same in a process of its own. */
  const start = async (code: number, ...args: string[]) =>
    endedWith(code, await started(folder, settings, 'accounts', ...args));

  function endedWith(code: number, ended: Ended): Ended {
    expect([ended.code, ended.code === code ? '' : ended.printed]).toEqual([code, '']);
    return withoutStack(ended);
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
        /^The account is there \(app test-app\)\.\n {2}account_id +\w+\n {2}account_number +\d{18}\n {2}provider +STP\n {2}status +ACTIVE\n/,
      );
      expect((await accounts(0, 'create', file)).output).toBe(first.output);
      expect((await accounts(0, 'create', file, '--key', randomUUID())).output).not.toBe(first.output);
    });

    test.each([
      ['a wrong e-mail', () => requestFile({ email: 'a+b@example.com' }), /customer\.email: /],
      ['no file', () => join(folder, 'none.json'), /none\.json cannot be read \(ENOENT\)/],
    ])('%s ends with 2 and says what is wrong, and no account is made', async (_, file, said) => {
      const before = stack.simulator.accounts().length;
      const { printed, output } = await accounts(2, 'create', file());
      expect(printed).toMatch(said);
      expect(output).toBe('');
      expect(stack.simulator.accounts()).toHaveLength(before);
    });

    test('ends with 1 and the gateway’s code if no account is left', async () => {
      stack.simulator.configure({ accountPool: 0 });
      const { printed } = await accounts(1, 'create', requestFile());
      stack.simulator.configure({ accountPool: 1000 });
      expect(printed).toMatch(/account-pool-run-out/);
    });
  });

  describe('show', () => {
    test('prints the account and its sums', async () => {
      const { account_id, account_number } = await open();
      expect((await accounts(0, 'show', account_id)).output).toMatch(/^ {2}0 deposits, nothing yet$/m);
      await deposit(account_id, '100.10', '23.35');
      const { output } = await accounts(0, 'show', account_id);
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
      const line = `Not counted: ${trade?.out_trade_no}, notified with 8.00 MXN (old-deposit)\n`;
      expect((await accounts(0, 'deposits', account_id)).output).toBe(line);
      expect(output).toContain(`  It needs a person: old-deposit. What to do: payment-gateway show ${workflowId}\n`);

      const page = (await operator('show', workflowId)).output;
      expect(page).toContain('Needs a person: old-deposit. A deposit was notified that may be counted already');
      await asThePageSays(page, { YOU: 'ana', WHY: 'counted' });
      expect(await client.get(account_id)).toMatchObject({ attention: null });
    });

    test('a creation whose answer was lost is listed, explained, and goes on with the account that a person names', async () => {
      stack.simulator.addFault({ on: 'account-create', fault: '5xx-after' });
      const buyer_id = `buyer-${randomUUID()}`;
      await accounts(3, 'create', requestFile({ buyer_id }));
      const query = "PaymentAttention = 'unknown-outcome'";
      // It comes many seconds after the command has ended.
      while ((await stack.client.workflow.count(query)).count === 0) await delay(500);
      const [row = ''] = (await operator('list', '--attention', '--query', query, '--json')).output.split('\n');
      const { workflow_id: workflowId } = JSON.parse(row);
      const page = (await operator('show', workflowId)).output;
      expect(page).toContain('nobody knows whether the gateway made the account');
      // By the key alone as well: it is all that the merchant has.
      const [, , ...key] = String(workflowId).split(':');
      expect((await operator('show', key.join(':'))).output).toContain(
        'nobody knows whether the gateway made the account',
      );
      const made = stack.simulator.accounts().find((one) => one.buyer_id === buyer_id);
      await asThePageSays(page, { YOU: 'ana', WHY: 'seen', ACCOUNT_ID: `${made?.account_id}` });
      expect((await json('create', requestFile({ buyer_id }))).account).toMatchObject({ account_id: made?.account_id });
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
      expect(output).toMatch(
        new RegExp(`^\\d{4}-\\S+Z {2}${trades[i]?.out_trade_no} {2}${amount} MXN {2}counted$`, 'm'),
      );
    const times = lines.map((line) => line.split(' ')[0]);
    expect(times).toEqual([...times].sort().reverse());
    const listed = (await accounts(0, 'deposits', account_id, '--json')).output.trimEnd().split('\n');
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
    expect((await accounts(0, 'quantity')).output).toBe(`${left} virtual accounts of app ${APP.app_id} are left.\n`);
    stack.simulator.configure({ accountPool: stack.simulator.accounts().length + 4 });
    expect((await accounts(0, 'quantity')).output).toBe(
      '4 virtual accounts of app test-app are left. These are few: below 5 (PAYMENTS_ACCOUNTS_LOW).\n',
    );
    expect(await json('quantity')).toEqual({
      quantity: expect.objectContaining({ available_quantity: 4, low: 5, attention: 'few-accounts' }),
    });
  });
});

describe('refund', () => {
  const EXAMPLE = join(ROOT, 'examples/refunds/pix.json');
  /** In the process that runs them all. */
  const refund = async (...args: string[]) => withoutStack(await commands.run(settings, 'refund', ...args));
  /** In a process of its own. */
  const start = async (...args: string[]) => withoutStack(await started(folder, settings, 'refund', ...args));

  const refundsOf = (out_trade_no: string) => stack.simulator.refunds({ out_trade_no });

  test('a refund without an amount refunds all that was paid; a repetition prints the same and refunds nothing', async () => {
    const { out_trade_no, order_amount } = await sold(stack, 'credit-card');
    const first = await start(out_trade_no, '--json');
    expect(first).toMatchObject({ code: 0, printed: first.output });
    expect(JSON.parse(first.output)).toEqual({
      refund: expect.objectContaining({
        out_trade_no,
        refund_amount: order_amount,
        refund_status: 'REFUND_PROCESSING',
        out_request_no: refundsOf(out_trade_no)[0]?.out_request_no,
      }),
    });
    expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({ refunded_amount: order_amount });
    expect(await refund(out_trade_no, '--json')).toEqual(first);
    expect(refundsOf(out_trade_no)).toHaveLength(1);
  });

  test('a partial refund is printed for people; a refund of more than is left ends with 2 and says what is left', async () => {
    const { out_trade_no, order_amount } = await sold(stack, 'credit-card');
    const part = await refund(out_trade_no, '--amount', '50.00', '--number', 'part-1', '--reason', 'one was scratched');
    expect(part.code).toBe(0);
    expect(part.output).toMatch(/^ {2}out_request_no +part-1$.*^ {2}refund_status +REFUND_PROCESSING$/ms);
    // It would be another refund, for all that anybody knows.
    const unnumbered = await refund(out_trade_no, '--amount', '50.00');
    expect(unnumbered).toMatchObject({ code: 2, output: '' });
    expect(unnumbered.printed).toMatch(/A part needs --number.* it may be another one\./);
    const odd = await refund(out_trade_no, '--amount', '50,00', '--number', 'a-number-of-17-ch');
    expect(odd).toMatchObject({ code: 2, output: '' });
    expect(odd.printed).toMatch(/ --amount: .*; --number: text of at most 16 characters/);
    const more = await refund(out_trade_no, '--amount', order_amount, '--number', 'part-2');
    expect(more).toMatchObject({ code: 2, output: '' });
    expect(more.printed).toContain(`${order_amount} is more than the 849.70 that is left of ${order_amount} BRL`);
    const other = await refund(out_trade_no, '--amount', '40.00', '--number', 'part-1');
    expect(other).toMatchObject({ code: 1, output: '' });
    expect(other.printed).toContain('refund_amount');
    expect(refundsOf(out_trade_no)).toMatchObject([{ out_request_no: 'part-1', refund_amount: '50.00' }]);
  });

  test('missing data of the buyer is named, and can come from a file', async () => {
    const { out_trade_no } = await sold(stack, 'pix');
    const asked = await refund(out_trade_no);
    expect(asked).toMatchObject({ code: 2, output: '' });
    expect(asked.printed).toMatch(
      /user_info\.email.*[^.]\. Give the buyer’s data in a file: --with FILE, such as examples\/refunds\/pix\.json/s,
    );
    const example = await refund(out_trade_no, '--amount', '30.00', '--number', 'part', '--with', EXAMPLE);
    expect(example.code).toBe(0);
    const file = join(folder, `${randomUUID()}.json`);
    writeFileSync(file, JSON.stringify({ user_info: USER, bank_info: { bank_id: '341', number: '123456-7' } }));
    const given = await refund(out_trade_no, '--amount', '20.00', '--number', 'rest', '--with', file);
    expect(given.code).toBe(0);
    expect(given.output).toMatch(/REFUND_PROCESSING/);
    expect(given.printed).not.toContain(USER.email);
  });

  test('a refund of an unpaid order ends with 1, and nothing is sent', async () => {
    const order = publishedOrder('pix');
    await stack.payments.pay(order);
    const { code, printed } = await refund(order.out_trade_no);
    expect(code).toBe(1);
    expect(printed).toContain('A trade that is PROCESSING cannot be refunded');
    expect(stack.simulator.requests({ path: '/trade/refund', out_trade_no: order.out_trade_no })).toEqual([]);
  });

  test('a refund of an order that nobody has ends with 1 and says so', async () => {
    const out_trade_no = `nobody-${randomUUID()}`;
    const { code, output } = await refund(out_trade_no, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      error: { type: 'NotFound', out_trade_no, message: expect.stringContaining(out_trade_no) },
    });
  });
});

describe('pay', () => {
  /** A file with a published order under a number of its own. */
  function orderFile(name: string, changes: Record<string, unknown> = {}) {
    const request = { ...publishedOrder(name), ...changes };
    const path = join(folder, `${randomUUID()}.json`);
    writeFileSync(path, JSON.stringify({ kind: 'trade_type' in request ? 'checkout' : 'direct', request }));
    return { path, out_trade_no: request.out_trade_no };
  }

  /** In the process that runs them all. */
  const run = (env: Record<string, string>, ...args: string[]) => commands.run(env, 'pay', ...args);
  /** In a process of its own. */
  const pay = (env: Record<string, string>, ...args: string[]) => new Terminal({ cwd: folder, env }, 'pay', ...args);
  const lines = ({ output }: Pick<Ended, 'output'>) =>
    output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('an amount written as a number keeps all its digits', async () => {
    const order = orderFile('pix', { order_amount: '99999999999999.99' });
    writeFileSync(order.path, readFileSync(order.path, 'utf8').replace('"99999999999999.99"', '99999999999999.99'));
    expect(await run(settings, order.path)).toMatchObject({ code: 0 });
    expect(stack.simulator.trade(order.out_trade_no)).toMatchObject({ order_amount: '99999999999999.99' });
    expect(await stack.payments.state(order.out_trade_no)).toMatchObject({ order_amount: '99999999999999.99' });
  });

  test('the same file twice prints the same and makes one trade', async () => {
    const order = orderFile('pix');
    // At one moment: both are starts of their own.
    const [first, again] = [pay(settings, order.path, '--json'), pay(settings, order.path, '--json')];
    expect([await first.ended, await again.ended]).toEqual([0, 0]);
    expect(again.output).toBe(first.output);
    expect(stack.simulator.trades({ out_trade_no: order.out_trade_no })).toHaveLength(1);
  });

  test('--wait --json prints each transition and the state, and ends with 0 for a paid order', async () => {
    const order = orderFile('pix');
    const paying = pay(settings, order.path, '--wait', '--json');
    await paying.sees(/"payment_data"/);
    await stack.simulator.pay(order.out_trade_no);
    expect(await paying.ended).toBe(0);
    expect(lines(paying)).toEqual([
      { payment_data: expect.anything() },
      { transition: expect.objectContaining({ to: 'PROCESSING', source: 'creation' }) },
      { transition: expect.objectContaining({ from: 'PROCESSING', to: 'SUCCESS', source: 'query' }) },
      { state: expect.objectContaining({ outcome: 'SUCCESS', order_amount: '150.00' }) },
    ]);
  });

  test('--wait ends with 1 for an order that is not paid', async () => {
    const order = orderFile('pix');
    const paying = pay(settings, order.path, '--wait');
    await paying.sees(/Waiting for the outcome/);
    await stack.simulator.act(order.out_trade_no, 'cancel');
    expect(await paying.ended).toBe(1);
    expect(paying.output).toContain(`Order ${order.out_trade_no} was canceled, 150.00 BRL`);
  });

  test('an order that is over is shown as that, and not as one to pay', async () => {
    const order = orderFile('pix');
    await run(settings, order.path);
    await stack.simulator.act(order.out_trade_no, 'cancel');
    await stack.payments.outcome(order.out_trade_no);
    const again = await run(settings, order.path);
    expect(again).toMatchObject({ code: 1, output: expect.stringContaining(') is over.') });
    expect(again.output).toContain('was canceled, 150.00 BRL');
    expect(again.output).not.toContain('qr_code');
  });

  test('an order that the gateway refuses ends with 1', async () => {
    const refused = await run(settings, orderFile('pix', { subject: 'tickets [sim:bank-refusal]' }).path);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('was refused') });
  });

  test('--wait ends with 3 for an order that is paid late, until a person has decided', async () => {
    const order = orderFile('pix');
    expect(await run(settings, order.path)).toMatchObject({ code: 0 });
    const cancel = ['--outcome', 'CANCEL', '--by', 'ana', '--reason', 'the buyer called'];
    expect(await commands.run(settings, 'resolve', order.out_trade_no, ...cancel)).toMatchObject({ code: 0 });
    await stack.simulator.pay(order.out_trade_no);
    const isLate = async () => (await stack.payments.state(order.out_trade_no)).attention === 'late-payment';
    await eventually('a person is asked', isLate);
    expect(await run(settings, order.path, '--wait')).toMatchObject({ code: 3 });
    const seen = ['--by', 'ana', '--reason', 'delivered'];
    expect(await commands.run(settings, 'resolve', order.out_trade_no, ...seen)).toMatchObject({ code: 0 });
    expect(await run(settings, order.path, '--wait')).toMatchObject({ code: 0 });
  });

  test('another order under the same number ends with 1 and names the fields', async () => {
    const order = orderFile('pix');
    expect(await run(settings, order.path)).toMatchObject({ code: 0 });
    const other = orderFile('pix', { out_trade_no: order.out_trade_no, order_amount: '9876.54' });
    const refused = await run(settings, other.path);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.printed).toMatch(/order_amount differ/);
    expect(refused.printed).not.toMatch(/9876\.54|^ +at /m);
  });

  test('a checkout prints the address where the buyer pays', async () => {
    const paying = await run(settings, orderFile('checkout').path);
    expect(paying).toMatchObject({ code: 0 });
    expect(paying.output).toMatch(/^ {2}web_url +http\S+$/m);
  });

  test('a secret without a public key to seal it ends with 2, and is neither printed nor sent', async () => {
    const order = orderFile('wallet-card-number');
    const refused = await run(settings, order.path);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.printed).toMatch(/^ {2}account_verification_code: .*PAYMENTS_SEALING_PUBLIC_JWK/m);
    // Its random number may hold these four digits by chance.
    expect(refused.printed.replaceAll(order.out_trade_no, '')).not.toContain('4821');
    expect(stack.simulator.trades({ out_trade_no: order.out_trade_no })).toEqual([]);
  });

  test('a secret with the public key is sealed and sent', async () => {
    const order = orderFile('wallet-card-number');
    const sealing = JSON.stringify(stack.config.PAYMENTS_SEALING_PUBLIC_JWK);
    expect(await run({ ...settings, PAYMENTS_SEALING_PUBLIC_JWK: sealing }, order.path)).toMatchObject({ code: 0 });
    expect(stack.simulator.trades({ out_trade_no: order.out_trade_no })).toHaveLength(1);
  });
});
