/** An operator at a stack with keys: finds what needs a person, understands it, clears it, and sees who did what and why. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { dataConverter } from '../../src/codec';
import {
  type AfterSaleState,
  createSpeiAccountWorkflowId,
  type PaymentState,
  paymentWorkflowId,
  QUERY,
  type ReconciliationState,
  reconciliationWorkflowId,
  WORKFLOW,
} from '../../src/contract';
import { less } from '../../src/gateway/pure/money';
import { ifExists } from '../../src/temporal/runs';
import { signTestNotification } from '../../src/testing/signed-notification';
import { simulate } from '../../src/testing/simulation';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { key, setting } from '../codec/support';
import { accountRequest } from '../harness/accounts';
import { built } from '../harness/built';
import { Commands, type Ended, started } from '../harness/commands';
import { publishedOrder } from '../harness/orders';
import { until } from '../harness/runs';
import { afterSaleOf, part, sold, USER } from '../harness/sold';

const folder = mkdtempSync(join(tmpdir(), 'operator-'));
const KEYS = setting(key('k1'));

let stack: Stack;
let env: Record<string, string>;
beforeAll(async () => {
  await built();
  // No poll tells anything: what is asked for, is asked by the operator.
  const slow = { PAYMENTS_POLL_SCHEDULE: '1h', PAYMENTS_POLL_EVERY: '1h' };
  stack = await startStack({ env: { PAYMENTS_ENCRYPTION_KEYS: KEYS, ...slow } });
  // What an operator needs: the keys of payloads, and nothing of the gateway.
  env = {
    TEMPORAL_ADDRESS: stack.temporal.address,
    GATEWAY_APP_ID: APP.app_id,
    PAYMENTS_ENCRYPTION_KEYS: KEYS,
    PAYMENTS_SCHEDULES: 'false',
  };
});
afterAll(async () => {
  await commands.end();
  await stack?.close();
  rmSync(folder, { recursive: true });
});

const commands = new Commands(folder);
/** In the process that runs them all. */
const run = async (...args: string[]) => withoutStack(await commands.run(env, ...args));
/** In a process of its own. */
const start = async (...args: string[]) => withoutStack(await started(folder, env, ...args));

function withoutStack(ended: Ended): Ended {
  expect(ended.printed).not.toMatch(/^ +at /m);
  return ended;
}

const lines = (text: string) => text.trimEnd().split('\n');

/** A payment that waits for its buyer. */
async function waiting(name = 'pix') {
  const order = publishedOrder(name);
  await stack.payments.pay(order);
  return order;
}

const handleOf = (out_trade_no: string) => stack.client.workflow.getHandle(paymentWorkflowId(APP.app_id, out_trade_no));

/** Lists may be a moment behind. */
async function untilListed(query: string, many: number): Promise<void> {
  await until(
    () => stack.client.workflow.count(query),
    ({ count }) => count === many,
  );
}

test('a payment that needs a person is found, understood, cleared, and shows who and why', async () => {
  const { out_trade_no, order_amount } = await waiting();
  await handleOf(out_trade_no).signal('odd-signal');
  await untilListed(`PaymentAttention = 'unexpected-signal'`, 1);

  const found = await run('list', '--attention', '--json');
  expect(lines(found.output).map((line) => JSON.parse(line))).toMatchObject([
    { out_trade_no, attention: 'unexpected-signal', type: 'payment', status: 'PROCESSING' },
  ]);

  const shown = await start('show', out_trade_no);
  expect(shown.code).toBe(0);
  expect(lines(shown.output).length).toBeLessThan(30);
  expect(shown.output).toContain('Needs a person: unexpected-signal. A signal was not taken: ');
  expect(shown.output).toMatch(/asked +to send a creation of 150\.00 BRL/);
  expect(shown.output).toMatch(/answered +created, trade \S+, PROCESSING/);
  // It is no news of the order, whatever its name says.
  expect(shown.output).toMatch(/asked +by a signal that nothing here handles: odd-signal \(\d+@\S+\)/);
  // Between two attempts it waits for its time, and for no worker.
  expect(shown.output).toMatch(
    /whether the trade has moved on, attempt \d+; last: watching \(\d+s ago\); next 20\S+ \S+$/m,
  );
  expect(shown.output).toContain(`payment-gateway recheck ${out_trade_no} --app ${APP.app_id}`);
  const [command = ''] = /payment-gateway resolve .*/.exec(shown.output) ?? [];
  expect(command).toBe(
    `payment-gateway resolve ${out_trade_no} --app ${APP.app_id} --seen unexpected-signal --by YOU --reason WHY`,
  );

  const written = { 'payment-gateway ': '', YOU: 'ana', WHY: 'seen' };
  const typed = Object.entries(written)
    .reduce((text, [place, word]) => text.replace(place, word), command)
    .split(' ');
  const seen = await start(...typed);
  expect(seen).toMatchObject({
    code: 0,
    printed: expect.stringContaining('is open; the gateway says PROCESSING. It needs nobody.'),
  });
  const resolved = await run('resolve', out_trade_no, '--outcome', 'CANCEL', '--by', 'ana', '--reason', 'tested');
  expect(resolved).toMatchObject({
    code: 0,
    printed: expect.stringContaining('ended as CANCEL; the gateway says PROCESSING. It needs nobody.'),
  });
  await stack.payments.outcome(out_trade_no);
  const after = await run('show', out_trade_no);
  expect(after.output).toMatch(/decided +CANCEL: tested \(ana\)/);
  expect(after.output).toContain(`of ${order_amount} BRL (app ${APP.app_id}) was canceled, as a person decided.`);
  expect((await run('resolve', out_trade_no, '--by', 'ana', '--reason', 'again')).code).toBe(2);
  await untilListed('PaymentAttention IS NOT NULL', 0);
  expect((await run('list', '--attention')).output).toBe('None.\n');
});

