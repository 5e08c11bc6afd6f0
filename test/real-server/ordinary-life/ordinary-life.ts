/**
 * A shop's ordinary year in two minutes: keys set, schedules on, two workers, orders of all methods; in turn an outage of the
 * gateway, a worker without the app, changed keys, a worker whose clock is hours off, every button of Temporal UI, scheduled jobs
 * again and again, a late payment, a refund that is refused and made again, a chargeback. At the end the gateway's ledger, the
 * states, the lists and the reconciliation agree, and nothing is silent.
 */
import { randomUUID } from 'node:crypto';
import { AsyncCompletionClient } from '@temporalio/client';
import Big from 'big.js';
import { type AfterSaleState, afterSaleWorkflowId, paymentWorkflowId, WORKFLOW } from '../../../src/contract';
import type { DirectPayment } from '../../../src/gateway';
import { APP } from '../../../src/testing/stack';
import { key, setting } from '../../codec/support';
import { eventually } from '../../harness/eventually';
import { type PublishedOrder, publishedOrders } from '../../harness/orders';
import { part, USER, whole } from '../../harness/sold';
import { Life } from './life';

const HOUR_MS = 3_600_000;
const METHODS = publishedOrders();

let life: Life;
beforeAll(async () => {
  life = await Life.begin();
  await life.run('setup');
  await life.startWebhook();
  await life.startWorkers(2);
});
afterAll(() => life?.end());

/** Every order of the test, and what its merchant knows of it. */
const orders = new Map<string, PublishedOrder>();
/** Orders that the merchant's books call paid at the end. */
const sales = new Set<string>();
let made = 0;

/** The next order: the methods take turns. */
function nextOrder(changes: Partial<DirectPayment> = {}, name?: string): PublishedOrder {
  const published = METHODS.find((one) => one.name === name) ?? METHODS[made % METHODS.length];
  if (!published) throw new Error('no published order');
  made += 1;
  const out_trade_no = `life-${made}-${published.name}`;
  const { cancellation_express: _none, timeout_express: _no, ...request } = published.request;
  const order = { ...published, request: { ...request, out_trade_no, ...changes } };
  orders.set(out_trade_no, order);
  return order;
}

const numberOf = ({ request }: PublishedOrder) => request.out_trade_no;
const send = ({ kind, request }: PublishedOrder) =>
  kind === 'checkout' ? life.payments.createCheckout(request) : life.payments.pay(request);

/** Sells these orders: sent, paid by the buyer, and known as paid. */
async function sell(some: readonly PublishedOrder[]): Promise<void> {
  await Promise.all(some.map(send));
  for (const order of some) await life.simulator.pay(numberOf(order));
  await Promise.all(some.map(isSold));
}

async function isSold(order: PublishedOrder): Promise<void> {
  const state = await life.payments.outcome(numberOf(order));
  expect(state).toMatchObject({ outcome: 'SUCCESS', attention: null });
  sales.add(numberOf(order));
}

const paymentId = (out_trade_no: string) => paymentWorkflowId(APP.app_id, out_trade_no);
const some = (count: number) => Array.from({ length: count }, () => nextOrder());

/** What `list --attention` names, by order or workflow. */
async function underAttention(): Promise<{ of: string; attention: string }[]> {
  const { output } = await life.run('list', '--attention', '--json');
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .map((row) => ({ of: row.out_trade_no ?? row.workflow_id, attention: row.attention }));
}

const isListed = async (of: string, attention?: string) =>
  (await underAttention()).some((row) => row.of === of && (attention === undefined || row.attention === attention));

test('setup, made again, says that everything is there, schedules included', async () => {
  const { code, output } = await life.run('setup');
  expect(code).toBe(0);
  expect(output).toContain('Schedule payments-stuck-sweep: ready.');
  expect(output).toContain(`Schedule payments-reconciliation:${APP.app_id}: ready.`);
});

test('orders of all methods are sold', async () => {
  await sell(some(METHODS.length));
});

