/**
 * A shop's ordinary year in two minutes: keys set, schedules on, two workers, orders of all methods; in turn an outage of the
 * gateway, a worker without the app, changed keys, workers whose clocks are hours off, every button of Temporal UI, scheduled jobs
 * again and again, a late payment, a refund that is refused and made again, a chargeback. At the end the gateway's ledger, the
 * states, the lists and the reconciliation agree, and nothing is silent.
 */
import { randomUUID } from 'node:crypto';
import { AsyncCompletionClient } from '@temporalio/client';
import Big from 'big.js';
import {
  type AfterSaleState,
  afterSaleWorkflowId,
  paymentWorkflowId,
  scheduledJobs,
  WORKFLOW,
} from '../../../src/contract';
import type { DirectPayment } from '../../../src/gateway';
import { listFiltered } from '../../../src/temporal/attention-list';
import type { ListedWorkflow } from '../../../src/temporal/workflow-list';
import { APP } from '../../../src/testing/stack';
import { key, setting } from '../../codec/support';
import { eventually } from '../../harness/eventually';
import { type PublishedOrder, publishedOrders } from '../../harness/orders';
import { part, USER } from '../../harness/sold';
import { Life } from './life';

const HOUR_MS = 3_600_000;
const METHODS = publishedOrders();

let life: Life;
beforeAll(async () => {
  life = await Life.begin();
  await life.run('setup');
  await life.startWebhook();
  await life.startWorkers(2);
  // The gateway ends no trade by itself, so that one can be paid too late: its time stands still until then.
  life.simulator.clock.speed = 0;
  [late, paused] = [nextOrder({ timeout_express: '1m' }, 'pix'), nextOrder({ timeout_express: '1m' }, 'pix')];
  await Promise.all([late, paused].map(send));
  await pausePoll(paused);
});
afterAll(() => life?.end());

/** Two buyers let their time run out while all else happens: one pays when it is too late. */
let late: PublishedOrder;
/** The other never pays, and somebody pauses the poll. */
let paused: PublishedOrder;

/** Every order of the test. */
const orders = new Map<string, PublishedOrder>();
/** The merchant's books, by order, in the merchant's own words. */
const books = new Map<string, 'open' | 'paid' | 'refunded' | 'chargeback' | 'canceled'>();
let made = 0;

/** Somebody at Temporal UI, who has no keys: what is typed is clear text. */
const typed = () => life.temporal.client;
const service = () => typed().workflowService;
const person = { namespace: 'default', identity: 'ana', reason: 'by mistake' };
const handleOf = (order: PublishedOrder) => typed().workflow.getHandle(idOf(order));
const POLL = 'gateway.watch';
const pollOf = (order: PublishedOrder) => ({ ...person, execution: { workflowId: idOf(order) }, type: POLL });

async function pendingPoll(order: PublishedOrder) {
  const { raw } = await handleOf(order).describe();
  return raw.pendingActivities?.find(({ activityType }) => activityType?.name === POLL);
}

async function pausePoll(order: PublishedOrder): Promise<void> {
  await eventually(`${numberOf(order)} is polled`, async () => (await pendingPoll(order)) !== undefined);
  await service().pauseActivity(pollOf(order));
}

/** The next order: the methods take turns. */
function nextOrder(changes: Partial<DirectPayment> = {}, name?: string): PublishedOrder {
  const published = METHODS.find((one) => one.name === name) ?? METHODS[made % METHODS.length];
  if (!published) throw new Error('no published order');
  made += 1;
  const out_trade_no = `life-${made}-${published.name}`;
  const { cancellation_express: _none, timeout_express: _no, ...request } = published.request;
  const order = { ...published, request: { ...request, out_trade_no, ...changes } };
  orders.set(out_trade_no, order);
  books.set(out_trade_no, 'open');
  return order;
}

const numberOf = ({ request }: PublishedOrder) => request.out_trade_no;
const idOf = (order: PublishedOrder) => paymentWorkflowId(APP.app_id, numberOf(order));
const some = (count: number) => Array.from({ length: count }, () => nextOrder());
const send = ({ kind, request }: PublishedOrder) =>
  kind === 'checkout' ? life.payments.createCheckout(request) : life.payments.pay(request);