test('a late payment is found under its after-sale, and resolved by the number of its order', async () => {
  const { out_trade_no } = await waiting();
  await run('resolve', out_trade_no, '--outcome', 'CANCEL', '--by', 'ana', '--reason', 'the buyer called');
  await stack.simulator.pay(out_trade_no);
  await untilListed(`PaymentAttention = 'late-payment' AND ExecutionStatus = 'Running'`, 1);
  const shown = await run('show', out_trade_no);
  expect(shown.output).toContain('Needs a person: late-payment.');
  expect(shown.output).toMatch(/notified +SUCCESS 150\.00 BRL|taken on: trade/);
  expect(lines(shown.output).length).toBeLessThan(30);
  const resolved = await run('resolve', out_trade_no, '--by', 'ben', '--reason', 'delivered', '--json');
  expect(resolved.code).toBe(0);
  expect(JSON.parse(resolved.output)).toMatchObject({ state: { attention: null, payment: { outcome: 'SUCCESS' } } });
  await untilListed(`PaymentAttention = 'late-payment' AND ExecutionStatus = 'Running'`, 0);
  expect((await run('show', out_trade_no, '--all')).output).toMatch(/decided +seen: delivered \(ben\)/);
});

test('who takes an order stands in lists until it is settled, and the log says who did what and why', async () => {
  const { out_trade_no } = await waiting();
  expect(await run('take', out_trade_no, '--by', 'eva')).toMatchObject({ code: 2 });
  await handleOf(out_trade_no).signal('odd-signal');
  await untilListed(`PaymentAttention = 'unexpected-signal' AND ExecutionStatus = 'Running'`, 1);
  const taken = await run('take', out_trade_no, '--by', 'eva', '--note', 'asked the sender');
  expect(taken).toMatchObject({ code: 0, output: expect.stringContaining('It is taken.') });
  await untilListed("PaymentTakenBy = 'eva'", 1);
  const mine = await run('list', '--mine', 'eva', '--json');
  expect(lines(mine.output).map((line) => JSON.parse(line))).toMatchObject([
    { out_trade_no, taken_by: 'eva', note: 'asked the sender', attentions: ['unexpected-signal'] },
  ]);
  expect((await run('show', out_trade_no)).output).toMatch(
    /has needed a person for \d+\w+: unexpected-signal; eva has it: asked the sender\. Next: payment-gateway resolve/,
  );
  const { PAYMENTS_ENCRYPTION_KEYS: _keys, ...keyless } = env;
  const unread = await commands.run(keyless, 'list', '--mine', 'eva');
  expect(unread.output).toContain('eva');
  expect(unread.output).not.toContain('asked the sender');
  await run('resolve', out_trade_no, '--by', 'eva', '--reason', 'it was a test');
  await untilListed("PaymentTakenBy = 'eva'", 0);
  const logged = await run('log', '--since', '1h', '--by', 'eva', '--json');
  expect(lines(logged.output).map((line) => JSON.parse(line))).toMatchObject([
    { out_trade_no, did: 'take', why: 'asked the sender' },
    { out_trade_no, did: 'resolve', why: 'it was a test' },
  ]);
  expect((await run('log', '--since', '2020-01-01', '--until', '2020-01-02')).output).toBe(
    'Nobody decided anything.\n',
  );
});

test('list --owed has what came for an order that a person has ended without a sale, until it has gone back', async () => {
  const { out_trade_no, order_amount } = await waiting('credit-card');
  await stack.simulator.pay(out_trade_no);
  await stack.payments.outcome(out_trade_no);
  const owed = async () => {
    const { output } = await run('list', '--owed', '--json');
    return lines(output).flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  const part = await stack.payments.refund(out_trade_no, { amount: '0.50' });
  expect(await owed()).toEqual([]);
  const said = [
    '--outcome',
    'CANCEL',
    '--although',
    'SUCCESS,PARTIAL_REFUND,REFUND_PROCESSING',
    '--by',
    'ana',
    '--reason',
    'sold out',
  ];
  const rest = `${less(order_amount, '0.50')} ${part.refund_currency}`;
  const refund = `payment-gateway refund ${out_trade_no} --app ${APP.app_id}`;
  const owing = expect.stringContaining(` ${rest} came, and is to be sent back: ${refund}.`);
  expect(await run('resolve', out_trade_no, ...said)).toMatchObject({ code: 0, output: owing });
  const [row] = await until(owed, (rows) => rows.length > 0);
  expect(row).toMatchObject({ out_trade_no, owed: rest });
  // It has been owed since the decision, however old the order is.
  const { history } = await stack.payments.state(out_trade_no);
  expect(row.owed_since).toBe(history.find(({ by }) => by === 'ana')?.time);
  expect((await run('list', '--owed')).output).toMatch(
    new RegExp(`TO SEND BACK[^]*${rest}[^]*longer ago than Temporal keeps \\(\\d+d\\) is not here`),
  );
  await stack.payments.refund(out_trade_no);
  await until(owed, (rows) => rows.length === 0);
  expect((await run('list', '--owed', '--mine', 'ana')).code).not.toBe(0);
});

test('what is owed of an order that never had an after-sale leaves the list once a person says that it went back elsewhere', async () => {
  const { out_trade_no, order_amount } = await sold(stack, 'credit-card');
  const said = (...what: string[]) => run('resolve', out_trade_no, ...what, '--by', 'ana', '--reason', 'sold out');
  await untilListed(`PaymentOutcome = 'SUCCESS' AND WorkflowId = '${paymentWorkflowId(APP.app_id, out_trade_no)}'`, 1);
  expect(await said('--outcome', 'CANCEL')).toMatchObject({ code: 2, printed: expect.stringContaining('--although') });
  expect(await said('--outcome', 'CANCEL', '--although', 'SUCCESS')).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /ended as CANCEL; the gateway says SUCCESS\. 899\.70 BRL came, and is to be sent back/,
    ),
  });
  const worker = { ...env, PAYMENTS_TASK_QUEUE: stack.taskQueue };
  const compared = async () => (await commands.run(worker, 'reconcile', '--since', '1h')).output;
  expect(await compared()).toContain(`${out_trade_no},state,`);
  // What nobody can read is no answer: the command ends as for every wrong input.
  expect((await said('--elsewhere', order_amount.replace('.', ','))).code).toBe(2);
  expect((await said('--outcome', 'PAID')).code).toBe(2);
  expect((await said('--elsewhere', order_amount)).output).toContain('It needs nobody.');
  expect(await compared()).not.toContain(out_trade_no);
  await until(
    () => run('list', '--owed', '--json'),
    ({ output }) => !output.includes(out_trade_no),
  );
  const { out_trade_no: open } = await waiting();
  expect(await run('resolve', open, '--elsewhere', '1.00', '--by', 'ana', '--reason', 'x')).toMatchObject({
    code: 2,
    printed: expect.stringContaining(`The payment of ${open} is open`),
  });
});