describe('an outage of the gateway that is longer than a person’s patience', () => {
  test.each(['no connection', 'a proxy’s page'] as const)(
    'where there is %s: what was begun before is sold after it, once, and nobody has to do anything',
    async (kind) => {
      const [lost, waiting, sentMeanwhile] = [nextOrder(), nextOrder(), nextOrder()];
      await send(waiting);
      life.simulator.addFault({ on: 'pay', fault: 'lost-response', out_trade_no: numberOf(lost), ms: 1_000 });
      life.simulator.addFault({ on: 'create', fault: 'lost-response', out_trade_no: numberOf(lost), ms: 1_000 });
      const sending = send(lost).catch(() => undefined);
      await eventually(
        'the gateway has the order',
        () => life.simulator.trades({ out_trade_no: numberOf(lost) }).length === 1,
      );
      const outage = life.outage(kind);
      const late = send(sentMeanwhile).catch(() => undefined);
      await life.simulator.setNotifications(numberOf(waiting), false);
      await life.simulator.pay(numberOf(waiting));
      await eventually('a person is told that the gateway does not answer', () =>
        isListed(numberOf(lost), 'no-answer'),
      );
      outage.end();
      await Promise.all([sending, late]);
      await eventually(
        'the order is at the gateway',
        () => life.simulator.trades({ out_trade_no: numberOf(sentMeanwhile) }).length === 1,
      );
      for (const order of [lost, sentMeanwhile]) await life.simulator.pay(numberOf(order));
      await Promise.all([lost, waiting, sentMeanwhile].map(isSold));
    },
  );
});

test('beside a worker whose settings lack the app, orders are sold by the others', async () => {
  const lacking = await life.startWorkers(1, { lacksApp: true });
  await sell(some(6));
  await life.stopWorkers(lacking);
});

test('keys are changed by two deploys while orders are open: what was begun before goes on', async () => {
  const open = some(4);
  await Promise.all(open.map(send));
  const [before, next] = [life.encryptionKeys, setting(key('k2'))];
  await life.deploy(`${before},${next}`);
  await life.deploy(`${next},${before}`);
  for (const order of open) await life.simulator.pay(numberOf(order));
  await Promise.all(open.map(isSold));
  await sell(some(2));
});

test.each([3, -3])('workers whose clock is %i hours off sell as the others do', async (hours) => {
  await life.stopWorkers();
  await life.startWorkers(2, { clock_ms: hours * HOUR_MS });
  await sell(some(4));
  await life.stopWorkers();
  await life.startWorkers(2);
});