const pay = (order: PublishedOrder) => life.simulator.pay(numberOf(order));

/** Sells these orders: sent, paid by the buyer, and known as paid. */
async function sell(some: readonly PublishedOrder[]): Promise<void> {
  await Promise.all(some.map(send));
  await Promise.all(some.map(pay));
  await Promise.all(some.map(isSold));
}

async function isSold(order: PublishedOrder): Promise<void> {
  const { outcome, attention } = await life.payments.outcome(numberOf(order));
  expect([numberOf(order), outcome, attention]).toEqual([numberOf(order), 'SUCCESS', null]);
  books.set(numberOf(order), 'paid');
}

/** An order that somebody interfered with, and that was paid, is known as paid; what a person then has to do, the order's page says. */
async function isSoldWithHelp(order: PublishedOrder): Promise<void> {
  const state = () => life.payments.state(numberOf(order)).catch(() => undefined);
  await eventually(`${numberOf(order)} is known as paid`, async () => (await state())?.outcome === 'SUCCESS');
  // A reason may be in no list for a moment, on its way from a payment that ends to what follows it.
  const asks = async () => (await reasonOf(order)) !== undefined || (await offered(order)) !== '';
  for (let rounds = 0; rounds < 10 && (await asks()); rounds += 1) await settle(order);
  books.set(numberOf(order), 'paid');
}

/** What needs a person, as `list --attention` shows it. */
async function underAttention(): Promise<ListedWorkflow[]> {
  const found: ListedWorkflow[] = [];
  for await (const row of listFiltered(life.client, { attention: true }, new Date())) found.push(row);
  return found;
}

/** Why the order needs a person; undefined where it needs nobody. */
async function reasonOf(order: PublishedOrder): Promise<string | undefined> {
  const row = (await underAttention()).find(({ out_trade_no }) => out_trade_no === numberOf(order));
  return row?.attention ?? undefined;
}

const comesBeforeAPerson = (order: PublishedOrder, reason: string) =>
  eventually(`${numberOf(order)} is listed: ${reason}`, async () => (await reasonOf(order)) === reason);

/** The mildest decision that the order's page offers; empty where it offers none. */
async function offered(order: PublishedOrder): Promise<string> {
  const { printed } = await life.run('show', numberOf(order));
  return /payment-gateway (resolve .*)/.exec(printed)?.[1] ?? '';
}

/** A person reads the order's page, types the mildest decision that it offers, and sees the order leave the list. */
async function settle(order: PublishedOrder, outcome = 'SUCCESS'): Promise<void> {
  const reason = await reasonOf(order);
  if (reason === undefined) return;
  let command = '';
  await eventually(`a decision on ${numberOf(order)} is offered under ${reason}`, async () => {
    command = await offered(order);
    return command !== '' || (await reasonOf(order)) === undefined;
  });
  if (command === '') return;
  const words = command.split(' ').map((word) => ({ OUTCOME: outcome, YOU: 'ana', WHY: 'seen' })[word] ?? word);
  const decided = await life.run(...words);
  if (decided.code !== 0) throw new Error(`${words.join(' ')}:\n${decided.printed}`);
  await eventually(`${numberOf(order)} needs nobody for ${reason}`, async () => (await reasonOf(order)) !== reason);
}

test('setup, made again, says that everything is there, schedules included', async () => {
  const { code, output } = await life.run('setup');
  expect(code).toBe(0);
  expect(output).toContain('Schedule payments-stuck-sweep: ready.');
  expect(output).toContain(`Schedule payments-reconciliation:${APP.app_id}: ready.`);
});

test('orders of all methods are sold', async () => {
  await sell(some(METHODS.length));
});