test.each([
  ['no worker has had', () => 'nobody'],
  ['waits for the gateway', () => stack.taskQueue],
])('reconcile ends once somebody has terminated its comparison, which %s', async (_, queue) => {
  await sold(stack, 'credit-card');
  stack.simulator.addFault({ on: 'query', fault: '5xx-before', times: 10_000 });
  const compared = commands.run({ ...env, PAYMENTS_TASK_QUEUE: queue() }, 'reconcile', '--since', '1h');
  const compares = `WorkflowType = 'reconciliation' AND ExecutionStatus = 'Running' AND PaymentAttention IS NULL`;
  await untilListed(compares, 1);
  for await (const { workflowId } of stack.client.workflow.list({ query: compares })) {
    const handle = stack.client.workflow.getHandle(workflowId);
    if (queue() === stack.taskQueue)
      expect(await handle.query<ReconciliationState>(QUERY.state)).toMatchObject({ finished: false });
    await handle.terminate('the wrong day');
  }
  expect(await compared).toMatchObject({
    ...{ code: 3, printed: expect.stringContaining('It was ended before it had compared everything: ') },
  });
  stack.simulator.clearFaults();
});

test('resolve --all-of lists what waits for the reason, and resolves it only after a yes', async () => {
  const orders = [await waiting(), await waiting()].map(({ out_trade_no }) => out_trade_no);
  for (const number of orders) await handleOf(number).signal('odd-signal');
  const waits = `PaymentAttention = 'unexpected-signal' AND ExecutionStatus = 'Running'`;
  await untilListed(waits, 2);
  const said = ['resolve', '--all-of', 'unexpected-signal', '--by', 'ana', '--reason', 'one sender, and it is mended'];
  const dry = await run(...said, '--dry-run');
  for (const number of orders) expect(dry.output).toContain(number);
  expect(dry.output).toContain('2 would be resolved. Nothing was done.');
  const unsure = await start(...said);
  expect(unsure).toMatchObject({ code: 2, printed: expect.stringContaining('This resolves 2 workflows.') });
  await untilListed(waits, 2);
  expect(await run(...said, '--yes')).toMatchObject({ code: 0, output: '2 of 2 were resolved.\n' });
  await untilListed(waits, 0);
  expect(
    (await run('log', '--since', '1h')).output.match(/has seen to it +one sender, and it is mended/g),
  ).toHaveLength(2);
  expect((await run('resolve', '--all-of', 'nonsense', '--by', 'ana', '--reason', 'x')).code).toBe(2);
});

test('recheck asks the gateway for one order, and for all that a query chooses after a yes', async () => {
  const orders = [await waiting('spei'), await waiting('spei')].map(({ out_trade_no }) => out_trade_no);
  const asked = (out_trade_no: string) => stack.simulator.requests({ path: '/trade/query', out_trade_no }).length;
  await untilListed(`WorkflowType = 'payment' AND PaymentMethod = 'SPEI'`, 2);
  const [one = '', two = ''] = orders;
  expect((await run('recheck', one)).output).toContain(`Done: recheck. Order ${one} (app ${APP.app_id}) is open`);
  expect([asked(one), asked(two)]).toEqual([1, 0]);

  const dry = await run('recheck', '--method', 'SPEI', '--dry-run');
  expect(lines(dry.output)).toHaveLength(3);
  expect(dry.output).toContain('2 would be asked for. Nothing was done.');
  const unsure = await start('recheck', '--query', `PaymentMethod = 'SPEI'`);
  expect(unsure).toMatchObject({ code: 2, output: '', printed: expect.stringContaining('2 workflows') });
  expect([asked(one), asked(two)]).toEqual([1, 0]);

  const all = await run('recheck', '--query', `PaymentMethod = 'SPEI'`, '--yes', '--json');
  expect(all.code).toBe(0);
  const told = lines(all.output).map((line) => JSON.parse(line));
  expect(told.map(({ workflow_id }) => workflow_id).sort()).toEqual(
    orders.map((number) => paymentWorkflowId(APP.app_id, number)).sort(),
  );
  expect([asked(one), asked(two)]).toEqual([2, 1]);
});

test('recheck of an order that is closed asks the gateway, and says how it stands', async () => {
  const { out_trade_no } = await waiting();
  await stack.simulator.pay(out_trade_no);
  await stack.payments.outcome(out_trade_no);
  expect(await run('recheck', out_trade_no)).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /^Done: recheck\..* ended as SUCCESS; the gateway says SUCCESS\. It needs nobody\.$/m,
    ),
  });
});