describe('what people press in Temporal UI', () => {
  /** Somebody at Temporal UI, who has no keys: what is typed is clear text. */
  const typed = () => life.temporal.client;
  const service = () => life.temporal.client.workflowService;
  const namespace = 'default';
  const person = { namespace, identity: 'ana', reason: 'pressed by mistake' };
  const terminate = (of: PublishedOrder) =>
    typed()
      .workflow.getHandle(paymentId(numberOf(of)))
      .terminate('by mistake');
  const watching = 'gateway.watch';

  /** Starts a workflow as "Start Workflow Like This One" does: what it cannot read is `***`. */
  const startLike = (workflowId: string, type: string, input: object) =>
    typed().workflow.start(type, {
      workflowId,
      taskQueue: 'payments',
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
  const hidden = ({ kind, request }: PublishedOrder) => ({
    kind,
    app_id: APP.app_id,
    request: { ...request, buyer_id: '***', customer: { name: '***', email: '***' } },
  });

  test('“Start Workflow Like This One” on a paid order harms nobody: it stays sold, is shown as sold, and can be refunded', async () => {
    const order = nextOrder({}, 'credit-card');
    await sell([order]);
    const like = await startLike(paymentId(numberOf(order)), WORKFLOW.payment, hidden(order));
    await expect(like.result()).rejects.toThrow();
    expect((await life.run('show', numberOf(order))).printed).toContain('SUCCESS');
    expect(await life.payments.outcome(numberOf(order))).toMatchObject({ outcome: 'SUCCESS' });
    expect(await life.payments.state(numberOf(order))).toMatchObject({ outcome: 'SUCCESS' });
    const { request } = order;
    await life.payments.refund(numberOf(order), { ...whole(request), user_info: USER });
    await refunded(order);
  });

  test('“Start Workflow Like This One” on an order that somebody terminated, and that is then paid, comes before a person or is sold', async () => {
    const order = nextOrder();
    await send(order);
    await terminate(order);
    const like = await startLike(paymentId(numberOf(order)), WORKFLOW.payment, hidden(order));
    await like.result().catch(() => undefined);
    await life.simulator.pay(numberOf(order));
    await settledBySomebody(order);
  });

  test('an order that somebody terminated is in the list within a sweep, whether it is paid or not', async () => {
    const [unpaid, paid] = [nextOrder(), nextOrder()];
    await Promise.all([unpaid, paid].map(send));
    await Promise.all([unpaid, paid].map(terminate));
    await life.simulator.pay(numberOf(paid));
    await sweep();
    await eventually('the unpaid one is listed', () => isListed(numberOf(unpaid)));
    await settledBySomebody(paid);
    await life.simulator.act(numberOf(unpaid), 'cancel');
  });

  test('a pause of the poll takes no deadline away, is listed, and ends by an unpause', async () => {
    const order = nextOrder({ timeout_express: '1m' }, 'pix');
    await send(order);
    const workflowId = paymentId(numberOf(order));
    const isPolling = async () =>
      (await typed().workflow.getHandle(workflowId).describe()).raw.pendingActivities?.some(
        ({ activityType }) => activityType?.name === watching,
      ) === true;
    await eventually('it is polled', isPolling);
    const activity = { ...person, execution: { workflowId }, type: watching };
    await service().pauseActivity(activity);
    await sweep();
    await eventually('the pause is listed', () => isListed(numberOf(order)));
    expect((await life.run('show', numberOf(order))).printed).toMatch(/paused/i);
    await life.simulator.advance('2m');
    expect(await life.payments.outcome(numberOf(order))).toMatchObject({
      outcome: expect.stringMatching(/EXPIRED|CANCEL/),
    });
  });

  test('a poll that somebody fails by hand says nothing about the order', async () => {
    const order = nextOrder();
    await send(order);
    const workflowId = paymentId(numberOf(order));
    // An attempt that is under way can be failed by hand.
    life.simulator.addFault({ on: 'query', fault: 'delay', ms: 5_000, out_trade_no: numberOf(order), times: 3 });
    const poll = async () =>
      (await typed().workflow.getHandle(workflowId).describe()).raw.pendingActivities?.find(
        ({ activityType, lastStartedTime, state }) => activityType?.name === watching && lastStartedTime && state === 2,
      )?.activityId;
    await eventually('an attempt is under way', async () => (await poll()) !== undefined);
    const byHand = new AsyncCompletionClient({ connection: life.temporal.connection });
    await byHand.fail({ workflowId, activityId: (await poll()) ?? '' }, new Error('by hand'));
    await life.simulator.pay(numberOf(order));
    await isSold(order);
  });

  test('a reset, a cancellation, and a signal and an update that somebody types, change nothing that the gateway knows', async () => {
    const [reset, canceled, signaled] = [nextOrder(), nextOrder(), nextOrder()];
    await Promise.all([reset, canceled, signaled].map(send));
    const { events } = await typed()
      .workflow.getHandle(paymentId(numberOf(reset)))
      .fetchHistory();
    await service().resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: paymentId(numberOf(reset)) },
      reason: 'by mistake',
      requestId: randomUUID(),
      workflowTaskFinishEventId: events?.find((event) => event.workflowTaskCompletedEventAttributes)?.eventId ?? null,
    });
    await typed()
      .workflow.getHandle(paymentId(numberOf(canceled)))
      .cancel();
    const handle = typed().workflow.getHandle(paymentId(numberOf(signaled)));
    await handle.signal('notification', { trade_status: 'SUCCESS', trade_no: 'invented' });
    await handle.executeUpdate('recheck', { args: [] }).catch(() => undefined);
    for (const order of [reset, canceled, signaled]) await life.simulator.pay(numberOf(order));
    for (const order of [reset, canceled, signaled]) await settledBySomebody(order);
    expect(life.simulator.trades({ out_trade_no: numberOf(reset) })).toHaveLength(1);
  });

  test('a batch that terminates open orders, which then are paid, loses none of them', async () => {
    const open = some(3);
    await Promise.all(open.map(send));
    const ids = open.map((order) => `'${paymentId(numberOf(order))}'`).join(', ');
    const visibilityQuery = `WorkflowId IN (${ids})`;
    await eventually('they are listed', async () => (await typed().workflow.count(visibilityQuery)).count === 3);
    await service().startBatchOperation({
      namespace,
      jobId: randomUUID(),
      reason: 'by mistake',
      visibilityQuery,
      terminationOperation: { identity: 'ana' },
    });
    for (const order of open) {
      const ended = async () =>
        (
          await typed()
            .workflow.getHandle(paymentId(numberOf(order)))
            .describe()
        ).status.name;
      await eventually('it is terminated', async () => (await ended()) === 'TERMINATED');
      await life.simulator.pay(numberOf(order));
      await settledBySomebody(order);
    }
  });
});

