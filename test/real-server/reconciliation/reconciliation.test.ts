/**
 * A reconciliation of 150 orders (RECONCILIATION_ORDERS=5000 for more) in which 30 differences of every kind are planted
 * finds exactly those, although its worker is killed three times meanwhile. Temporal, the worker and the command are real; the gateway answers queries from a table.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { childEnvironment } from '../../../src/cli/dev/temporal/child-environment';
import { type Difference, paymentWorkflowId, type ReconciliationState } from '../../../src/contract';
import { APP } from '../../../src/testing/stack';
import { type OutsideStack, outsideStack } from '../../harness/outside-worker';
import { ROOT, type Terminal } from '../../harness/terminal';

const MANY = Number(process.env.RECONCILIATION_ORDERS ?? 150);
/** Temporal hears a heartbeat every 12 s, so a comparison of 50 s and more outlives each kill. */
const KILLS = 3;
/** Only to end a hang. */
const HANGS_MS = 600_000 * Math.max(1, MANY / 1_000);
const NUMBERS = Array.from({ length: MANY }, (_, i) => `order-${String(i).padStart(4, '0')}`);

/** What is wrong with an order, by its number; all others are the same everywhere. */
const PLANTED = new Map<string, string>(
  [
    ...[
      'here: canceled',
      'here: other amount',
      'gateway: none',
      'here: none',
      'merchant: none',
      'merchant: other amount',
    ],
  ].flatMap((wrong, kind) =>
    [0, 1, 2, 3, 4].map((i) => [NUMBERS[Math.floor(((kind * 5 + i + 0.5) * MANY) / 30)] ?? '', wrong]),
  ),
);

const EXPECTED: Readonly<Record<string, Pick<Difference, 'kind' | 'between'>>> = {
  'here: canceled': { kind: 'state', between: 'here and gateway' },
  'here: other amount': { kind: 'amount', between: 'here and gateway' },
  'gateway: none': { kind: 'missing-there', between: 'here and gateway' },
  'here: none': { kind: 'missing-here', between: 'here and gateway' },
  'merchant: none': { kind: 'missing-at-merchant', between: 'merchant and gateway' },
  'merchant: other amount': { kind: 'amount', between: 'merchant and gateway' },
};

/** An order that the gateway cannot answer for. */
const BROKEN = 'nowhere-0600-broken';

