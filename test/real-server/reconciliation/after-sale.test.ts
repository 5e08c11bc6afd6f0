/** Which orders a period has, by Temporal's real lists, and what is known here of a sale and of what followed it. */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { MockActivityEnvironment, type TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { reconciliationActivities } from '../../../src/activities';
import {
  afterSaleWorkflowId,
  paymentWorkflowId,
  type ReconciledSlice,
  type ReconcileSlice,
  speiAccountWorkflowId,
} from '../../../src/contract';
import { devServer } from '../../../src/testing/dev-server';
import { FakeGateway } from '../../../src/testing/fake-gateway/fake-gateway';
import { eventually } from '../../harness/eventually';

const SALE = { trade_status: 'SUCCESS', outcome: 'SUCCESS', order_amount: '150.00', order_currency: 'BRL' };
const BACK = { refunded_amount: '0.00', refunded_elsewhere: '0.00', refunding_amount: '0.00', refunds: [] };

let temporal: TestWorkflowEnvironment;
let between: Date;
beforeAll(async () => {
  temporal = await devServer();
  const { client, nativeConnection: connection } = temporal;
  const worker = await Worker.create({
    connection,
    taskQueue: 'told',
    workflowsPath: join(__dirname, 'told-payments.ts'),
  });
  const told = (type: string, workflowId: string, ...args: unknown[]) =>
    client.workflow.execute(type, { workflowId, taskQueue: 'told', args });
  await worker.runUntil(async () => {
    for (const number of ['paid', 'refunded', 'accepted', 'charged-back', 'elsewhere', 'copied', 'unpaid', 'again'])
      await told('payment', paymentWorkflowId('shop', number), SALE);
    await expect(told('payment', paymentWorkflowId('shop', 'mended'))).rejects.toThrow(WorkflowFailedError);
    await told('speiAccount', speiAccountWorkflowId('shop', 'u-1'), paymentWorkflowId('shop', 'deposit'), SALE);
    await new Promise((resolve) => setTimeout(resolve, 50));
    between = new Date();
    const back = { ...BACK, trade_status: 'REFUNDED', refunded_amount: '150.00' };
    await told('afterSale', afterSaleWorkflowId('shop', 'refunded'), back);
    const accepted = { ...BACK, trade_status: 'SUCCESS', refunded_amount: '50.00', refunds: [{ outcome: 'ACCEPTED' }] };
    await told('afterSale', afterSaleWorkflowId('shop', 'accepted'), accepted);
    await told('afterSale', afterSaleWorkflowId('shop', 'charged-back'), { ...BACK, trade_status: 'CHARGEBACK' });
    // A person has called it sold.
    await told('afterSale', afterSaleWorkflowId('shop', 'unpaid'), { ...BACK, trade_status: 'CANCEL' });
    await expect(told('payment', paymentWorkflowId('shop', 'copied'))).rejects.toThrow(WorkflowFailedError);
    for (const number of ['again', 'mended']) await told('payment', paymentWorkflowId('shop', number), SALE);
    await client.workflow.start('payment', {
      workflowId: paymentWorkflowId('shop', 'open'),
      taskQueue: 'nobody',
      args: [],
    });
  });
  await eventually('all are listed', async () => (await client.workflow.count()).count === 19);
});
afterAll(async () => {
  await temporal?.teardown();
});

/** The gateway's statuses by the numbers of orders. */
const STATUS = new Map([
  ['paid', 'SUCCESS'],
  ['copied', 'SUCCESS'],
  ['deposit', 'SUCCESS'],
  ['accepted', 'SUCCESS'],
  ['refunded', 'REFUNDED'],
  ['charged-back', 'CHARGEBACK'],
  ['elsewhere', 'REFUNDED'],
  ['unpaid', 'CANCEL'],
  ['again', 'SUCCESS'],
  ['mended', 'SUCCESS'],
]);

async function compare(slice: Partial<ReconcileSlice> & { since: string; until: string }) {
  const gateway = new FakeGateway(async () => Date.now());
  const asked: string[] = [];
  gateway.query = async ({ out_trade_no = '' }) => {
    asked.push(out_trade_no);
    return {
      out_trade_no,
      trade_status: STATUS.get(out_trade_no) ?? 'PROCESSING',
      order_amount: '150.00',
      order_currency: 'BRL',
    };
  };
  const environment = new MockActivityEnvironment({}, { client: temporal.client });
  // A test's client adds a listener a call, and removes none. A worker's own (NativeConnection) adds none.
  setMaxListeners(0, environment.context.cancellationSignal);
  const { 'payments.reconcile': reconcile } = reconciliationActivities(new Map([['shop', gateway]]), [], 0);
  const { since, until } = slice;
  const whole = { app_id: 'shop', per_second: 1_000, period: { since, until }, ...slice };
  const work = async () => (await reconcile(whole)).told;
  const { differences } = await environment.run<[], ReconciledSlice, typeof work>(work);
  return {
    asked: [...new Set(asked)].sort(),
    found: differences.map(({ out_trade_no, kind }) => [out_trade_no, kind]),
  };
}

const iso = (ms: number) => new Date(between.getTime() + ms).toISOString();
const [EARLY, MIDDLE, LATE] = [-3_600_000, 0, 3_600_000];

test('a period has the orders of which something was open in it: sales of before it only where something followed', async () => {
  expect((await compare({ since: iso(EARLY), until: iso(MIDDLE) })).asked).toEqual([
    ...['accepted', 'again', 'charged-back', 'copied', 'deposit', 'elsewhere', 'mended', 'paid', 'refunded', 'unpaid'],
  ]);
  const later = await compare({ since: iso(MIDDLE), until: iso(LATE), orders: { to: 'open' } });
  expect(later.asked).toEqual(['accepted', 'again', 'charged-back', 'copied', 'mended']);
});

test('each order of a period is in one of its slices alone, also one whose second payment begins in a later slice', async () => {
  const period = { since: iso(EARLY), until: iso(LATE) };
  const first = await compare({ since: iso(EARLY), until: iso(MIDDLE), period });
  const second = await compare({ since: iso(MIDDLE), until: iso(LATE), period, orders: { to: 'open' } });
  expect([...first.asked, ...second.asked]).toEqual([
    ...['accepted', 'again', 'charged-back', 'copied', 'deposit', 'elsewhere', 'mended', 'paid', 'refunded', 'unpaid'],
  ]);
});

test('an order that a person has called sold, and the gateway has ended unpaid, is a difference', async () => {
  const { found } = await compare({ since: iso(EARLY), until: iso(LATE) });
  expect(found).toContainEqual(['unpaid', 'state']);
});

test('what followed a sale here, and a deposit, is held against the gateway and the merchant’s list', async () => {
  const row = (out_trade_no: string, status: string) => ({ out_trade_no, order_amount: '150.00', status });
  const period = { since: iso(EARLY), until: iso(MIDDLE) };
  expect((await compare(period)).found).toEqual([
    ['elsewhere', 'state'],
    ['unpaid', 'state'],
  ]);
  const rows = [
    row('paid', 'refunded'),
    row('refunded', 'paid'),
    { ...row('accepted', 'refunded'), refunded_amount: '50.00' },
    row('charged-back', 'paid'),
    row('elsewhere', 'refunded'),
    row('copied', 'paid'),
    row('again', 'paid'),
    row('mended', 'paid'),
    { ...row('deposit', 'paid'), order_amount: '149.00' },
  ];
  expect((await compare({ ...period, rows })).found).toEqual([
    ['charged-back', 'state'],
    ['deposit', 'amount'],
    ['elsewhere', 'state'],
    ['paid', 'state'],
    ['refunded', 'state'],
    ['unpaid', 'missing-at-merchant'],
    ['unpaid', 'state'],
  ]);
});

test('a list need not have the orders of before its period, whose payment may have begun again in it', async () => {
  const since = iso(MIDDLE);
  const { asked, found } = await compare({ since, until: iso(LATE), rows: [], orders: { to: 'mended' } });
  expect([asked, found]).toEqual([['accepted', 'again', 'charged-back', 'copied'], []]);
});

test('a list has an order that was made in its period, and refused before', async () => {
  const period = { since: iso(MIDDLE), until: iso(LATE) };
  const { found } = await compare({ ...period, rows: [], orders: { from: 'mended', to: 'open' } });
  expect(found).toEqual([['mended', 'missing-at-merchant']]);
});

test('a run that was given nothing of its own does not hide the sale before it', async () => {
  const { asked, found } = await compare({ since: iso(MIDDLE), until: iso(LATE), orders: { from: 'copied', to: 'd' } });
  expect([asked, found]).toEqual([['copied'], []]);
});