test('what an outage of the gateway, longer than a person’s patience, finds begun is sold after it, once, and nobody has to do anything', async () => {
  const [lost, waiting, sentMeanwhile, sentLater] = [nextOrder(), nextOrder(), nextOrder(), nextOrder()];
  await send(waiting);
  for (const on of ['pay', 'create'] as const)
    life.simulator.addFault({ on, fault: 'lost-response', out_trade_no: numberOf(lost), ms: 1_000 });
  const sending = [send(lost)];
  const isMade = (order: PublishedOrder) =>
    eventually(
      `the gateway has ${numberOf(order)}`,
      () => life.simulator.trades({ out_trade_no: numberOf(order) }).length === 1,
    );
  await isMade(lost);
  life.outage('no connection');
  sending.push(send(sentMeanwhile));
  await life.simulator.setNotifications(numberOf(waiting), false);
  await pay(waiting);
  await comesBeforeAPerson(lost, 'no-answer');
  // It comes back in two steps: its proxy answers first.
  const outage = life.outage('a proxy’s page');
  sending.push(send(sentLater));
  await comesBeforeAPerson(sentLater, 'no-answer');
  outage.end();
  await Promise.allSettled(sending);
  for (const order of [sentMeanwhile, sentLater]) await isMade(order);
  await Promise.all([lost, sentMeanwhile, sentLater].map(pay));
  for (const order of [lost, waiting, sentMeanwhile, sentLater]) await isSold(order);
});

test('beside a worker whose settings lack the app, orders are sold by the others', async () => {
  const lacking = await life.startWorkers(1, { lacksApp: true });
  await sell(some(6));
  await life.stopWorkers(lacking);
});

test('workers whose clocks are three hours off, ahead and behind, sell as the others do', async () => {
  await life.stopWorkers();
  await Promise.all([3, -3].map((hours) => life.startWorkers(1, { clock_ms: hours * HOUR_MS })));
  await sell(some(6));
});

test('the sweep and the reconciliation run three times each, and after each of two deploys that change the keys; what was begun before goes on', async () => {
  const jobs = scheduledJobs([APP.app_id]).map(({ schedule_id }) => schedule_id);
  expect(jobs).toHaveLength(2);
  for (let i = 0; i < 3; i += 1) for (const job of jobs) await startJob(job);
  const open = some(4);
  await Promise.all(open.map(send));
  const [before, next] = [life.encryptionKeys, setting(key('k2'))];
  for (const keys of [`${before},${next}`, `${next},${before}`]) {
    await life.deploy(keys);
    for (const job of jobs) await startJob(job);
  }
  await Promise.all(open.map(pay));
  await Promise.all(open.map(isSold));
  await sell(some(2));
});