/** Money of an order that somebody interfered with: it is sold, or a person has it in the list and says that it is sold. */
async function settledBySomebody(order: PublishedOrder): Promise<void> {
  const of = numberOf(order);
  const state = () => life.payments.state(of).catch(() => undefined);
  await eventually(`${of} is sold or before a person`, async () => {
    const known = await state();
    return (known?.outcome === 'SUCCESS' && known.attention === null) || (await isListed(of));
  });
  // A person sees it in the dashboard as paid.
  for (let tries = 0; (await isListed(of)) && tries < 3; tries += 1)
    await life.run('resolve', of, '--outcome', 'SUCCESS', '--by', 'ana', '--reason', 'seen in the dashboard');
  await eventually(`${of} needs nobody`, async () => !(await isListed(of)));
  sales.add(of);
}

/** Makes the sweep run now, and waits until it has looked. */
async function sweep(): Promise<void> {
  await triggered('payments-stuck-sweep');
}

/** Triggers a schedule, and waits until what it starts has looked. */
async function triggered(scheduleId: string): Promise<void> {
  const schedule = life.client.schedule.getHandle(scheduleId);
  const before = (await schedule.describe()).info.numActionsTaken;
  await schedule.trigger();
  await eventually(`${scheduleId} has run`, async () => {
    const { numActionsTaken, numActionsSkippedOverlap } = (await schedule.describe()).info;
    return numActionsTaken + numActionsSkippedOverlap > before;
  });
}

async function refunded(order: PublishedOrder): Promise<void> {
  const handle = life.client.workflow.getHandle(afterSaleWorkflowId(APP.app_id, numberOf(order)));
  await eventually('the refund is known', async () => {
    const { refunded_amount } = await handle.query<AfterSaleState>('state');
    return new Big(refunded_amount).eq(order.request.order_amount);
  });
  books.set(numberOf(order), 'refunded');
}

/** What the merchant's books say of an order that is not simply paid. */
const books = new Map<string, string>();

describe('what Temporal starts by itself', () => {
  test('the sweep and the reconciliation run three times each, and once more after a change of keys', async () => {
    const ids = ['payments-stuck-sweep', `payments-reconciliation:${APP.app_id}`];
    for (let i = 0; i < 3; i += 1) for (const id of ids) await runs(id);
    const kept = life.encryptionKeys.split(',').slice(0, 1);
    await life.deploy([setting(key('k3')), ...kept].join(','));
    for (const id of ids) await runs(id);
  });

  /** Triggers a schedule, and waits until what it started has ended well. */
  async function runs(scheduleId: string): Promise<void> {
    const schedule = life.client.schedule.getHandle(scheduleId);
    const before = (await schedule.describe()).info.numActionsTaken;
    await schedule.trigger();
    await eventually(`${scheduleId} starts`, async () => (await schedule.describe()).info.numActionsTaken > before);
    const { action } = (await schedule.describe()).info.recentActions.at(-1) ?? {};
    const { workflowId = '', firstExecutionRunId } = action?.type === 'startWorkflow' ? action.workflow : {};
    const handle = life.client.workflow.getHandle(workflowId, firstExecutionRunId);
    await eventually(`${workflowId} has looked`, async () => {
      const state = await handle
        .query<{ looked_at?: string | null; finished?: boolean }>('state')
        .catch(() => undefined);
      return Boolean(state?.looked_at ?? state?.finished);
    });
  }
});

