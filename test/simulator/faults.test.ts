import type { FaultOrder } from '../../src/simulator';
import { merchant, simulator } from './running';
import { accountOf, call, control, type Json, order, otherApp, refundOf } from './support';

const post = (path: string, body: Json) => call(simulator, path, body);
const pay = (out_trade_no = 'one', changes: Json = {}) =>
  post('/trade/pay', order('pix', { out_trade_no, notify_url: merchant.url, ...changes }));
const query = (out_trade_no = 'one') => post('/trade/query', { out_trade_no });
const openAccount = (changes: Json = {}) => post('/virtual-account/spei/create', accountOf(merchant.url, changes));
const paid = async () => {
  await pay();
  await simulator.pay('one');
  await simulator.settled();
  merchant.received.length = 0;
};

describe('faults of requests decide whether something exists', () => {
  const asks = { pay, refund: () => post('/trade/refund', refundOf('one')), 'account-create': openAccount };
  const made = {
    pay: () => simulator.trades(),
    refund: () => simulator.refunds(),
    'account-create': () => simulator.accounts(),
  };

  test.each([
    ['pay', 'reset-before', 0],
    ['pay', 'reset-after', 1],
    ['refund', 'reset-before', 0],
    ['refund', 'reset-after', 1],
    ['account-create', 'reset-before', 0],
    ['account-create', 'lost-response', 1],
  ] as const)('%s, %s: there are then %i', async (on, fault, count) => {
    if (on === 'refund') await paid();
    simulator.addFault({ on, fault, ms: 1 });
    await expect(asks[on]()).rejects.toThrow();
    expect(made[on]()).toHaveLength(count);
    expect(simulator.requests().at(-1)).toMatchObject({ fault, processed: count === 1, created: count === 1 });
  });

  test.each([
    ['5xx-before', 502, {}],
    ['5xx-after', 503, { http_status: 503 }],
  ] as const)('%s', async (fault, status, more) => {
    simulator.addFault({ on: 'create', fault, ...more });
    expect(await post('/trade/create', order('checkout'))).toMatchObject({
      status,
      type: 'text/html',
      text: expect.stringMatching(/^<html>/),
    });
    expect(simulator.trades()).toHaveLength(fault === '5xx-after' ? 1 : 0);
  });

  test('lost-response is cut after its ms; closing does not wait for one without', async () => {
    simulator.addFault({ on: 'pay', fault: 'lost-response', ms: 1 });
    await expect(pay('one')).rejects.toThrow();
    simulator.addFault({ on: 'pay', fault: 'lost-response' });
    const lost = pay('two').catch(() => 'cut');
    while (simulator.trades().length < 2) await query('none');
    await simulator.close();
    expect(await lost).toBe('cut');
  });

  test('delay: the trade exists before the answer comes; delay-before: not before it', async () => {
    for (const fault of ['delay', 'delay-before'] as const) {
      simulator.addFault({ on: 'pay', fault, ms: 30, out_trade_no: fault });
      const began = performance.now();
      const slow = pay(fault);
      while (simulator.faults().at(-1)?.fired === 0) await query('none');
      if (fault === 'delay') expect(simulator.trades()).toHaveLength(1);
      expect((await slow).body.code).toBe('10000');
      // A timer may be a millisecond early.
      expect(performance.now() - began).toBeGreaterThanOrEqual(29);
    }
    expect(simulator.requests({ path: '/trade/pay' })).toMatchObject([{ created: true }, { created: true }]);
  });

  test('closing ends a delay', async () => {
    simulator.addFault({ on: 'pay', fault: 'delay', ms: 600_000 });
    const slow = pay().catch(() => 'cut');
    while (simulator.trades().length === 0) await query('none');
    await simulator.close();
    await slow;
  });
});