test('recheck of an order that was not made asks nothing, and starts nothing', async () => {
  stack.simulator.addFault({ on: 'pay', fault: 'refuse', code: '40002', sub_code: 'no-method-supported' });
  const order = publishedOrder('pix');
  await expect(stack.payments.pay(order)).rejects.toThrow('no-method-supported');
  expect(await run('recheck', order.out_trade_no)).toMatchObject({
    code: 2,
    printed: expect.stringContaining('so nothing can be asked'),
  });
  const { workflowId } = afterSaleOf(stack, order.out_trade_no);
  expect(await ifExists(() => stack.client.workflow.getHandle(workflowId).describe(), null)).toBeNull();
});

test('show has what happened before a reset once, and log says who has reset it', async () => {
  const { out_trade_no } = await waiting();
  const workflow_id = paymentWorkflowId(APP.app_id, out_trade_no);
  const { runId } = await handleOf(out_trade_no).describe();
  const { events } = await handleOf(out_trade_no).fetchHistory();
  const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  await stack.client.workflowService.resetWorkflowExecution({
    ...{ namespace: stack.client.options.namespace, workflowExecution: { workflowId: workflow_id, runId } },
    ...{
      reason: 'eva: a wrong key',
      workflowTaskFinishEventId: tasks.at(-1)?.eventId ?? null,
      requestId: randomUUID(),
    },
  });
  await handleOf(out_trade_no).executeUpdate('recheck');
  const { output } = await run('show', out_trade_no, '--all');
  expect(output.match(/to send a creation/g)).toHaveLength(1);
  expect(output).toContain('reset: eva: a wrong key');
  await untilListed(`WorkflowId = '${workflow_id}' AND ExecutionStatus = 'Terminated'`, 1);
  const logged = await run('log', '--since', '1h', '--json');
  expect(lines(logged.output).map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ out_trade_no, did: 'reset', why: 'eva: a wrong key' }),
  );
});

test('a creation of an account and a reconciliation that somebody has terminated are reset and then resolved, as show says', async () => {
  const buyer_id = `buyer-${randomUUID()}`;
  const { workflowService, options } = stack.client;
  const { namespace } = options;
  const workflow_id = createSpeiAccountWorkflowId(APP.app_id, buyer_id);
  stack.simulator.addFault({ on: 'account-create', fault: '5xx-after' });
  const { taskQueue } = stack;
  const asked = [{ app_id: APP.app_id, request: accountRequest(buyer_id) }];
  await stack.client.workflow.start(WORKFLOW.createSpeiAccount, { workflowId: workflow_id, taskQueue, args: asked });
  const rows = [{ out_trade_no: 'nobodys-1', order_amount: '1.00', status: 'paid' }];
  const compared = reconciliationWorkflowId(APP.app_id, randomUUID());
  const csv = [{ app_id: APP.app_id, since: new Date(Date.now() - 3_600_000).toISOString(), rows }];
  await stack.client.workflow.start(WORKFLOW.reconciliation, { workflowId: compared, taskQueue, args: csv });

  for (const [id, reason] of [
    [workflow_id, 'unknown-outcome'],
    [compared, 'books-differ'],
  ] as const) {
    const waits = (many: number) =>
      untilListed(`WorkflowId = '${id}' AND PaymentAttention = '${reason}' AND ExecutionStatus = 'Running'`, many);
    await waits(1);
    const handle = stack.client.workflow.getHandle(id);
    const { runId } = await handle.describe();
    await handle.terminate('batch clean-up');
    await waits(0);
    const [made] = stack.simulator.accounts({ buyer_id });
    const account = id === workflow_id ? ['--account', `${made?.account_id}`] : [];
    const resolve = () => run('resolve', id, ...account, '--by', 'ana', '--reason', 'seen');
    expect(await resolve()).toMatchObject({ code: 2, printed: expect.stringContaining(`--workflow-id ${id} `) });
    const { events } = await handle.fetchHistory();
    const last = events?.findLast((event) => event.workflowTaskCompletedEventAttributes)?.eventId ?? null;
    const of = { namespace, workflowExecution: { workflowId: id, runId }, requestId: randomUUID() };
    await workflowService.resetWorkflowExecution({ ...of, reason: 'eva', workflowTaskFinishEventId: last });
    await waits(1);
    expect((await run('show', id)).output).toContain(`payment-gateway resolve ${id} `);
    expect(await resolve()).toMatchObject({ code: 0 });
    await handle.result();
  }
});

test('find finds an order by its number, trade, refund, buyer, CLABE, and amount with its day, and show takes each of the numbers', async () => {
  const order = await sold(stack, 'pix', { buyer_id: 'buyer-of-find', order_amount: '151.37' });
  await stack.payments.refund(order.out_trade_no, {
    ...part('1.00', 'find-me-1'),
    ...{ user_info: USER, bank_info: { bank_id: '341', agency: '1234', type: 'CHECKING', number: '123456-7' } },
  });
  const { trade_no } = await afterSaleOf(stack, order.out_trade_no).query<AfterSaleState>(QUERY.state);
  const spei = await waiting('spei');
  const { payment_data } = await handleOf(spei.out_trade_no).query<PaymentState>(QUERY.state);
  await untilListed('PaymentNames IS NOT NULL AND PaymentOutcome IS NOT NULL AND PaymentAmount = 151.37', 2);
  const day = new Date().toISOString().slice(0, 10);
  const found = async (...text: string[]) => {
    const { output } = await run('find', ...text, '--json');
    return output === '' ? [] : lines(output).map((line) => JSON.parse(line));
  };
  const bought = { out_trade_no: order.out_trade_no, outcome: 'SUCCESS' };
  expect(await found(order.out_trade_no)).toMatchObject([{ ...bought, found_by: 'order' }]);
  expect(await found(String(trade_no))).toMatchObject([{ ...bought, found_by: 'trade' }]);
  expect(await found('find-me-1')).toMatchObject([{ ...bought, found_by: 'refund' }]);
  expect(await found('buyer-of-find')).toMatchObject([{ ...bought, found_by: 'buyer' }]);
  expect(await found('151.37', day)).toMatchObject([{ ...bought, found_by: 'amount' }]);
  expect(await found('151,37', '2020-01-01')).toEqual([]);
  expect(await found(String(payment_data?.clabe))).toMatchObject([
    { out_trade_no: spei.out_trade_no, found_by: 'account' },
  ]);
  const head = `Order ${order.out_trade_no} of 151.37 BRL`;
  for (const name of ['find-me-1', 'buyer-of-find', String(trade_no)])
    expect((await run('show', name)).output).toContain(head);
  expect(await run('find', 'nobody-has-this')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Nothing is found/),
  });
});

