import type { FaultOrder, Simulator } from '../../src/simulator';
import { authorization, control, type Json, Merchant, order, start } from './support';

let simulator: Simulator;
let merchant: Merchant;
beforeEach(async () => {
  [simulator, merchant] = await Promise.all([start(), Merchant.start()]);
});
afterEach(async () => {
  await simulator.close();
  await merchant.close();
});

const post = async (path: string, body: Json, signal: AbortSignal | null = null) => {
  const text = JSON.stringify({ app_id: 'app-1', timestamp: '2026-03-02 12:00:00', ...body });
  const response = await fetch(simulator.url + path, {
    method: 'POST',
    body: text,
    headers: { authorization: authorization() },
    signal,
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};
const pay = (out_trade_no = 'one', signal: AbortSignal | null = null) =>
  post('/trade/pay', order('pix', { out_trade_no, notify_url: merchant.url }), signal);
const query = (out_trade_no = 'one') => post('/trade/query', { out_trade_no });

describe('faults of requests decide whether the trade exists', () => {
  test.each(['reset-before', 'reset-after'] as const)('%s', async (fault) => {
    simulator.addFault({ on: 'pay', fault });
    await expect(pay()).rejects.toThrow();
    const happened = fault === 'reset-after';
    expect(simulator.trades()).toHaveLength(happened ? 1 : 0);
    expect(simulator.requests()).toMatchObject([
      { fault, processed: happened, created: happened, out_trade_no: 'one' },
    ]);
    expect((await pay()).text).toContain(happened ? 'duplicate-out_trade_no' : '"code":"10000"');
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

  test('malformed: half of the answer is sent', async () => {
    simulator.addFault({ on: 'pay', fault: 'malformed' });
    const { status, text } = await pay();
    expect(status).toBe(200);
    expect(text).toMatch(/^\{"code":"10000"/);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(simulator.trades()).toHaveLength(1);
  });

  test('lost-response: the trade exists and no answer comes', async () => {
    simulator.addFault({ on: 'pay', fault: 'lost-response' });
    const patience = new AbortController();
    const lost = pay('one', patience.signal);
    while (simulator.requests().length === 0) await query('none');
    patience.abort();
    await expect(lost).rejects.toThrow('aborted');
    expect(simulator.trades()).toHaveLength(1);
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
      expect((await slow).text).toContain('"code":"10000"');
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

  test('not-found: a query does not find the order', async () => {
    await pay();
    simulator.addFault({ on: 'query', fault: 'not-found' });
    expect((await query()).text).toContain('trade-not-exist');
    expect((await query()).text).toContain('"trade_status":"PROCESSING"');
  });

  test('stale: a query answers with the state before', async () => {
    await pay();
    await simulator.pay('one');
    simulator.addFault({ on: 'query', fault: 'stale' });
    expect((await query()).text).toContain('"trade_status":"PROCESSING"');
    expect((await query()).text).toContain('"trade_status":"SUCCESS"');
  });
});

describe('faults of answers', () => {
  test('refuse: refuses with any code and does nothing; the default code is 20000', async () => {
    simulator.addFault({ on: 'pay', fault: 'refuse' });
    expect(JSON.parse((await pay()).text)).toMatchObject({ code: '20000', msg: 'Service Currently Unavailable' });
    simulator.addFault({ on: 'pay', fault: 'refuse', code: '40002', sub_code: 'app-status-abnormal' });
    expect(JSON.parse((await pay()).text)).toMatchObject({ code: '40002', sub_code: 'app-status-abnormal' });
    expect(simulator.trades()).toEqual([]);
  });

  test('bank-refusal: refused with a code, and the trade exists, REFUSED', async () => {
    simulator.addFault({ on: 'pay', fault: 'bank-refusal', code: '40002', sub_code: 'bank-side-busy' });
    expect(await pay()).toMatchObject({ status: 400, text: expect.stringContaining('"sub_code":"bank-side-busy"') });
    expect((await query()).text).toContain('"trade_status":"REFUSED"');
    simulator.addFault({ on: 'pay', fault: 'bank-refusal' });
    expect(JSON.parse((await pay('two')).text)).toMatchObject({ code: '90001', sub_code: '71012' });
  });

  test.each([
    ['answer-before', 0],
    ['answer-after', 1],
  ] as const)('%s: any JSON, or a text as it is, with any status', async (fault, trades) => {
    const body = { code: '10000', trade_no: 'another', order_amount: '1', more: [null] };
    simulator.addFault({ on: 'pay', fault, body });
    expect(await pay()).toMatchObject({ status: 200, text: JSON.stringify(body) });
    expect(simulator.trades()).toHaveLength(trades);
    simulator.addFault({ on: 'query', fault, body: '{"code":"10000","code":"40002","n":1e400}', http_status: 403 });
    expect(await query()).toMatchObject({ status: 403, text: '{"code":"10000","code":"40002","n":1e400}' });
  });

  test('early-ipn: the trade is paid and notified before the answer comes', async () => {
    for (const [path, on, file] of [
      ['/trade/pay', 'pay', 'pix'],
      ['/trade/create', 'create', 'checkout'],
    ] as const) {
      simulator.addFault({ on, fault: 'early-ipn' });
      let answered = false;
      const answeredAtNotification: boolean[] = [];
      merchant.onReceive = () => answeredAtNotification.push(answered);
      const request = order(file, { out_trade_no: on, notify_url: merchant.url });
      await post(path, request).finally(() => {
        answered = true;
      });
      expect(answeredAtNotification).toEqual([false]);
      expect(simulator.trade(on).trade_status).toBe('SUCCESS');
      await simulator.advance('1d');
      expect(answeredAtNotification).toHaveLength(1);
    }
  });
});

describe('faults of the other operations', () => {
  const account = {
    customer: { buyer_id: 'b', email: 'e@example.com', identify: { number: '1', type: 'CURP' } },
    notify_url: 'http://127.0.0.1:9/ipn',
  };
  const refund = {
    out_trade_no: 'one',
    refund_amount: '150.00',
    refund_currency: 'BRL',
    user_info: { identify: { number: '1' }, name: 'N', email: 'e@example.com' },
    bank_info: { number: '1' },
  };
  const paid = async () => {
    await pay();
    await simulator.pay('one');
    await simulator.settled();
    merchant.received.length = 0;
  };

  test.each([
    ['refund', '/trade/refund', refund],
    ['bank-list', '/trade/bank-list', { method: 'Cash' }],
    ['installments', '/trade/installments', { currency: 'BRL', amount: '1.00' }],
    ['wallet-token', '/trade/get-wallet-client-token', {}],
    ['account-create', '/virtual-account/spei/create', account],
    ['account-cancel', '/virtual-account/spei/cancel', { account_id: 'none' }],
    ['account-query', '/virtual-account/spei/query', { account_id: 'none' }],
    ['account-quantity', '/virtual-account/spei/quantity', {}],
  ] as const)('%s', async (on, path, body) => {
    await paid();
    simulator.addFault({ on, fault: '5xx-before', http_status: 504 });
    expect((await post(path, body)).status).toBe(504);
    simulator.addFault({ on, fault: 'malformed' });
    const { text } = await post(path, body);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(simulator.requests({ path })).toMatchObject([{ processed: false }, { processed: true }]);
  });

  test.each([
    ['reset-before', 0],
    ['reset-after', 1],
  ] as const)('%s of a refund: %i refund', async (fault, count) => {
    await paid();
    simulator.addFault({ on: 'refund', fault, out_trade_no: 'one' });
    await expect(post('/trade/refund', refund)).rejects.toThrow();
    expect(simulator.refunds()).toHaveLength(count);
    expect(simulator.requests({ path: '/trade/refund' })).toMatchObject([{ created: count === 1, fault }]);
  });

  test.each([
    ['reset-before', 0],
    ['lost-response', 1],
  ] as const)('%s of an account’s creation: %i account', async (fault, count) => {
    simulator.addFault({ on: 'account-create', fault, buyer_id: 'b', ms: 1 });
    await expect(post('/virtual-account/spei/create', account)).rejects.toThrow();
    expect(simulator.accounts()).toHaveLength(count);
    expect(simulator.availableAccounts('app-1')).toBe(1000 - count);
    expect(simulator.requests()).toMatchObject([{ created: count === 1, fault }]);
  });

  test('early-ipn of a refund: it is done and notified before the answer comes', async () => {
    await paid();
    simulator.addFault({ on: 'refund', fault: 'early-ipn' });
    const { text } = await post('/trade/refund', refund);
    expect(text).toContain('"refund_status":"REFUND_PROCESSING"');
    expect(merchant.received.map(({ body }) => body.trade_status)).toEqual(['REFUNDED']);
  });

  test('not-found and stale of an account', async () => {
    const created = JSON.parse((await post('/virtual-account/spei/create', account)).text);
    const { account_id } = created;
    await simulator.cancelAccount(account_id);
    simulator.addFault({ on: 'account-query', fault: 'not-found', account_id });
    simulator.addFault({ on: 'account-query', fault: 'stale', account_id });
    const ask = async () => JSON.parse((await post('/virtual-account/spei/query', { account_id })).text);
    expect(await ask()).toMatchObject({ sub_code: 'account-not-exist' });
    expect(await ask()).toMatchObject({ status: 'ACTIVE' });
    expect(await ask()).toMatchObject({ status: 'CANCELED' });
  });
});

describe('when a fault strikes', () => {
  test('a fault strikes as often as it says, only where it says, in the order in which faults were set', async () => {
    simulator.addFault({ on: 'query', fault: '5xx-before', times: 2 });
    simulator.addFault({ on: 'query', fault: 'malformed', out_trade_no: 'one' });
    await pay();
    const statuses = [];
    for (let times = 0; times < 2; times += 1) statuses.push((await query('other')).status);
    expect(statuses).toEqual([502, 502]);
    expect((await query('other')).status).toBe(400);
    expect(() => JSON.parse('{')).toThrow();
    const { text } = await query();
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(simulator.faults().map(({ fired }) => fired)).toEqual([2, 1]);
  });

  test('a fault of an order strikes a query by trade_no too', async () => {
    await pay();
    simulator.addFault({ on: 'query', fault: '5xx-before', out_trade_no: 'one' });
    expect((await post('/trade/query', { trade_no: simulator.trade('one').trade_no })).status).toBe(502);
  });

  test('a cleared fault does not strike again', async () => {
    simulator.addFault({ on: 'pay', fault: 'reset-before', times: 100 });
    simulator.clearFaults();
    expect((await pay()).status).toBe(200);
  });
});

describe('faults of notifications', () => {
  const paid = async (fault: FaultOrder) => {
    simulator.addFault(fault);
    await pay();
    await simulator.pay('one');
    await simulator.settled();
  };

  test('drop: the attempt is not sent, and the next comes by the schedule', async () => {
    await paid({ on: 'ipn', fault: 'drop', times: 2 });
    await simulator.advance('29m');
    expect(merchant.received).toEqual([]);
    await simulator.advance('1m');
    expect(merchant.received).toHaveLength(1);
    expect(simulator.notifications()).toMatchObject([{ acknowledged: true, attempts: { length: 3 } }]);
  });

  test('drop seven times: the notification never arrives', async () => {
    await paid({ on: 'ipn', fault: 'drop', times: 7 });
    await simulator.advance('30d');
    expect(merchant.received).toEqual([]);
  });

  test('delay: the attempt comes later by the simulator’s clock', async () => {
    await paid({ on: 'ipn', fault: 'delay', ms: 90_000 });
    await simulator.advance('89s');
    expect(merchant.received).toEqual([]);
    await simulator.advance('1s');
    expect(merchant.received).toHaveLength(1);
  });

  test('duplicate: the same attempt is sent twice', async () => {
    await paid({ on: 'ipn', fault: 'duplicate' });
    expect(merchant.received).toHaveLength(2);
    expect(merchant.received[0]?.bytes.equals(merchant.received[1]?.bytes ?? Buffer.of())).toBe(true);
  });

  test('wrong-signature: signed with another key, and right the next time', async () => {
    merchant.answer = { status: 401, body: '' };
    await paid({ on: 'ipn', fault: 'wrong-signature' });
    await simulator.advance('10m');
    const [first, second] = merchant.received.map(({ headers }) => headers['service-signature']);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(first).not.toBe(second);
  });

  test('reorder: a later notification of the trade overtakes it', async () => {
    await paid({ on: 'ipn', fault: 'reorder', trade_status: 'SUCCESS' });
    expect(merchant.received).toEqual([]);
    await simulator.act('one', 'chargeback');
    await simulator.settled();
    expect(merchant.received.map(({ body }) => body.trade_status)).toEqual(['CHARGEBACK', 'SUCCESS']);
    await simulator.advance('30d');
    expect(merchant.received).toHaveLength(2);
  });

  test('reorder: without a later one the attempt waits for its ms, or ten minutes', async () => {
    await paid({ on: 'ipn', fault: 'reorder', ms: 90_000 });
    await simulator.advance('89s');
    expect(merchant.received).toEqual([]);
    await simulator.advance('1s');
    expect(merchant.received).toHaveLength(1);
    simulator.addFault({ on: 'ipn', fault: 'reorder' });
    await pay('two');
    await simulator.pay('two');
    await simulator.advance('599s');
    expect(merchant.received).toHaveLength(1);
    await simulator.advance('1s');
    expect(merchant.received).toHaveLength(2);
  });

  test('reorder: deposits into one account overtake each other', async () => {
    const { text } = await post('/virtual-account/spei/create', {
      customer: { buyer_id: 'b', email: 'e@example.com', identify: { number: '1', type: 'CURP' } },
      notify_url: merchant.url,
    });
    const { account_id } = JSON.parse(text);
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
    await paid({ on: 'ipn', fault: 'forge' });
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
    const { status, value } = await control(simulator, 'POST', 'trades/one/forge', { trade_status: 'CANCEL' });
    expect({ status, value }).toMatchObject({ status: 200, value: { acknowledged: true } });
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