describe('faults of answers', () => {
  test('refuse: refuses with any code and does nothing; the default code is 20000', async () => {
    simulator.addFault({ on: 'pay', fault: 'refuse' });
    expect((await pay()).body).toMatchObject({ code: '20000', msg: 'Service Currently Unavailable' });
    simulator.addFault({ on: 'pay', fault: 'refuse', code: '40002', sub_code: 'app-status-abnormal' });
    expect((await pay()).body).toMatchObject({ code: '40002', sub_code: 'app-status-abnormal' });
    expect(simulator.trades()).toEqual([]);
  });

  test('bank-refusal: refused with a code, and the trade exists, REFUSED', async () => {
    simulator.addFault({ on: 'pay', fault: 'bank-refusal', code: '40002', sub_code: 'bank-side-busy' });
    expect(await pay()).toMatchObject({ status: 400, text: expect.stringContaining('"sub_code":"bank-side-busy"') });
    expect((await query()).body.trade_status).toBe('REFUSED');
    simulator.addFault({ on: 'pay', fault: 'bank-refusal' });
    expect((await pay('two')).body).toMatchObject({ code: '90001', sub_code: '71012' });
  });

  test.each([
    ['/trade/pay', 'pay', 'pix'],
    ['/trade/create', 'create', 'checkout'],
  ] as const)('early-ipn of %s: the trade is paid and notified before the answer comes', async (path, on, file) => {
    simulator.addFault({ on, fault: 'early-ipn' });
    let answered = false;
    const answeredAtNotification: boolean[] = [];
    merchant.onReceive = () => answeredAtNotification.push(answered);
    await post(path, order(file, { out_trade_no: on, notify_url: merchant.url })).finally(() => {
      answered = true;
    });
    expect(answeredAtNotification).toEqual([false]);
    expect(simulator.trade(on).trade_status).toBe('SUCCESS');
    await simulator.advance('1d');
    expect(answeredAtNotification).toHaveLength(1);
  });

  test('early-ipn of a refund: it is done and notified before the answer comes', async () => {
    await paid();
    simulator.addFault({ on: 'refund', fault: 'early-ipn' });
    expect((await post('/trade/refund', refundOf('one'))).body.refund_status).toBe('REFUND_PROCESSING');
    expect(merchant.received.map(({ body }) => body.trade_status)).toEqual(['REFUNDED']);
  });

  test('not-found and stale of an order', async () => {
    await paid();
    simulator.addFault({ on: 'query', fault: 'not-found' });
    simulator.addFault({ on: 'query', fault: 'stale' });
    expect((await query()).body).toMatchObject({ sub_code: 'trade-not-exist' });
    expect((await query()).body).toMatchObject({ trade_status: 'PROCESSING' });
    expect((await query()).body).toMatchObject({ trade_status: 'SUCCESS' });
  });

  test('not-found and stale of an account', async () => {
    const account_id = String((await openAccount()).body.account_id);
    await simulator.cancelAccount(account_id);
    simulator.addFault({ on: 'account-query', fault: 'not-found', account_id });
    simulator.addFault({ on: 'account-query', fault: 'stale', account_id });
    const ask = async () => (await post('/virtual-account/spei/query', { account_id })).body;
    expect(await ask()).toMatchObject({ sub_code: 'account-not-exist' });
    expect(await ask()).toMatchObject({ status: 'ACTIVE' });
    expect(await ask()).toMatchObject({ status: 'CANCELED' });
  });

  test('malformed: half of the answer to what was done', async () => {
    simulator.addFault({ on: 'pay', fault: 'malformed' });
    const { status, text } = await pay();
    expect({ status, text }).toEqual({ status: 200, text: expect.stringMatching(/^\{"code":"10000"/) });
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(simulator.trades()).toHaveLength(1);
  });
});

test('a fault strikes as often as it says, only where it says, in the order in which faults were set', async () => {
  simulator.addFault({ on: 'query', fault: '5xx-before', times: 2 });
  simulator.addFault({ on: 'query', fault: 'malformed', out_trade_no: 'one' });
  await pay();
  const statuses = [];
  for (let times = 0; times < 3; times += 1) statuses.push((await query('other')).status);
  expect(statuses).toEqual([502, 502, 400]);
  // By the other number, too.
  const { text } = await post('/trade/query', { trade_no: simulator.trade('one').trade_no });
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(simulator.faults().map(({ fired }) => fired)).toEqual([2, 1]);
});

describe('faults of notifications', () => {
  const paidUnder = async (fault: FaultOrder) => {
    simulator.addFault(fault);
    await pay();
    await simulator.pay('one');
    await simulator.settled();
  };

  test('drop: the attempt is not sent, and the next comes by the schedule', async () => {
    await paidUnder({ on: 'ipn', fault: 'drop', times: 2 });
    await simulator.advance('29m');
    expect(merchant.received).toEqual([]);
    await simulator.advance('1m');
    expect(merchant.received).toHaveLength(1);
    expect(simulator.notifications()).toMatchObject([{ acknowledged: true, attempts: { length: 3 } }]);
  });

  test.each([
    ['delay', 90_000],
    ['reorder', 90_000],
    // Without a later notification, by default.
    ['reorder', undefined],
  ] as const)('%s of %p ms: the attempt comes later by the simulator’s clock', async (fault, ms) => {
    await paidUnder({ on: 'ipn', fault, ...(ms && { ms }) });
    await simulator.advance((ms ?? 600_000) - 1000);
    expect(merchant.received).toEqual([]);
    await simulator.advance('1s');
    expect(merchant.received).toHaveLength(1);
  });

  test('duplicate: the same attempt is sent twice', async () => {
    await paidUnder({ on: 'ipn', fault: 'duplicate' });
    expect(merchant.received).toHaveLength(2);
    expect(merchant.received[0]?.bytes.equals(merchant.received[1]?.bytes ?? Buffer.of())).toBe(true);
  });

  test('wrong-signature: signed with another key, and right the next time', async () => {
    merchant.answer = { status: 401, body: '' };
    await paidUnder({ on: 'ipn', fault: 'wrong-signature' });
    await simulator.advance('10m');
    const [first, second] = merchant.received.map(({ headers }) => headers['service-signature']);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(first).not.toBe(second);
  });

  test('reorder: a later notification of the trade overtakes it', async () => {
    await paidUnder({ on: 'ipn', fault: 'reorder', trade_status: 'SUCCESS' });
    expect(merchant.received).toEqual([]);
    await simulator.act('one', 'chargeback');
    await simulator.settled();
    expect(merchant.received.map(({ body }) => body.trade_status)).toEqual(['CHARGEBACK', 'SUCCESS']);
    await simulator.advance('30d');
    expect(merchant.received).toHaveLength(2);
  });

  test('reorder: deposits into one account overtake each other', async () => {
    const account_id = String((await openAccount()).body.account_id);
    simulator.addFault({ on: 'ipn', fault: 'reorder', account_id, times: 2 });
    for (const amount of ['1.00', '2.00', '3.00']) {
      await simulator.deposit(account_id, amount);
      await simulator.settled();
    }
    const amounts = merchant.received.map(({ body }) => body.amount);
    expect(amounts[0]).toBe('3.00');
    expect([...amounts].sort()).toEqual(['1.00', '2.00', '3.00']);
  });

  test('forge: a false state signed with another key comes before the true one', async () => {
    await paidUnder({ on: 'ipn', fault: 'forge' });
    const [lie, truth] = merchant.received;
    expect(lie?.body).toEqual({ ...truth?.body, trade_status: 'REFUNDED' });
    expect(truth?.body.trade_status).toBe('SUCCESS');
    expect(lie?.headers['service-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(simulator.notifications()).toMatchObject([{ attempts: { length: 1 } }]);
  });

  test('a false state can be sent at any time, and the answer is returned', async () => {
    await pay();
    expect(await simulator.forge('one')).toEqual({ http_status: 200, acknowledged: true, error: null });
    expect(merchant.received).toMatchObject([{ body: { out_trade_no: 'one', trade_status: 'SUCCESS' } }]);
    await control(simulator, 'POST', 'trades/one/forge', { trade_status: 'CANCEL' });
    expect(merchant.received[1]?.body.trade_status).toBe('CANCEL');
    expect(simulator.notifications()).toEqual([]);
    expect(simulator.trade('one').trade_status).toBe('PROCESSING');
  });

  test('a fault of notifications can be limited to an order, a state or a buyer', async () => {
    simulator.addFault({ on: 'ipn', fault: 'drop', times: 9, out_trade_no: 'two' });
    simulator.addFault({ on: 'ipn', fault: 'drop', times: 9, trade_status: 'CHARGEBACK' });
    simulator.addFault({ on: 'ipn', fault: 'drop', times: 9, buyer_id: 'nobody' });
    await pay('one');
    await pay('two');
    await simulator.pay('one');
    await simulator.pay('two');
    await simulator.settled();
    await simulator.act('one', 'chargeback');
    await simulator.settled();
    expect(merchant.received).toMatchObject([{ body: { out_trade_no: 'one', trade_status: 'SUCCESS' } }]);
  });
});

describe('a tag in a text that a merchant sends sets a fault', () => {
  test.each([
    ['[sim:query:not-found*2]', [{ on: 'query', fault: 'not-found', times: 2 }]],
    ['A book [sim:ipn:drop*7]', [{ on: 'ipn', fault: 'drop', times: 7 }]],
    ['[sim:query:5xx-before=503]', [{ on: 'query', fault: '5xx-before', http_status: 503, times: 1 }]],
    [
      '[sim:query:stale] A book [sim:ipn:duplicate]',
      [
        { on: 'query', fault: 'stale' },
        { on: 'ipn', fault: 'duplicate' },
      ],
    ],
  ])('%s', async (subject, faults) => {
    expect((await pay('one', { subject })).body.code).toBe('10000');
    expect(simulator.faults()).toMatchObject(faults.map((fault) => ({ ...fault, out_trade_no: 'one', fired: 0 })));
  });

  test.each([
    ['pix', '/trade/pay'],
    ['checkout', '/trade/create'],
  ])('for the request itself, as often as it says, with its number: %s', async (file, path) => {
    const ask = () => post(path, order(file, { subject: '[sim:5xx-before=503*2]' }));
    const statuses = [(await ask()).status, (await ask()).status, (await ask()).status];
    expect(statuses).toEqual([503, 503, 200]);
  });

  test('not for an order of the same number that another app has', async () => {
    await pay('one', { subject: '[sim:query:not-found*9]' });
    await call(simulator, '/trade/pay', order('pix', { out_trade_no: 'one' }), { as: otherApp });
    const other = await call(simulator, '/trade/query', { out_trade_no: 'one' }, { as: otherApp });
    expect(other.body.code).toBe('10000');
    expect((await query('one')).body.sub_code).toBe('trade-not-exist');
  });

  test('in a refund’s reason for that refund', async () => {
    await paid();
    const part = { refund_amount: '1.00', refund_reason: 'broken [sim:5xx-after]' };
    const refund = (out_request_no: string) => post('/trade/refund', refundOf('one', { ...part, out_request_no }));
    expect((await refund('r1')).status).toBe(502);
    expect((await refund('r1')).body.sub_code).toBe('duplicate-out_request_no');
    await simulator.advance('5s');
    expect((await refund('r2')).status).toBe(502);
    expect(simulator.refunds()).toHaveLength(2);
  });

  test('in the name of an account’s buyer for that buyer’s accounts', async () => {
    const create = (buyer_id: string, name: string) =>
      openAccount({ 'customer.buyer_id': buyer_id, 'customer.name': name });
    const name = 'Ana [sim:lost-response=1][sim:ipn:drop][sim:account-query:stale]';
    await expect(create('ana', name)).rejects.toThrow();
    expect((await create('eva', 'Eva')).body.code).toBe('10000');
    const [ana, eva] = simulator.accounts();
    for (const account of [ana, eva]) await simulator.deposit(String(account?.account_id), '1.00');
    await simulator.settled();
    expect(merchant.received.map(({ body }) => body.transfer_account)).toMatchObject([{ buyer_id: 'eva' }]);
    await simulator.cancelAccount(String(ana?.account_id));
    const ask = async () => (await post('/virtual-account/spei/query', { account_id: ana?.account_id })).body.status;
    expect([await ask(), await ask()]).toEqual(['ACTIVE', 'CANCELED']);
  });

  test.each([
    '[sim:flood]',
    '[sim:]',
    '[sim:reset after]',
    '[sim:moon:drop]',
    '[sim:ipn:malformed]',
    '[sim:query:bank-refusal]',
    '[sim:reset-after*0]',
    '[sim:5xx-after=200]',
  ])('%s has no meaning, and is refused with a sentence', async (tag) => {
    const { status, body } = await pay('one', { subject: `A book ${tag}` });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: '40002', sub_code: 'subject', sub_msg: expect.stringContaining(tag) });
    expect(simulator.trades()).toEqual([]);
    expect(simulator.faults()).toEqual([]);
  });

  test.each([
    'sim:reset-after',
    '[simple] reset-after',
    '[ sim:reset-after ]',
    '(sim:reset-after)',
    'Sim [reset-after]',
  ])('%s is a subject like any other', async (subject) => {
    expect((await pay('one', { subject })).body.code).toBe('10000');
    expect(simulator.faults()).toEqual([]);
  });

  test('but not if the setting is off, in another field, or without credentials', async () => {
    const elsewhere = order('pix', { content: '[sim:reset-after]', buyer_id: '[sim:reset-after]' });
    expect((await call(simulator, '/trade/pay', elsewhere)).body.code).toBe('10000');
    const as = { app_id: 'app-1', secret_key: 'guess' };
    const tagged = order('pix', { subject: '[sim:reset-after]', out_trade_no: 'two' });
    expect((await call(simulator, '/trade/pay', tagged, { as })).body.sub_code).toBe('invalid-signature');
    simulator.configure({ magicValues: false });
    expect((await call(simulator, '/trade/pay', tagged)).body.code).toBe('10000');
    expect(simulator.faults()).toEqual([]);
  });
});
