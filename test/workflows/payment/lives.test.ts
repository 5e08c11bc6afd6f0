/** Whole payments on the simulated Temporal, where three days take moments. */
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { OnEvent } from '../../../src/activities';
import {
  afterSaleWorkflowId,
  EVENT_HANDLER,
  eventDeliveryWorkflowId,
  paymentWorkflowId,
  SEARCH_ATTRIBUTE,
} from '../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { FakeGateway } from '../../../src/testing/fake-gateway/fake-gateway';
import { SimulatedEnvironment } from '../../../src/testing/simulated-temporal/environment';
import { APP } from '../../../src/testing/stack';
import { fakeWorkerActivities } from '../../../src/testing/worker-activities';
import type {
  MerchantEvent,
  NewPayment,
  PaymentEvent,
  PaymentInput,
  PaymentState,
  PaymentWorkflow,
} from '../../../src/workflows';
import { order } from '../../harness/orders';

const SECOND = 1_000;

let env: SimulatedEnvironment;
let gateway: FakeGateway;
beforeEach(async () => {
  env = await SimulatedEnvironment.create();
  gateway = new FakeGateway(() => env.currentTimeMs());
  work();
});
afterEach(() => env?.teardown());

/** A worker, with the default settings except for those given. */
const work = (settings: Record<string, string> = {}, onEvent?: OnEvent): void =>
  env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway, env: settings, onEvent }));

function workflowIdOf(input: PaymentInput): string {
  const out_trade_no = input.kind === 'adopt' ? input.out_trade_no : input.request.out_trade_no;
  return paymentWorkflowId(input.app_id, out_trade_no ?? `adopted-${randomUUID()}`);
}

const start = (input: PaymentInput) =>
  env.client.workflow.start<PaymentWorkflow>('payment', {
    workflowId: workflowIdOf(input),
    taskQueue: 'simulated',
    args: [input],
  });

/** A payment whose order is made. */
async function created(input: PaymentInput) {
  const handle = await start(input);
  await handle.executeUpdate('created');
  return handle;
}

const stateOf = (handle: WorkflowHandle<PaymentWorkflow>) => handle.query<PaymentState>('state');

/** Ends a payment that a test no longer needs. */
async function end(handle: WorkflowHandle<PaymentWorkflow>): Promise<void> {
  // Earlier runs are read first.
  await env.sleep('1 minute');
  await handle.executeUpdate('resolve', { args: [{ outcome: 'CANCEL', reason: 'the test is over', by: 'test' }] });
  await handle.result();
}

async function live(input: PaymentInput, ...worker: Parameters<typeof work>): Promise<PaymentState> {
  if (worker.length > 0) work(...worker);
  return (await start(input)).result();
}

/** Every trade is in its first status for so long, and then in the next one. */
function becomes(first: string, ms: number, next: string): void {
  gateway.statusAt = (elapsed) => (elapsed < ms ? first : next);
}

const lived = (state: PaymentState) =>
  Date.parse(state.history.at(-1)?.time ?? '') - Date.parse(state.history[0]?.time ?? '');

describe('a payment without notifications', () => {
  it('is polled 15 s, 30 s, 1, 2, 5, 10 and 30 minutes after the creation and then hourly', async () => {
    becomes('PROCESSING', 4 * HOUR, 'SUCCESS');
    await live(order({ timeout_express: '1d' }));
    const created = [...gateway.trades.values()][0]?.created_at ?? 0;
    const minutes = gateway.queriedAt.map((at) => Math.round((at - created) / 15_000) / 4);
    expect(minutes).toEqual([0.25, 0.5, 1, 2, 5, 10, 30, 90, 150, 210, 270]);
  });
});

describe('deadlines', () => {
  it('an order with timeout_express is queried at the deadline, and ends as EXPIRED where the gateway says so', async () => {
    becomes('INITIAL', 90 * MINUTE, 'EXPIRED');
    const state = await live(order());
    expect(state).toMatchObject({ outcome: 'EXPIRED', confirmed_by: 'query', attention: null });
    // The last poll was at 30 minutes and the next would come after 90: the deadline queries by itself.
    expect(lived(state)).toBeGreaterThanOrEqual(90 * MINUTE);
    expect(lived(state)).toBeLessThan(91 * MINUTE);
  });

  it('a trade that the gateway never ends is polled past the last notification’s retry, then EXPIRED under attention', async () => {
    gateway.statusAt = () => 'PROCESSING';
    const state = await live(order());
    expect(state).toMatchObject({ outcome: 'EXPIRED', attention: 'never-ended', trade_status: 'PROCESSING' });
    expect(lived(state)).toBeGreaterThanOrEqual(90 * MINUTE + 840 * MINUTE);
  });
});