test('a second trade’s number finds its order while a person is asked about it, and a search that finds nothing says so', async () => {
  const { out_trade_no } = await waiting();
  const trade_no = '20260302120000000099';
  const { body, headers } = signTestNotification(APP, { out_trade_no, trade_no });
  expect((await fetch(`${stack.webhookUrl}/ipn/${APP.app_id}`, { method: 'POST', body, headers })).status).toBe(200);
  await untilListed(`PaymentAttention = 'second-trade' AND ExecutionStatus = 'Running'`, 1);
  expect(JSON.parse((await run('find', trade_no, '--json')).output)).toMatchObject({
    ...{ out_trade_no, found_by: 'second trade' },
  });
  expect((await run('show', trade_no)).output).toContain(`Order ${out_trade_no} `);
  await run('resolve', out_trade_no, '--seen', 'second-trade', '--by', 'ana', '--reason', 'sent back');
  await untilListed(`PaymentAttention = 'second-trade' AND ExecutionStatus = 'Running'`, 0);
  expect(await run('find', trade_no)).toMatchObject({
    code: 1,
    output: expect.stringContaining('a second trade only while a person is asked about it (second-trade)'),
  });
});

test('the money of a second trade is named by show, list --owed, a refund and the decision, and nobody is told to send both back', async () => {
  const { out_trade_no } = await sold(stack, 'credit-card');
  const trade_no = '20260302120000000098';
  const { body, headers } = signTestNotification(APP, { out_trade_no, trade_no });
  expect((await fetch(`${stack.webhookUrl}/ipn/${APP.app_id}`, { method: 'POST', body, headers })).status).toBe(200);
  await untilListed(`PaymentAttention = 'second-trade' AND ExecutionStatus = 'Running'`, 1);
  const other = `150.00 BRL of trade ${trade_no}`;
  const unless = 'unless the 899.70 BRL that went back of the order’s own trade was for it';
  const rows = async () => (await run('list', '--owed', '--json')).output;
  const owed = async () => JSON.parse(await rows()).owed;
  const next = async () => lines((await run('show', out_trade_no)).output)[0]?.split(' Next: ')[1];
  expect(await owed()).toBe(other);
  expect(await next()).toMatch(
    new RegExp(`^send ${other} back in the gateway’s dashboard; then payment-gateway resolve `),
  );

  const worker = { ...env, PAYMENTS_TASK_QUEUE: stack.taskQueue };
  expect((await commands.run(worker, 'refund', out_trade_no)).output).toMatch(
    new RegExp(
      `of the order’s own trade \\d+\\. The buyer has paid twice: ${other} goes back only in the gateway’s dashboard`,
    ),
  );
  expect(await owed()).toBe(`perhaps ${other}, ${unless}`);
  expect(await next()).toMatch(new RegExp(`^send ${other} back in the gateway’s dashboard, ${unless}; then `));

  const said = ['--by', 'ana', '--reason', 'sent back'];
  expect(await run('resolve', '--all-of', 'second-trade', ...said, '--yes')).toMatchObject({
    code: 0,
    printed: expect.stringContaining(`: ${other} is to be sent back in the gateway’s dashboard, `),
  });
  await until(rows, (output) => output === '');
});