/** The gateway: every order is paid, 150.00 BRL. */
const queries: string[] = [];
let gateway: Server;
let stack: OutsideStack;
/** One for both tests: after a kill it is the next one. */
let worker: Terminal;
beforeAll(async () => {
  gateway = createServer(async (request, response) => {
    const { out_trade_no } = JSON.parse(await text(request));
    queries.push(out_trade_no);
    if (out_trade_no === BROKEN) return void response.writeHead(502).end('<html>Bad gateway</html>');
    const answer =
      PLANTED.get(out_trade_no) === 'gateway: none' || out_trade_no.startsWith('nowhere')
        ? { code: '40004', msg: 'Business Failed', sub_code: 'trade-not-exist', sub_msg: 'The trade does not exist.' }
        : { code: '10000', msg: 'Success', ...PAID, out_trade_no, trade_no: `T-${out_trade_no}`, order_amount: 150 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const { port } = gateway.address() as AddressInfo;
  stack = await outsideStack({
    settings: { GATEWAY_BASE_URL: `http://127.0.0.1:${port}`, GATEWAY_CALLS_PER_SECOND: '1000' },
  });
  await makePayments();
  worker = await stack.startWorker();
}, HANGS_MS);
afterAll(async () => {
  await stack?.close();
  gateway?.close();
});

const PAID = { trade_status: 'SUCCESS', order_currency: 'BRL' };

/** Payments that have ended as paid, but for those whose difference is here. */
async function makePayments(): Promise<void> {
  const { client, nativeConnection } = stack.temporal;
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue: 'told-payments',
    workflowsPath: join(__dirname, 'told-payments.ts'),
  });
  await worker.runUntil(async () => {
    const numbers = NUMBERS.filter((number) => PLANTED.get(number) !== 'here: none');
    while (numbers.length > 0) {
      await Promise.all(
        numbers.splice(0, 50).map((out_trade_no) => {
          const wrong = PLANTED.get(out_trade_no);
          const order_amount = wrong === 'here: other amount' ? '15.00' : '150.00';
          const outcome = wrong === 'here: canceled' ? 'CANCEL' : 'SUCCESS';
          const workflowId = paymentWorkflowId(APP.app_id, out_trade_no);
          const args = [{ out_trade_no, ...PAID, outcome, order_amount }];
          return client.workflow.execute('payment', { workflowId, taskQueue: 'told-payments', args });
        }),
      );
    }
  });
}

/** The merchant's list, as a shop exports it. */
function merchantsList(): string {
  const rows = NUMBERS.filter((number) => PLANTED.get(number) !== 'merchant: none').map((number) => {
    const amount = PLANTED.get(number) === 'merchant: other amount' ? '149.99' : '150.00';
    return `"${number}",${amount},paid,BRL`;
  });
  return `\uFEFFOrder,Amount,Status,Currency\r\n${rows.join('\r\n')}\r\n`;
}

function command(...args: string[]): ChildProcessWithoutNullStreams {
  const env = {
    ...childEnvironment(process.env, /^$/),
    TEMPORAL_ADDRESS: stack.temporal.address,
    GATEWAY_APP_ID: APP.app_id,
    PAYMENTS_TASK_QUEUE: stack.taskQueue,
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
  };
  return spawn(process.execPath, [join(ROOT, 'lib/cli/main.js'), ...args], { cwd: ROOT, env });
}

/** What a program says: resolves once it has said so. Rejects with all of it where the program ends before. */
function heardFrom(stream: Readable): (what: RegExp) => Promise<RegExpExecArray> {
  let text = '';
  stream.on('data', (said: Buffer) => {
    text += said.toString();
  });
  return async (what) => {
    for (;;) {
      const found = what.exec(text);
      if (found) return found;
      if (stream.readableEnded) throw new Error(`The program ended without ${what}. It said: ${text}`);
      await Promise.race([once(stream, 'data'), once(stream, 'end')]);
    }
  };
}

/** How many orders the last heartbeat that Temporal has tells of. Each activity counts its own orders, so this may fall. */
async function heard(workflowId: string): Promise<number> {
  const { raw, status } = await stack.temporal.client.workflow.getHandle(workflowId).describe();
  if (status.name !== 'RUNNING') throw new Error(`The comparison ended before its worker was killed ${KILLS} times.`);
  const data = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data;
  return data ? JSON.parse(Buffer.from(data).toString()).checked : 0;
}

test(
  `finds exactly the 30 planted differences among ${MANY} orders, although its worker is killed three times`,
  async () => {
    const reconciling = command(
      'reconcile',
      '--since',
      '1h',
      '--csv',
      '--adopt',
      '--per-second',
      String(MANY / 50),
      '--json',
    );
    const output = text(reconciling.stdout);
    const ended = new Promise<number | null>((resolve) => reconciling.on('close', resolve));
    reconciling.stdin.end(merchantsList());
    const said = heardFrom(reconciling.stderr);
    const [, workflowId = ''] = await said(/Comparing as (\S+?)\. /);

    let known = 0;
    for (let kills = 0; kills < KILLS; kills += 1) {
      let now = known;
      while (now === known || now === 0) {
        await delay(200);
        now = await heard(workflowId);
      }
      known = now;
      await worker.kill();
      // While nobody answers, the command waits.
      if (kills === 0) await said(/No worker answers now/);
      worker = await stack.startWorker();
    }
    expect(await ended).toBe(1);

    const differences: Difference[] = (await output)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(differences).toHaveLength(30);
    const found = new Map(differences.map(({ out_trade_no, kind, between }) => [out_trade_no, { kind, between }]));
    expect(found).toEqual(new Map([...PLANTED].map(([number, wrong]) => [number, EXPECTED[wrong]])));
    // It went on where it was: what was asked twice is what no heartbeat had told of.
    // A worker's start asks once for an order that cannot exist.
    const asked = queries.filter((number) => number.startsWith('order-'));
    expect(new Set(asked).size).toBe(MANY);
    expect(asked.length).toBeLessThan(MANY * 2);

    // What was missing here has a payment now, and the differences wait for a person.
    const adopted = differences.filter((one) => one.adopted).map(({ out_trade_no }) => out_trade_no);
    expect(adopted).toHaveLength(5);
    for (const number of adopted) expect(await stack.payments.outcome(number)).toMatchObject({ outcome: 'SUCCESS' });
    const handle = stack.temporal.client.workflow.getHandle(workflowId);
    expect(await handle.query<ReconciliationState>('state')).toMatchObject({
      attention: 'books-differ',
      checked: MANY,
    });
    const resolving = command('resolve', workflowId, '--by', 'ana', '--reason', 'books corrected');
    expect(await new Promise((resolve) => resolving.on('close', resolve))).toBe(0);
    expect(await handle.result()).toMatchObject({
      resolved: { by: 'ana', reason: 'books corrected' },
      attention: null,
    });
  },
  HANGS_MS,
);

test('prints every difference of a list in which all orders are missing, over the pages, and one order without an answer holds up no other', async () => {
  // More than the 1,000 that one activity answers with.
  const numbers = Array.from({ length: 1_050 }, (_, i) => `nowhere-${String(i).padStart(4, '0')}`);
  numbers.splice(601, 0, BROKEN);
  const period = ['--since', '2026-03-01', '--until', '2026-03-01T00:00:01Z'];
  const reconciling = command('reconcile', ...period, '--csv', '--per-second', '1000');
  const output = text(reconciling.stdout);
  const ended = new Promise<number | null>((resolve) => reconciling.on('close', resolve));
  reconciling.stdin.end(`order,amount,status\n${numbers.map((number) => `${number},150.00,paid`).join('\n')}\n`);
  expect(await ended).toBe(1);
  const [head, ...lines] = (await output).trim().split('\n');
  expect(head).toBe('out_trade_no,kind,between,here,gateway,merchant,adopted');
  expect(lines).toEqual(
    numbers.map((number) =>
      number === BROKEN
        ? `${number},unanswered,here and gateway,,,paid 150.00,false`
        : `${number},missing-there,merchant and gateway,,,paid 150.00,false`,
    ),
  );
});