test.each<
  [what: string, mishap: 'lost before' | 'lost after', blindQueries: number, recovered: boolean, paid_ms: number]
>([
  ['is not repeated where a query finds the order', 'lost after', 0, true, MINUTE],
  ['is not repeated where a query finds it only after a while', 'lost after', 3, true, 5 * MINUTE],
  ['is repeated where the gateway keeps saying that it does not know the order', 'lost before', 0, false, MINUTE],
  ['adopts the order where the repetition is refused as a duplicate', 'lost after', 20, true, 30 * MINUTE],
])('a creation whose outcome is unknown %s', async (_what, mishap, blindQueries, recovered, paid_ms) => {
  gateway.mishaps = [mishap];
  gateway.blindQueries = blindQueries;
  becomes('PROCESSING', paid_ms, 'SUCCESS');
  const state = await live(order());
  expect(state).toMatchObject({ outcome: 'SUCCESS', trade_no: 'T1', payment_data: { recovered } });
  // An answer that was lost has told nobody the status.
  expect(state.history[0]).toMatchObject({ to: 'PROCESSING', source: recovered ? 'query' : 'creation' });
  expect(gateway.created).toBe(1);
});

describe('a creation that certainly failed', () => {
  it('fails the workflow where the gateway refuses the order', async () => {
    gateway.mishaps = [{ refuse: { code: '40002', sub_code: 'no-method-supported' } }];
    await expect(live(order())).rejects.toMatchObject({
      cause: { type: 'NotCreated', details: [{ outcome: 'not-created', sub_code: 'no-method-supported' }] },
    });
  });

  it('lists every wrong field of an order that breaks the rules, and sends nothing', async () => {
    const { customer: _none, ...request } = order({ order_amount: '-5.00' }).request;
    await expect(live({ kind: 'direct', app_id: APP.app_id, request })).rejects.toMatchObject({
      cause: {
        type: 'InvalidRequest',
        details: [
          {
            issues: [
              { field: 'customer.name', rule: 'required' },
              { field: 'order_amount', rule: 'at least 0.01' },
            ],
          },
        ],
      },
    });
    expect(gateway.created).toBe(0);
  });

  it.each([
    ['a bare token', { token: 'tok_bare' }, 'bare-secret'],
    ['a wrong amount', { order_amount: '0' }, null],
  ])('refuses %s, and only a secret in the history is put before a person', async (_, wrong, attention) => {
    const told: unknown[] = [];
    work({}, (event) => {
      if (event.type === 'attention') told.push(event.payment.attention);
    });
    const handle = await start(order(wrong));
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'InvalidRequest' } });
    expect(await stateOf(handle)).toMatchObject({ attention, outcome: null });
    // A closed workflow needs nobody: its after-sale waits for the person.
    const { typedSearchAttributes } = await handle.describe();
    expect(typedSearchAttributes.get(SEARCH_ATTRIBUTE.attention) ?? null).toBeNull();
    if (attention !== null) {
      const id = afterSaleWorkflowId(APP.app_id, handle.workflowId.split(':').at(-1) ?? '');
      const afterSale = env.client.workflow.getHandle(id);
      expect((await afterSale.describe()).typedSearchAttributes.get(SEARCH_ATTRIBUTE.attention)).toBe(attention);
      // Earlier runs are read first: nothing that is decided before is taken.
      await env.sleep('1 minute');
      await afterSale.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'the secret is void' }] });
      expect(await afterSale.result()).toMatchObject({ attention: null, history: [{ by: 'ana' }] });
    }
    expect(told).toEqual(attention === null ? [] : [attention]);
    expect(gateway.created).toBe(0);
  });

  it('fails with DuplicateOrder where somebody else made an order under this number', async () => {
    const payment = order();
    await gateway.addTrade(payment.request.out_trade_no, { statusAt: () => 'PROCESSING' });
    await expect(live(payment)).rejects.toMatchObject({
      cause: {
        type: 'DuplicateOrder',
        details: [{ trade_no: 'T1', trade_status: 'PROCESSING', order_amount: '150.00' }],
      },
    });
    expect(gateway.created).toBe(1);
  });
});

