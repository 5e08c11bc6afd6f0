import type { FaultOrder, Simulator } from '../../src/simulator';
import { authorization, type Json, Merchant, order, start } from './support';

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

describe('faults of requests: whether the trade exists is what matters', () => {
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

  test('malformed: half of the answer', async () => {
    simulator.addFault({ on: 'pay', fault: 'malformed' });
    const { status, text } = await pay();
    expect(status).toBe(200);
    expect(text).toMatch(/^\{"code":"10000"/);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(simulator.trades()).toHaveLength(1);
  });

  test('lost-response: the trade exists and nobody ever answers', async () => {
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

  test('not-found: a query that comes too early', async () => {
    await pay();
    simulator.addFault({ on: 'query', fault: 'not-found' });
    expect((await query()).text).toContain('trade-not-exist');
    expect((await query()).text).toContain('"trade_status":"PROCESSING"');
  });

  test('stale: a query that is behind', async () => {
    await pay();
    await simulator.pay('one');
    simulator.addFault({ on: 'query', fault: 'stale' });
    expect((await query()).text).toContain('"trade_status":"PROCESSING"');
    expect((await query()).text).toContain('"trade_status":"SUCCESS"');
  });
});

describe('when a fault strikes', () => {
  test('as often as it is told, only where it is told, in the order set', async () => {
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

  test('a query by trade_no is one for its order', async () => {
    await pay();
    simulator.addFault({ on: 'query', fault: '5xx-before', out_trade_no: 'one' });
    expect((await post('/trade/query', { trade_no: simulator.trade('one').trade_no })).status).toBe(502);
  });

  test('never again once cleared', async () => {
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

  test('drop: the attempt never leaves, and the next comes by the schedule', async () => {
    await paid({ on: 'ipn', fault: 'drop', times: 2 });
    await simulator.advance('29m');
    expect(merchant.received).toEqual([]);
    await simulator.advance('1m');
    expect(merchant.received).toHaveLength(1);
    expect(simulator.notifications()).toMatchObject([{ acknowledged: true, attempts: { length: 3 } }]);
  });

  test('drop seven times: it never arrives', async () => {
    await paid({ on: 'ipn', fault: 'drop', times: 7 });
    await simulator.advance('30d');
    expect(merchant.received).toEqual([]);
  });

  test('delay: by the simulator’s clock', async () => {
    await paid({ on: 'ipn', fault: 'delay', ms: 90_000 });
    await simulator.advance('89s');
    expect(merchant.received).toEqual([]);
    await simulator.advance('1s');
    expect(merchant.received).toHaveLength(1);
  });

  test('duplicate: twice the same', async () => {
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
});