describe('what people press in Temporal UI', () => {
  const terminate = (order: PublishedOrder) => handleOf(order).terminate('by mistake');

  /** Starts a workflow as "Start Workflow Like This One" does: what it cannot read is `***`. */
  const startLike = ({ kind, request }: PublishedOrder) =>
    typed().workflow.start(WORKFLOW.payment, {
      workflowId: paymentWorkflowId(APP.app_id, request.out_trade_no),
      taskQueue: 'payments',
      args: [
        { kind, app_id: APP.app_id, request: { ...request, buyer_id: '***', customer: { name: '***', email: '***' } } },
      ],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });

  /** Ends the attempt of its poll that is under way: only such a one can be ended by hand. */
  async function endPoll(order: PublishedOrder, end: (client: AsyncCompletionClient, poll: Poll) => Promise<void>) {
    const out_trade_no = numberOf(order);
    // Long enough to be found under way.
    life.simulator.addFault({ on: 'query', fault: 'delay', ms: 3_000, out_trade_no, times: 2 });
    const client = new AsyncCompletionClient({ connection: life.temporal.connection });
    await eventually(`a poll of ${out_trade_no} was ended by hand`, async () => {
      const STARTED = 2;
      const { state, activityId } = (await pendingPoll(order)) ?? {};
      if (state !== STARTED || !activityId) return false;
      return end(client, { workflowId: idOf(order), activityId }).then(
        () => true,
        // The attempt had just ended by itself.
        () => false,
      );
    });
  }
  type Poll = { workflowId: string; activityId: string };

  test('“Start Workflow Like This One” on a paid order harms nobody: it stays sold, is shown as sold, and can be refunded', async () => {
    const order = nextOrder({}, 'credit-card');
    await sell([order]);
    await expect((await startLike(order)).result()).rejects.toThrow();
    expect((await life.run('show', numberOf(order))).printed).toContain('SUCCESS');
    expect(await life.payments.outcome(numberOf(order))).toMatchObject({ outcome: 'SUCCESS' });
    expect(await life.payments.state(numberOf(order))).toMatchObject({ outcome: 'SUCCESS' });
    const refund = life.payments.refund(numberOf(order), { user_info: USER });
    await eventually('the gateway has the refund', () => refundsOf(order).length === 1);
    await life.simulator.advance('1s');
    await refund;
    await isRefunded(order);
  });

  test('“Start Workflow Like This One” on an order that somebody terminated goes on as that order', async () => {
    const order = nextOrder();
    await send(order);
    await terminate(order);
    await startLike(order);
    await pay(order);
    await isSoldWithHelp(order);
  });

  test('a start that somebody types for a number that nobody has ends at once, and leaves the number to the merchant', async () => {
    const order = nextOrder();
    await expect((await startLike(order)).result()).rejects.toThrow();
    expect(life.simulator.trades({ out_trade_no: numberOf(order) })).toEqual([]);
    await sell([order]);
  });

  test('orders that somebody terminated one by one, and by a batch, are listed by the next sweep, and lose nothing', async () => {
    const [unpaid, ...open] = [nextOrder(), ...some(4)] as const;
    await Promise.all([unpaid, ...open].map(send));
    const [one, ...others] = open;
    await Promise.all([unpaid, one].map((order) => order && terminate(order)));
    const visibilityQuery = `WorkflowId IN (${others.map((order) => `'${idOf(order)}'`).join(', ')})`;
    await eventually('Temporal lists them', async () => (await typed().workflow.count(visibilityQuery)).count === 3);
    await service().startBatchOperation({
      ...person,
      jobId: randomUUID(),
      visibilityQuery,
      terminationOperation: { identity: 'ana' },
    });
    for (const order of others)
      await eventually('it is terminated', async () => (await handleOf(order).describe()).status.name === 'TERMINATED');
    await Promise.all(open.map(pay));
    await sweep();
    await comesBeforeAPerson(unpaid, 'terminated');
    for (const order of open) await isSoldWithHelp(order);
    await settle(unpaid, 'CANCEL');
    await life.simulator.act(numberOf(unpaid), 'cancel');
    books.set(numberOf(unpaid), 'canceled');
  });

  test('a poll that somebody paused is listed, and its order is sold once the poll is unpaused', async () => {
    const order = nextOrder();
    await send(order);
    await pausePoll(order);
    await comesBeforeAPerson(order, 'paused-activity');
    expect((await life.run('show', numberOf(order))).printed).toContain('somebody has paused it');
    await service().unpauseActivity(pollOf(order));
    await eventually('it is not listed', async () => (await reasonOf(order)) === undefined);
    await life.simulator.setNotifications(numberOf(order), false);
    await pay(order);
    await isSold(order);
  });

  test('a poll that somebody fails by hand says nothing about the order', async () => {
    const order = nextOrder();
    await send(order);
    await endPoll(order, (client, poll) => client.fail(poll, new Error('by hand')));
    await pay(order);
    await isSold(order);
  });

  test('a poll that somebody completes by hand, in clear text, says nothing about the order', async () => {
    const order = nextOrder();
    await send(order);
    await endPoll(order, (client, poll) => client.complete(poll, { trade_status: 'SUCCESS', trade_no: 'invented' }));
    await pay(order);
    await isSold(order);
  });

  test('a reset and a cancellation change nothing that the gateway knows', async () => {
    const open = some(2);
    const [reset, canceled] = open;
    if (!reset || !canceled) throw new Error('no orders');
    await Promise.all(open.map(send));
    const { events } = await handleOf(reset).fetchHistory();
    const first = events?.find((event) => event.workflowTaskCompletedEventAttributes)?.eventId ?? null;
    const workflowExecution = { workflowId: idOf(reset) };
    await service().resetWorkflowExecution({
      ...person,
      workflowExecution,
      requestId: randomUUID(),
      workflowTaskFinishEventId: first,
    });
    await handleOf(canceled).cancel();
    await Promise.all(open.map(pay));
    for (const order of open) await isSoldWithHelp(order);
  });

  test('a signal that somebody types, in clear text, asks for a person, and the order is sold once it is paid', async () => {
    const order = nextOrder();
    await send(order);
    await handleOf(order).signal('notification', { trade_status: 'SUCCESS', trade_no: 'invented' });
    await comesBeforeAPerson(order, 'unexpected-signal');
    await settle(order);
    expect(await life.payments.state(numberOf(order))).toMatchObject({ outcome: null, attention: null });
    await pay(order);
    await isSold(order);
  });

  test('updates that somebody types, in clear text, are refused, and the order is sold once it is paid', async () => {
    const order = nextOrder();
    await send(order);
    const decided = { outcome: 'SUCCESS', by: 'ana', reason: 'typed' };
    await expect(handleOf(order).executeUpdate('resolve', { args: [decided] })).rejects.toThrow();
    const other = { kind: order.kind, app_id: APP.app_id, request: { ...order.request, order_amount: '1.00' } };
    await expect(handleOf(order).executeUpdate('created', { args: [other] })).rejects.toThrow();
    expect(await life.payments.state(numberOf(order))).toMatchObject({ outcome: null, attention: null });
    await pay(order);
    await isSold(order);
  });
});