test('list --disputes has a dispute whose after-sale somebody has terminated, until a later run goes on with it', async () => {
  const { out_trade_no } = await sold(stack, 'credit-card');
  await stack.simulator.act(out_trade_no, 'dispute');
  await untilListed(`PaymentAttention = 'dispute' AND ExecutionStatus = 'Running'`, 1);
  const disputes = async () => {
    const { output } = await run('list', '--disputes', '--json');
    return lines(output).flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  const [before] = await until(disputes, ([one]) => typeof one?.expires_at === 'string');
  expect(before).toMatchObject({ out_trade_no, attention: 'dispute', attentions: ['dispute'] });
  const { out_trade_no: twice } = await sold(stack, 'credit-card');
  const trade_no = '20260302120000000097';
  const { body, headers } = signTestNotification(APP, { out_trade_no: twice, trade_no });
  await fetch(`${stack.webhookUrl}/ipn/${APP.app_id}`, { method: 'POST', body, headers });
  await untilListed(`PaymentAttention = 'second-trade' AND ExecutionStatus = 'Running'`, 1);

  for (const ended of [out_trade_no, twice]) await afterSaleOf(stack, ended).terminate('batch clean-up');
  await untilListed(`PaymentAttention IN ('dispute', 'second-trade') AND ExecutionStatus = 'Running'`, 0);
  const attentions = ['dispute', 'ended-from-outside'];
  const { expires_at, waits_since } = before;
  expect(await disputes()).toMatchObject([{ out_trade_no, attentions, expires_at, waits_since }]);
  expect((await run('list', '--disputes')).output).toMatch(
    new RegExp(`^${out_trade_no} .* dispute, ended-from-outside .* \\d+d `, 'm'),
  );
  // The same rule finds what was paid twice.
  expect(JSON.parse((await run('list', '--owed', '--json')).output)).toMatchObject({
    ...{ out_trade_no: twice, owed: `150.00 BRL of trade ${trade_no}` },
  });
  // The run that it begins knows what was known.
  expect((await run('recheck', out_trade_no)).output).toContain('It still needs a person: dispute.');
  await until(disputes, ([row]) => row?.attentions.length === 1);
  expect(await disputes()).toMatchObject([{ out_trade_no, attentions: ['dispute'], expires_at }]);
});

test('refunds and show tell what was refunded', async () => {
  const order = await sold(stack, 'credit-card');
  expect((await run('refunds', order.out_trade_no)).output).toBe('nothing refunded, of 899.70 BRL.\n');
  await stack.payments.refund(order.out_trade_no, part('50.00', 'part-1'));
  // Until the gateway notifies, it is ACCEPTED, and nobody knows for how long. An amount certainly went back only then.
  const refunds = async () => (await afterSaleOf(stack, order.out_trade_no).query<AfterSaleState>(QUERY.state)).refunds;
  await until(refunds, ([one]) => one?.confirmed_by === 'notification');
  const listed = await start('refunds', order.out_trade_no);
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.output).toMatch(/^part-1 +50\.00 BRL +REFUNDED/m);
  const shown = await run('show', order.out_trade_no, '--all');
  expect(shown.output).toMatch(/part-1: 50\.00 BRL/);
  expect(shown.output).toMatch(/asked +to send a refund of 50\.00 BRL part-1/);
  // The answer by which it was sold, also where a look within a workflow task brought it.
  expect(shown.output).toMatch(/answered +SUCCESS 899\.70 BRL/);
  const named = (amount: string) =>
    run('resolve', order.out_trade_no, '--elsewhere', amount, '--by', 'ana', '--reason', 'dashboard');
  expect(await named('999.00')).toMatchObject({
    code: 2,
    printed: expect.stringMatching(/--elsewhere: at most 899\.70: 899\.70 BRL was paid/),
  });
  expect(await named('90.00')).toMatchObject({ code: 0 });
  const corrected = await named('10.00');
  expect(corrected.printed).toMatch(
    /^10\.00 BRL went back by refunds .* ana said .*; before that, ana had said 90\.00/m,
  );
  expect((await run('refunds', order.out_trade_no)).output).toContain('10.00 BRL went back by refunds');
  const none = await run('refunds', 'nobody-1', '--json');
  expect(none.code).toBe(1);
  expect(JSON.parse(none.printed)).toMatchObject({ error: { type: 'NotFound', out_trade_no: 'nobody-1' } });
});

test('a refund by a method that has none is refused by the gateway, and nobody is asked for the buyer’s data', async () => {
  const { out_trade_no } = await sold(stack, 'oxxo');
  const refused = await commands.run({ ...env, PAYMENTS_TASK_QUEUE: stack.taskQueue }, 'refund', out_trade_no);
  expect(refused).toMatchObject({ code: 1, printed: expect.stringContaining('sub_code refund-not-supported') });
  expect(refused.printed).not.toMatch(/user_info|--with/);
  expect(refused.printed).toMatch(/bank transfer.*: payment-gateway resolve \S+ --app \S+ --elsewhere AMOUNT /);
});

test('an after-sale that a refund opens before the order is paid tells of the sale as soon as there is one', async () => {
  const { out_trade_no, order_amount } = await waiting();
  const early = stack.payments.refund(out_trade_no, part('1.00', 'too-early'));
  await expect(early).rejects.toMatchObject({ type: 'NotRefunded' });
  await stack.simulator.pay(out_trade_no);
  await stack.payments.outcome(out_trade_no);
  await until(
    () => stack.payments.refunds(out_trade_no),
    (after) => after.order_amount !== null,
  );
  const paid = { status: 'SUCCESS', outcome: 'SUCCESS' };
  await until(
    async () => JSON.parse((await run('find', out_trade_no, '--json')).output),
    ({ outcome }) => outcome === 'SUCCESS',
  );
  expect(JSON.parse((await run('find', out_trade_no, '--json')).output)).toMatchObject(paid);
  const listed = lines((await run('list', '--method', 'PIX', '--json')).output).map((line) => JSON.parse(line));
  expect(listed.find((one) => one.out_trade_no === out_trade_no)).toMatchObject(paid);
  expect((await run('show', out_trade_no)).output).toMatch(/After the sale: SUCCESS; nothing refunded/);
  expect((await run('refunds', out_trade_no)).output).toBe(`nothing refunded, of ${order_amount} BRL.\n`);
  expect(await stack.payments.refunds(out_trade_no)).toMatchObject({
    ...{ trade_status: 'SUCCESS', order_amount, payment: { outcome: 'SUCCESS' } },
  });
});

/** The story of an order, as `story` prints it. It plays to the end that it tells. */
async function playedStory(out_trade_no: string) {
  const { code, output } = await run('story', out_trade_no);
  expect(code).toBe(0);
  const story = JSON.parse(output);
  const played = await simulate({ story });
  expect(await played.end()).toEqual(story.end);
  await played.close();
  return output;
}