describe('a person’s decision', () => {
  it('is refused without a name or a reason', async () => {
    const handle = await start(order());
    await expect(
      handle.executeUpdate('resolve', { args: [{ outcome: 'PAID', reason: '', by: '' }] }),
    ).rejects.toMatchObject({ cause: { type: 'InvalidRequest' } });
    await end(handle);
  });
});

describe('notifications', () => {
  it('a notified SUCCESS is confirmed by a query at once', async () => {
    const payment = order();
    const handle = await created(payment);
    const trade = [...gateway.trades.values()][0];
    if (trade) trade.statusAt = () => 'SUCCESS';
    await handle.signal('notification', { trade_status: 'SUCCESS', ...ids(payment) });
    expect(await handle.result()).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query' });
    expect(gateway.queries).toBe(1);
  });

  it('a notification is believed without a query where the setting says so, but never with another amount', async () => {
    work({ PAYMENTS_CONFIRM_BY_QUERY: 'false' });
    const payment = order();
    const handle = await created(payment);
    await handle.signal('notification', {
      ...ids(payment),
      trade_status: 'SUCCESS',
      amount: '150',
      currency: 'BRL',
    });
    expect(await handle.result()).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'notification' });
    expect(gateway.queries).toBe(0);
  });
});

describe('a notified SUCCESS that the query does not confirm', () => {
  it('is queried with growing gaps, then raises attention, and is accepted when the query confirms it', async () => {
    becomes('PROCESSING', 70 * MINUTE, 'SUCCESS');
    const payment = order();
    const handle = await created(payment);
    await env.sleep('12 minutes');
    gateway.queriedAt.length = 0;
    const told = await env.currentTimeMs();
    await handle.signal('notification', { trade_status: 'SUCCESS', ...ids(payment) });
    await env.sleep('29 minutes');
    expect(await stateOf(handle)).toMatchObject({ attention: null, outcome: null });
    // It is in no list yet: its page says by when it will be.
    const page = async () => JSON.stringify(await handle.query('__temporal_workflow_metadata'));
    expect(await page()).toMatch(
      /Waits for [^.]*the SUCCESS that was notified: it has not yet, and a person is asked on 20/,
    );
    const minutes = gateway.queriedAt.map((at) => Math.round((at - told) / 15_000) / 4);
    expect(minutes).toEqual([0, 0.25, 0.5, 1, 2, 5, 10]);
    await env.sleep('2 minutes');
    expect(await stateOf(handle)).toMatchObject({ attention: 'unconfirmed-notification' });
    expect(await page()).toContain('Waits for the buyer');
    expect(await handle.result()).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query', attention: null });
  });

  it('is waited for after the last deadline', async () => {
    becomes('PROCESSING', 941 * MINUTE, 'SUCCESS');
    const payment = order();
    const handle = await created(payment);
    await env.sleep('938 minutes');
    await handle.signal('notification', { trade_status: 'SUCCESS', ...ids(payment) });
    expect(await handle.result()).toMatchObject({ outcome: 'SUCCESS', attention: null });
  });
});

describe('risk control', () => {
  it('may hold a trade longer than the grace of a method that settles at once', async () => {
    gateway.statusAt = (elapsed) => (elapsed < MINUTE ? 'INITIAL' : elapsed < 4 * DAY ? 'RISK_CONTROLLING' : 'SUCCESS');
    const state = await live(order());
    expect(state).toMatchObject({ outcome: 'SUCCESS', attention: null });
    expect(lived(state)).toBeGreaterThanOrEqual(4 * DAY - MINUTE);
  });
});