describe('after the sale', () => {
  test('money that comes late is before a person until that person says what becomes of it', async () => {
    const order = nextOrder({ timeout_express: '1m' }, 'pix');
    life.simulator.clock.speed = 0;
    await send(order);
    expect(await life.payments.outcome(numberOf(order))).toMatchObject({ outcome: 'EXPIRED' });
    life.simulator.clock.speed = 1;
    await life.simulator.pay(numberOf(order));
    await eventually('the money is before a person', () => isListed(numberOf(order), 'late-payment'));
    await life.run(
      'resolve',
      numberOf(order),
      '--outcome',
      'SUCCESS',
      '--by',
      'ana',
      '--reason',
      'it can be delivered',
    );
    await eventually('it needs nobody', async () => !(await isListed(numberOf(order))));
    sales.add(numberOf(order));
  });

  test('a refund that the bank refuses is made again under another number, and gives back the money once', async () => {
    const order = nextOrder({}, 'pix');
    await sell([order]);
    life.simulator.configure({ refundTakes: 'manual' });
    const money = { ...part(order.request, order.request.order_amount, 'first'), user_info: USER };
    const refused = life.payments.refund(numberOf(order), money).catch(() => undefined);
    await actOnRefund(order, 'first', 'refuse');
    await refused;
    const again = life.payments.refund(numberOf(order), { ...money, out_request_no: 'second' }).catch(() => undefined);
    await actOnRefund(order, 'second', 'approve');
    await again;
    await refunded(order);
    life.simulator.configure({ refundTakes: '1s' });
  });

  async function actOnRefund(order: PublishedOrder, number: string, action: 'refuse' | 'approve'): Promise<void> {
    const of = () =>
      life.simulator
        .refunds({})
        .find((one) => one.out_request_no === number && one.refund_status === 'REFUND_PROCESSING');
    await eventually(`refund ${number} of ${numberOf(order)} is under way`, () => of() !== undefined);
    await life.simulator.actOnRefund(of()?.refund_id ?? '', action);
  }

  test('a chargeback is before a person, and stays in the books', async () => {
    const order = nextOrder({}, 'credit-card');
    await sell([order]);
    await life.simulator.act(numberOf(order), 'chargeback');
    await eventually('it is before a person', () => isListed(numberOf(order), 'chargeback'));
    await life.run('resolve', numberOf(order), '--by', 'ana', '--reason', 'not delivered');
    await eventually('it needs nobody', async () => !(await isListed(numberOf(order))));
    books.set(numberOf(order), 'chargeback');
  });
});

describe('at the end', () => {
  test('sixty orders were made, each has one trade, and no buyer was charged twice', async () => {
    while (made < 60) await sell(some(Math.min(10, 60 - made)));
    const ledger = new Map(life.simulator.ledger().map((entry) => [entry.out_trade_no, entry]));
    for (const of of orders.keys()) expect(ledger.get(of)).toMatchObject({ orders: 1 });
    for (const [of, { charges }] of ledger) expect([of, charges <= 1]).toEqual([of, true]);
    for (const of of sales) expect(ledger.get(of)).toMatchObject({ charges: 1 });
  });

  test('what the gateway has as paid is known here as paid, and the other way round', async () => {
    const paid = life.simulator.ledger().filter(({ charges }) => charges > 0);
    expect(new Set(paid.map(({ out_trade_no }) => out_trade_no))).toEqual(new Set(sales));
    for (const of of sales) expect(await life.payments.state(of)).toMatchObject({ outcome: 'SUCCESS' });
  });

  test('the list of what needs a person names nothing that nobody has seen', async () => {
    await sweep();
    expect(await underAttention()).toEqual([]);
  });

  test('the reconciliation with the merchant’s books finds no difference, and finds each that is written into them', async () => {
    const row = (of: string, status: string) => {
      const { order_amount, order_currency } = orders.get(of)?.request ?? {};
      return `${of},${order_amount},${status},${order_currency}`;
    };
    const rows = [...sales].map((of) => row(of, books.get(of) ?? 'paid'));
    const head = 'order,amount,status,currency';
    expect(await life.reconcile([head, ...rows].join('\n'))).toMatchObject({ differences: [] });
    const wrong = [...books.keys()];
    const untrue = [...sales].map((of) => row(of, 'paid'));
    const { differences } = await life.reconcile([head, ...untrue].join('\n'));
    expect(new Set(differences.map(({ out_trade_no }) => out_trade_no))).toEqual(new Set(wrong));
  });
});
