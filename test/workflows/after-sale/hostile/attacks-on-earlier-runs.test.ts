/** Attacks on what earlier runs leave: acknowledged and unread, silent, without room for a person's word, or cancelled. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { APP } from '../../hostile/base-world';
import { TRADE } from './gateway';
import { PLAIN, type Traits, World } from './world';

let world: World;
const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
afterEach(() => {
  jest.restoreAllMocks();
  return world?.close();
});

const DONE = { takes_ms: 0, ends: 'done' } as const;
const tell = (status: string, number?: string) => world.deliver({ at: world.now, status, number });
/** Requests for a refund that reached the gateway while the bank took the money back. */
const besideTheBank = () =>
  world.gateway.requests.filter(({ status }) => status === 'DISPUTE' || status === 'CHARGEBACK').map(({ at }) => at);

/** Such as code that does not replay: every query of a run that is named fails. */
function silenceEarlierRuns(): void {
  const { workflow } = world.temporal.client;
  const handleOf = workflow.getHandle.bind(workflow);
  const query = () => Promise.reject(new Error('deadline exceeded'));
  jest
    .spyOn(workflow, 'getHandle')
    .mockImplementation((...of) => Object.assign(handleOf(...of), of[1] ? { query } : {}));
}

test('promise 3: a revoke that was acknowledged into a run which was terminated before it began is not lost: 90.00 are called given back where 50.00 are', async () => {
  await open({ plans: [DONE, DONE] });
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(10 * MINUTE);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(HOUR);
  await world.leaveWithoutWorker(10 * MINUTE);
  world.gateway.giveUp('us', true);
  tell('REFUND_REVOKE', 'b');
  await world.pass(2 * MINUTE);
  expect(world.acknowledged).toHaveLength(1);
  world.terminate();
  await world.pass(HOUR);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({
    refunded_amount: '50.00',
    refunds: [{ outcome: 'ACCEPTED' }, { outcome: 'REFUND_REVOKE' }],
  });
});

test('promise 3: a dispute that was acknowledged into a run which was terminated before it began is shown to somebody', async () => {
  await open();
  await world.leaveWithoutWorker(10 * MINUTE);
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(MINUTE);
  expect(world.acknowledged).toHaveLength(1);
  world.terminate();
  world.gateway.move('SUCCESS');
  await world.pass(HOUR);
  world.ask({ amount: '40.00', number: 'b' });
  await world.pass(HOUR);
  expect(world.attentions).not.toEqual([]);
});

test('promise 7: no refund is sent beside a dispute that was acknowledged a minute before into a run which was terminated before it began', async () => {
  await open({ lag_ms: 2 * MINUTE });
  await world.leaveWithoutWorker(MINUTE);
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(10_000);
  world.terminate();
  await world.pass(50_000);
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(HOUR);
  expect(world.acknowledged).toHaveLength(1);
  expect(besideTheBank()).toEqual([]);
});

test('promise 3: a dispute that was acknowledged on a task queue which has no worker any more is shown to somebody', async () => {
  await open({ watchWindow: '3d' });
  world.resolve({});
  await world.pass(HOUR);
  await world.leaveWithoutWorker(10 * MINUTE);
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(MINUTE);
  expect(world.acknowledged).toHaveLength(1);
  world.terminate();
  world.renameQueue();
  world.gateway.move('SUCCESS');
  await world.pass(HOUR);
  world.resolve({});
  await world.pass(DAY);
  // What nobody can read comes first: a person names what went back.
  expect(await world.state()).toMatchObject({ attention: 'refund-elsewhere', ledger_complete: false });
  world.resolve({ refunded_elsewhere: '0.00' });
  await world.pass(HOUR);
  const shown = world.attentions.map(({ attention }) => attention);
  expect(shown.some((one) => one === 'dispute' || one === 'unconfirmed-notification')).toBe(true);
});

test('promise 8: an after-sale whose earlier run answers no query says so to a person, and takes a person’s word', async () => {
  await open({ plans: [DONE] });
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(HOUR);
  silenceEarlierRuns();
  world.terminate();
  await world.pass(MINUTE);
  world.resolve({});
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ ledger_complete: false, trade_status: 'DISPUTE', attention: 'dispute' });
  world.resolve({ refunded_elsewhere: '0.00' });
  await world.pass(DAY);
  expect(world.told.map(({ is }) => is)).toEqual(['resolved', 'resolved']);
  expect(await world.state()).toMatchObject({ ledger_complete: true });
});