/** Every text in it. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)];

test('show --why tells each fact with its rule, and the story of a sale with a refund has nothing private and plays to the same end', async () => {
  const order = publishedOrder('credit-card', { order_amount: '150.00' });
  const { out_trade_no, customer, address, buyer_id } = order;
  stack.simulator.addFault({ on: 'pay', fault: 'reset-after', out_trade_no });
  await stack.payments.pay(order);
  await stack.simulator.pay(out_trade_no);
  await stack.payments.outcome(out_trade_no);
  await stack.payments.refund(out_trade_no, { ...part('50.00', 'why-1'), user_info: USER });
  const refunds = async () => (await afterSaleOf(stack, out_trade_no).query<AfterSaleState>(QUERY.state)).refunds;
  await until(refunds, ([one]) => one?.confirmed_by === 'notification');

  const { code, output } = await start('show', out_trade_no, '--why');
  expect(code).toBe(0);
  const { runId } = await handleOf(out_trade_no).describe();
  expect(lines(output)).toContain(`${paymentWorkflowId(APP.app_id, out_trade_no)}, run ${runId}`);
  expect(output).toMatch(
    /the gateway: creation unknown.*\n +our order: none → sent\. .*\n +next: send → look\. An order of ours may/,
  );
  expect(output).toMatch(
    /a notification: SUCCESS 150\.00 BRL.*\n +next: watch until \S+ → look\. A notification or a question is a hint/,
  );
  expect(output).toMatch(
    /outcome: SUCCESS\. The table of statuses: SUCCESS ends a payment as SUCCESS; known by a query/,
  );
  expect(output).toMatch(/refund why-1: taken → REFUNDED\. What became of it is known \(by notification\)/);

  const told = await playedStory(out_trade_no);
  expect(told).toContain('"refund_amount": "50.00"');
  const hidden = [out_trade_no, buyer_id, 'why-1', APP.app_id, ...textsIn(customer), ...textsIn(address ?? {})];
  expect(hidden.filter((value) => told.includes(`"${value}"`))).toEqual([]);
});

test('the story of an order that people have decided on, and that was paid late, plays to the same end', async () => {
  const { out_trade_no } = await waiting();
  await handleOf(out_trade_no).signal('odd-signal');
  await until(
    () => handleOf(out_trade_no).query<PaymentState>(QUERY.state),
    ({ attention }) => attention !== null,
  );
  await run('take', out_trade_no, '--by', 'eva', '--note', 'asked the sender');
  await playedStory(out_trade_no);
  await run('resolve', out_trade_no, '--outcome', 'CANCEL', '--by', 'eva', '--reason', 'the buyer called');
  await stack.simulator.pay(out_trade_no);
  await until(
    // The payment may not have handed over yet.
    () => ifExists(() => afterSaleOf(stack, out_trade_no).query<AfterSaleState>(QUERY.state), null),
    (sale) => sale?.attention === 'late-payment' && sale.trade_status === 'SUCCESS',
  );
  expect(await playedStory(out_trade_no)).not.toMatch(/eva|asked the sender|the buyer called/);
  for (const [runner, line] of [
    [[], "import { test } from 'node:test';"],
    [['vitest'], "import { expect, test } from 'vitest';"],
    [['jest'], 'expect(await simulation.end()).toEqual(story.end);'],
  ] as const)
    expect((await run('story', out_trade_no, '--test', ...runner)).output).toContain(line);
});

test('export gives exact amounts of payments that run and that have ended, as CSV and JSON lines', async () => {
  // Of an order that was reset, the run that goes on.
  const query = "WorkflowType = 'payment' AND ExecutionStatus != 'ContinuedAsNew' AND ExecutionStatus != 'Terminated'";
  const orders = await stack.client.workflow.count(query);
  const csv = await start('export');
  expect(csv.code).toBe(0);
  const [head = '', ...rows] = lines(csv.output);
  expect(head.split(',').slice(0, 5)).toEqual(['app_id', 'out_trade_no', 'trade_no', 'order_amount', 'order_currency']);
  expect(rows).toHaveLength(orders.count);
  expect(rows.filter((row) => /^test-app,pix-[\w-]+,\w+,150\.00,BRL,PIX,/.test(row)).length).toBeGreaterThan(1);
  const json = lines((await run('export', '--format', 'jsonl', '--status', 'SUCCESS')).output);
  expect(JSON.parse(json[0] ?? '')).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query', error: null });
});

test('a refund with several apps in the settings is refused without --app, and says which of them has the order', async () => {
  const { out_trade_no } = await sold(stack, 'credit-card');
  const file = join(folder, 'apps.json');
  const base_url = 'https://gateway.example';
  writeFileSync(
    file,
    JSON.stringify(['other', APP.app_id].map((app_id) => ({ app_id, base_url, secret_key: 'sk_test' }))),
  );
  const own = { ...env, GATEWAY_APPS_FILE: file, PAYMENTS_TASK_QUEUE: stack.taskQueue };
  const several = (...args: string[]) => commands.run(own, ...args);
  expect(await several('refund', out_trade_no)).toMatchObject({
    code: 2,
    printed: expect.stringContaining(`name one of other, ${APP.app_id} with --app. Of these, ${APP.app_id} has`),
  });
  expect(stack.simulator.requests({ path: '/trade/refund', out_trade_no })).toEqual([]);
  expect((await several('show', out_trade_no)).output).toContain(`(app ${APP.app_id}) is paid`);
  expect(await several('refund', out_trade_no, '--app', APP.app_id)).toMatchObject({
    code: 0,
    output: expect.stringContaining(`Refund of order ${out_trade_no} (app ${APP.app_id}):`),
  });
});

test('show and resolve of an order that nobody knows end with a sentence', async () => {
  expect(await run('show', "nobody'1")).toMatchObject({
    code: 1,
    printed: "Temporal has nothing of order nobody'1.\n",
  });
  const shown = await run('show', "nobody'1", '--json');
  expect(shown.code).toBe(1);
  expect(JSON.parse(shown.printed)).toMatchObject({
    error: { type: 'NotFound', out_trade_no: "nobody'1" },
  });
  const { code, printed } = await run('resolve', "nobody'1", '--by', 'ana', '--reason', 'x', '--json');
  expect(code).toBe(2);
  expect(JSON.parse(printed)).toMatchObject({ error: { type: 'NotDeliveredError' } });
});

test('without the keys, list has what somebody has terminated before any worker read what had come to it', async () => {
  const { out_trade_no } = await sold(stack, 'credit-card');
  await run('recheck', out_trade_no);
  const { workflowId } = afterSaleOf(stack, out_trade_no);
  await untilListed(`WorkflowId = '${workflowId}' AND ExecutionStatus = 'Completed'`, 1);
  const unread = await stack.client.workflow.signalWithStart('afterSale', {
    ...{ workflowId, taskQueue: 'nobody', args: [{ app_id: APP.app_id, out_trade_no }] },
    ...{ signal: 'notification', signalArgs: [{ trade_status: 'DISPUTE' }] },
  });
  await unread.terminate('eva: by mistake');
  await untilListed(`WorkflowId = '${workflowId}' AND ExecutionStatus = 'Terminated'`, 1);
  const { PAYMENTS_ENCRYPTION_KEYS: _keys, ...keyless } = env;
  expect((await commands.run(keyless, 'list', '--attention')).output).toContain(out_trade_no);
});

test('list says the same of a refunded order once somebody has started its payment again, and what list --attention says of one that was terminated', async () => {
  const { out_trade_no } = await sold(stack, 'credit-card');
  await stack.payments.refund(out_trade_no, { amount: '0.50' });
  const row = async () => {
    const rows = lines((await run('list', '--json')).output).map((line) => JSON.parse(line));
    return rows.find((one) => one.out_trade_no === out_trade_no);
  };
  const { status } = await until(row, (one) => ['PARTIAL_REFUND', 'REFUND_PROCESSING'].includes(one?.status));
  const { runId } = await handleOf(out_trade_no).describe();
  const again = await stack.client.workflow.start('payment', {
    ...{ workflowId: handleOf(out_trade_no).workflowId, workflowIdReusePolicy: 'ALLOW_DUPLICATE' },
    ...{ taskQueue: stack.taskQueue, args: [{ kind: 'adopt', app_id: APP.app_id, out_trade_no }] },
  });
  await again.result();
  const after = await until(row, (one) => one?.run_id !== runId && one?.outcome === 'SUCCESS');
  expect(after).toMatchObject({ status, attentions: [] });

  await afterSaleOf(stack, out_trade_no).terminate('batch clean-up');
  const ended = await until(row, (one) => one?.attentions.length > 0);
  expect(ended).toMatchObject({ attention: 'ended-from-outside', attentions: ['ended-from-outside'], status });
});

test('the log says who has withdrawn an order that was not sent', async () => {
  stack.simulator.addFault({ on: 'pay', fault: 'refuse', times: 10_000 });
  const order = publishedOrder('pix');
  const paid = stack.payments.pay(order).catch((error: unknown) => error);
  await untilListed(`WorkflowId = '${handleOf(order.out_trade_no).workflowId}' AND ExecutionStatus = 'Running'`, 1);
  const canceled = await stack.payments.cancel(order.out_trade_no);
  stack.simulator.clearFaults();
  expect(canceled).toMatchObject({ outcome: null });
  expect(await paid).toBeInstanceOf(Error);
  const logged = async () =>
    lines((await run('log', '--since', '1h', '--json')).output)
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
      .filter((one) => one.out_trade_no === order.out_trade_no);
  const [row, ...others] = await until(logged, (rows) => rows.length > 0);
  expect(row).toMatchObject({ did: 'cancel', by: expect.stringMatching(/^\d+@/), why: '' });
  expect(others).toEqual([]);
});

test('without the keys, list works, and show ends with a sentence that names the setting', async () => {
  const { out_trade_no } = await waiting();
  const { PAYMENTS_ENCRYPTION_KEYS: _keys, ...keyless } = env;
  const shown = await commands.run(keyless, 'show', out_trade_no);
  expect(shown).toMatchObject({ code: 2, printed: expect.stringContaining('PAYMENTS_ENCRYPTION_KEYS') });
  expect(await commands.run(keyless, 'list', '--json')).toMatchObject({ code: 0 });
});

test('show asks for a person as soon as a task fails for want of a key, and not only once Temporal reports it', async () => {
  const out_trade_no = `unread-${randomUUID()}`;
  const { connection, options } = stack.client;
  const theirs = dataConverter({
    PAYMENTS_ENCRYPTION_KEYS: [key('theirs')],
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: false,
    PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT: false,
  });
  const caller = new Client({ connection, namespace: options.namespace, dataConverter: theirs });
  const workflowId = paymentWorkflowId(APP.app_id, out_trade_no);
  const args = [{ kind: 'adopt', app_id: APP.app_id, out_trade_no }];
  const unread = await caller.workflow.start('payment', { workflowId, taskQueue: stack.taskQueue, args });
  const shown = await until(
    () => run('show', out_trade_no),
    ({ output }) => output.includes('it fails each time'),
  );
  expect(lines(shown.output)[0]).toMatch(/ It has needed a person for \d+s: failing-tasks\.$/);
  expect(shown.output).toContain('Needs a person: failing-tasks.');
  await unread.terminate();
});

test('an encryption key is needed while a run that began under it is open, however long ago, or closed and kept', async () => {
  await waiting();
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const counted = await run('keys', 'needed', later, '--json');
  const { open, closed } = JSON.parse(counted.output);
  expect([counted.code, open > 0, closed > 0]).toEqual([1, true, true]);
  expect((await run('keys', 'needed', later)).output).toContain('Keep the key.');
  const before = '2020-01-01T00:00:00.000Z';
  expect(await run('keys', 'needed', '2020-01-01')).toMatchObject({
    code: 0,
    output: `Temporal has no run that began before ${before}: the key may be dropped.\n`,
  });
});