test('a pause of the poll takes no deadline away: the order ends in its time, and a person is told that the gateway has not ended it', async () => {
  expect(await life.payments.outcome(numberOf(paused))).toMatchObject({ outcome: 'EXPIRED' });
  await comesBeforeAPerson(paused, 'never-ended');
  await settle(paused);
  books.set(numberOf(paused), 'canceled');
});

test('money that comes late is before a person until that person says what becomes of it', async () => {
  expect(await life.payments.outcome(numberOf(late))).toMatchObject({ outcome: 'EXPIRED' });
  await comesBeforeAPerson(late, 'never-ended');
  await settle(late);
  await pay(late);
  await comesBeforeAPerson(late, 'late-payment');
  await settle(late);
  // The time of the gateway goes on, and it ends what nobody has paid.
  life.simulator.clock.speed = 1;
  await life.simulator.advance('2m');
  expect(await life.payments.state(numberOf(late))).toMatchObject({ outcome: 'SUCCESS' });
  books.set(numberOf(late), 'paid');
});

const sweep = () => startJob('payments-stuck-sweep');

/** Has a Schedule start its job as its time does, and waits until the job has done its work. */
async function startJob(scheduleId: string): Promise<void> {
  const schedule = life.client.schedule.getHandle(scheduleId);
  const lastRun = async () => (await schedule.describe()).info.recentActions.at(-1)?.action.workflow;
  const before = (await lastRun())?.firstExecutionRunId;
  await schedule.trigger('BUFFER_ONE');
  await eventually(`${scheduleId} starts`, async () => (await lastRun())?.firstExecutionRunId !== before);
  const { workflowId = '', firstExecutionRunId = '' } = (await lastRun()) ?? {};
  await life.client.workflow.getHandle(workflowId, firstExecutionRunId).result();
}

const refundsOf = (order: PublishedOrder) =>
  life.simulator.ledger().find(({ out_trade_no }) => out_trade_no === numberOf(order))?.refunds ?? [];

async function isRefunded(order: PublishedOrder): Promise<void> {
  const handle = life.client.workflow.getHandle(afterSaleWorkflowId(APP.app_id, numberOf(order)));
  await eventually('the refund is known', async () => {
    const { refunded_amount } = await handle.query<AfterSaleState>('state');
    return new Big(refunded_amount).eq(order.request.order_amount);
  });
  books.set(numberOf(order), 'refunded');
}