test('promise 8: a person’s word finds room where a merchant has asked again for a pending refund for 17 hours, as it was told to', async () => {
  await open({ mishaps: ['lost before it arrived'] });
  world.ask({ amount: '150.00', number: 'a' }, 2_100);
  await world.pass(MINUTE);
  await world.pass(18 * HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund' });
  world.resolve({ outcome: 'NOT_CREATED', out_request_no: 'a' });
  await world.pass(DAY);
  expect(await world.state()).toMatchObject({ attention: null });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
});

test('promise 8: the refund of a late payment that is not sent, because another refund became known before its turn, is before a person', async () => {
  await open({ watchWindow: '3d', late: 'refund' });
  world.gateway.trouble = 'refunds unreachable';
  await world.comesLate();
  await world.pass(MINUTE);
  world.desk('50.00', 0);
  tell('PARTIAL_REFUND', 'desk-1');
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(HOUR);
  world.nameElsewhere();
  await world.pass(10 * DAY);
  // The buyer misses 100.00 of a payment that nobody delivers for, and the after-sale has ended.
  expect(world.gateway.requests).toEqual([]);
  expect(world.attentions.map(({ attention }) => attention)).toContain('late-payment');
});

test('promise 8: the refund of a late payment that a terminated run may have sent is not sent again: the next run has it before a person, and merchants hear of it', async () => {
  await open({ watchWindow: '3d', late: 'refund' });
  world.gateway.trouble = 'refunds unreachable';
  await world.comesLate();
  await world.pass(MINUTE);
  world.terminate();
  world.gateway.trouble = undefined;
  world.ask({ amount: '10.00', number: 'b' });
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-refund', refunds: [{ outcome: null }] });
  const heard = world.events.flatMap((event) => ('payment' in event ? [[event.type, event.payment.attention]] : []));
  expect(heard).toContainEqual(['attention', 'unknown-refund']);
  expect(world.gateway.requests).toEqual([]);
});

test('promise 8: a request to cancel, which has no effect on payments and accounts, does not close an after-sale that needs a person', async () => {
  await open();
  world.gateway.move('DISPUTE');
  tell('DISPUTE');
  await world.pass(HOUR);
  world.run?.requestCancel('the button');
  await world.pass(HOUR);
  expect(world.run?.isRunning).toBe(true);
  world.resolve({});
  await world.pass(HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'resolved' });
  expect([world.run?.status, (await world.state())?.attention]).toEqual(['COMPLETED', null]);
});