describe('onEvent', () => {
  const recorder = () => {
    const heard: PaymentEvent[] = [];
    return {
      heard,
      hear: (event: MerchantEvent) => {
        if ('payment' in event) heard.push(event);
      },
      steps: () =>
        heard.map((one) => (one.type === 'transition' ? one.transition.to : `${one.type}: ${one.payment.attention}`)),
    };
  };

  it('gets each transition once and in order, with the payment and an idempotency key', async () => {
    const { heard, hear, steps: told } = recorder();
    gateway.statusAt = (elapsed) => (elapsed < MINUTE ? 'INITIAL' : elapsed < HOUR ? 'PROCESSING' : 'SUCCESS');
    const state = await live(order(), {}, hear);
    expect(told()).toEqual(['INITIAL', 'PROCESSING', 'SUCCESS']);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(3);
    expect(heard).toMatchObject(state.history.map((transition) => ({ transition })));
    expect(heard[2]?.payment).toMatchObject({ outcome: 'SUCCESS', out_trade_no: state.out_trade_no });
  });

  it('is repeated where it fails, and never delays the payment', async () => {
    const { heard, hear, steps: told } = recorder();
    let failures = 5;
    work({}, (event) => {
      if (failures > 0) throw new Error('the shop is closed');
      hear(event);
    });
    becomes('PROCESSING', MINUTE, 'SUCCESS');
    const handle = await start(order());
    expect(await handle.result()).toMatchObject({ outcome: 'SUCCESS' });
    expect(heard).toEqual([]);
    // What the handler has not taken at once is delivered beside the payment.
    failures = 0;
    await env.client.workflow.getHandle(eventDeliveryWorkflowId(EVENT_HANDLER, handle.workflowId)).result();
    expect(told()).toEqual(['PROCESSING', 'SUCCESS']);
  });

  /** A payment that has ended while its handler takes nothing, and its delivery, which waits for a person. */
  async function undelivered() {
    work({}, () => {
      throw new Error('the shop is closed');
    });
    becomes('PROCESSING', MINUTE, 'SUCCESS');
    const handle = await start(order());
    await handle.result();
    const delivery = env.client.workflow.getHandle(eventDeliveryWorkflowId(EVENT_HANDLER, handle.workflowId));
    await env.sleep(5 * DAY);
    expect(await delivery.query('state')).toMatchObject({ attention: 'undelivered-event' });
    return delivery;
  }
  const DECISION = { by: 'ana', reason: 'known already' };

  it('that is taken away while events wait for it is told nothing more, and nobody is asked', async () => {
    const delivery = await undelivered();
    work();
    await delivery.executeUpdate('recheck');
    expect(await delivery.result()).toMatchObject({ attention: null, waiting: [], dropped: [] });
  });

  it('can be left without all that waits for it, by one decision', async () => {
    const delivery = await undelivered();
    await delivery.executeUpdate('resolve', { args: [{ ...DECISION, all: true }] });
    const dropped = [{ ...DECISION, ids: [expect.stringContaining('PROCESSING'), expect.stringContaining('SUCCESS')] }];
    expect(await delivery.result()).toMatchObject({ attention: null, waiting: [], dropped });
  });

  it('is tried again where somebody asks for it: a decision that comes at the same moment is refused', async () => {
    const delivery = await undelivered();
    const { workflowId } = delivery;
    env.temporal.update(workflowId, 'recheck');
    const drop = env.temporal.update(workflowId, 'resolve', DECISION);
    if (!drop) throw new Error('The delivery has ended');
    await expect(env.temporal.answerTo(drop, MINUTE)).rejects.toThrow('nothing waits for a person here');
    expect(await delivery.query('state')).toMatchObject({ dropped: [] });
  });

  it('that fails while Temporal takes no more signals for its delivery costs the payment little, and gets all in the end', async () => {
    const { hear, steps: told } = recorder();
    let isClosed = true;
    work({}, (event) => {
      if (isClosed) throw new Error('the shop is closed');
      hear(event);
    });
    becomes('PROCESSING', MINUTE, 'SUCCESS');
    const handle = await created(order());
    await env.sleep(10 * SECOND);
    const delivery = env.client.workflow.getHandle(eventDeliveryWorkflowId(EVENT_HANDLER, handle.workflowId));
    for (let i = 0; i < 10_000; i += 1) env.temporal.signal(delivery.workflowId, 'tell', []);
    await env.sleep(3 * HOUR);
    expect((await env.costOf(handle.workflowId)).events).toBeLessThan(400);
    isClosed = false;
    expect(await handle.result()).toMatchObject({ outcome: 'SUCCESS' });
    await delivery.result();
    expect(told()).toEqual(['PROCESSING', 'SUCCESS']);
  });
});

const ids = ({ request: { out_trade_no } }: NewPayment) => ({ out_trade_no, trade_no: 'T1' });