describe('after the sale', () => {
  test('a refund that the bank refuses is made again under another number, and gives back the money once', async () => {
    const order = nextOrder({}, 'pix');
    await sell([order]);
    life.simulator.configure({ refundTakes: 'manual' });
    const money = { ...part(order.request.order_amount, 'first'), user_info: USER };
    await life.payments.refund(numberOf(order), money);
    await actOnRefund(order, 'first', 'refuse');
    await eventually('the refusal is known', async () => {
      const { refunds } = await life.payments.refunds(numberOf(order));
      return refunds.some(({ outcome }) => outcome === 'REFUND_REFUSED');
    });
    await life.payments.refund(numberOf(order), { ...money, out_request_no: 'second' });
    await actOnRefund(order, 'second', 'approve');
    await isRefunded(order);
    life.simulator.configure({ refundTakes: '1s' });
  });

  async function actOnRefund(order: PublishedOrder, number: string, action: 'refuse' | 'approve'): Promise<void> {
    const made = () => refundsOf(order).find(({ out_request_no }) => out_request_no === number);
    await eventually(`the gateway has refund ${number} of ${numberOf(order)}`, () => made() !== undefined);
    await life.simulator.actOnRefund(made()?.refund_id ?? '', action);
  }

  test('a chargeback is before a person, and stays in the books', async () => {
    const order = nextOrder({}, 'credit-card');
    await sell([order]);
    await life.simulator.act(numberOf(order), 'chargeback');
    await comesBeforeAPerson(order, 'chargeback');
    await settle(order);
    books.set(numberOf(order), 'chargeback');
  });
});

describe('at the end', () => {
  const isPaid = (of: string) => books.get(of) !== 'canceled';
  const paid = () => [...books.keys()].filter(isPaid);

  test('at least sixty orders were made, each has one trade, and each buyer who paid was charged once', async () => {
    while (made < 60) await sell(some(Math.min(10, 60 - made)));
    expect([...books].filter(([, status]) => status === 'open')).toEqual([]);
    const ledger = life.simulator
      .ledger()
      .map(({ out_trade_no, orders: trades, charges }) => [out_trade_no, trades, charges]);
    expect(ledger).toHaveLength(books.size);
    expect(ledger).toEqual(expect.arrayContaining([...books.keys()].map((of) => [of, 1, isPaid(of) ? 1 : 0])));
  });

  test('what went back to buyers is what the merchant asked to give back', () => {
    const back = life.simulator.ledger().filter(({ refunded_amount }) => new Big(refunded_amount).gt(0));
    const refunded = [...books].filter(([, status]) => status === 'refunded').map(([of]) => of);
    expect(new Map(back.map(({ out_trade_no, refunded_amount }) => [out_trade_no, refunded_amount]))).toEqual(
      new Map(refunded.map((of) => [of, new Big(orders.get(of)?.request.order_amount ?? 0).toFixed(2)])),
    );
  });

  test('each order is known as paid where it was paid, and only there', async () => {
    const states = await Promise.all([...books.keys()].map((of) => life.payments.state(of)));
    const known = states.filter(({ outcome }) => outcome === 'SUCCESS').map(({ out_trade_no }) => out_trade_no);
    expect(new Set(known)).toEqual(new Set(paid()));
  });

  test('the list of what needs a person is empty, jobs included, and no task fails', async () => {
    await sweep();
    expect((await life.run('list', '--attention', '--json')).output).toBe('');
    expect((await life.run('list', '--stuck', '1s', '--json')).output).toBe('');
  });

  test('the reconciliation with the merchant’s books finds no difference, and finds each that is written into them', async () => {
    const book = (status: (of: string) => string | undefined) => {
      const rows = [...orders].map(([of, { request }]) =>
        [of, request.order_amount, status(of), request.order_currency].join(','),
      );
      return ['order,amount,status,currency', ...rows].join('\n');
    };
    expect(await life.reconcile(book((of) => books.get(of)))).toMatchObject({ code: 0, differences: [] });
    const { differences } = await life.reconcile(book(() => 'paid'));
    const wrong = [...books].filter(([, status]) => status !== 'paid').map(([of]) => of);
    expect(new Set(differences.map(({ out_trade_no }) => out_trade_no))).toEqual(new Set(wrong));
  });
});