test('promise 8: a request to cancel an after-sale ends neither its refund nor the answer to who asked, and what is notified reaches the refund', async () => {
  await open({ plans: [{ takes_ms: HOUR, ends: 'refused' }] });
  world.gateway.trouble = 'refunds unreachable';
  world.ask({ amount: '50.00', number: 'a' });
  await world.pass(5_000);
  expect(world.told).toEqual([]);
  world.run?.requestCancel('the button');
  await world.pass(1_000);
  world.gateway.trouble = undefined;
  await world.pass(MINUTE);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
  await world.pass(HOUR);
  tell('REFUND_REFUSED', 'a');
  await world.pass(MINUTE);
  world.ask({ amount: '150.00', number: 'b' });
  await world.pass(HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
  expect(await world.state()).toMatchObject({
    attention: null,
    refunds: [{ outcome: 'REFUND_REFUSED' }, { outcome: 'REFUNDED' }],
  });
});

/** The gateway denies the trade: an order number that a merchant mistyped, or a trade that it lost. */
const denyTheTrade = () => {
  const body = new TextEncoder().encode(
    JSON.stringify({ code: '40004', msg: 'Business Failed', sub_code: 'trade-not-exist' }),
  );
  world.gateway.post = async () => ({ status: 200, body });
};

/** A refund is asked for while the gateway is silent: only a denial at once says that the number is nobody's. */
async function askInSilence(): Promise<void> {
  const { post } = world.gateway;
  world.gateway.post = async () => ({ status: 502, body: new TextEncoder().encode('<html>') });
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(MINUTE);
  world.gateway.post = post;
}

test('promise 8: an after-sale of an order that does not exist ends once a person has resolved unknown-trade, as the runbook says', async () => {
  await open();
  await askInSilence();
  denyTheTrade();
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-trade' });
  world.resolve({});
  await world.pass(30 * DAY);
  expect(world.run?.isRunning).toBe(false);
});

test('promise 8: a dispute of a trade that the gateway denies is not asked about for ever, and people read why it is', async () => {
  await open();
  denyTheTrade();
  tell('DISPUTE');
  for (let i = 0; i < 3; i += 1) {
    await world.pass(DAY);
    world.resolve({});
  }
  await world.pass(30 * DAY);
  const shown = new Set(world.attentions.map(({ attention }) => attention));
  expect([(await world.state())?.attention, ...shown]).not.toEqual(['dispute', 'dispute']);
});

test('promise 3: a dispute that is notified while a denied trade is searched is not settled by a person’s word about what was known before', async () => {
  await open();
  await askInSilence();
  denyTheTrade();
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-trade' });
  tell('DISPUTE');
  await world.pass(1_000);
  world.resolve({});
  await world.pass(MINUTE);
  expect(await world.state()).toMatchObject({ attention: 'dispute', claims: [{ trade_status: 'DISPUTE' }] });
  await world.pass(HOUR);
  expect(await world.state()).toMatchObject({ attention: 'unknown-trade' });
  world.resolve({});
  await world.pass(HOUR);
  expect([world.run?.status, (await world.state())?.attention]).toEqual(['COMPLETED', null]);
});

test('promise 3: a trade that the gateway knows after a person has resolved unknown-trade is found by the next request', async () => {
  await open();
  const { post } = world.gateway;
  await askInSilence();
  denyTheTrade();
  await world.pass(HOUR);
  world.resolve({});
  await world.pass(HOUR);
  world.gateway.post = post;
  world.ask({ amount: '150.00', number: 'a' });
  await world.pass(HOUR);
  expect(world.told.at(-1)).toMatchObject({ is: 'answer' });
  expect(await world.state()).toMatchObject({ attention: null, refunded_amount: '150.00' });
});

test.each([
  ['has taken it', false],
  ['has not taken it', true],
])(
  'promise 3: what a payment hands over to an after-sale that %s, and is terminated then, is known',
  async (_how, isAway) => {
    await open({ watchWindow: '3d' });
    world.ask({ amount: '10.00', number: 'a' });
    await world.pass(HOUR);
    if (isAway) await world.leaveWithoutWorker(10 * MINUTE);
    const { trade_no, amount: order_amount, currency: order_currency } = TRADE;
    const ours = {
      app_id: APP,
      out_trade_no: PLAIN.out_trade_no,
      trade_no,
      trade_status: 'SUCCESS',
      outcome: 'SUCCESS',
    };
    const state = {
      ...{
        ...ours,
        order_amount,
        order_currency,
        method: 'CreditCard',
        confirmed_by: 'query',
        attention: null,
        history: [],
      },
      ...{ expires_at: null, previous: null, payment_data: null, refused_because: null },
      other_trades: [{ trade_no: 'T2', trade_status: 'SUCCESS', order_amount }],
    };
    const end = {
      ...{
        run_id: 'p1',
        ended_at: world.now,
        state,
        reasons: ['second-trade'],
        watch_until: world.now + 5 * DAY,
        asked: [],
      },
      ...{ sent_again: true, repeats: false, made_here: true, unread_run: null },
    };
    const handle = world.temporal.client.workflow.getHandle(world.workflowId);
    await world.within(() => handle.signal('payment', { end, claims: [], contradicted: [] }));
    if (!isAway) await world.pass(MINUTE);
    world.terminate();
    await world.pass(HOUR);
    world.ask({ amount: '10.00', number: 'a' });
    await world.pass(HOUR);
    expect(await world.state()).toMatchObject({ attention: 'second-trade', other_trades: [{ trade_no: 'T2' }] });
  },
);
