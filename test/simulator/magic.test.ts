import type { Simulator } from '../../src/simulator';
import { authorization, call, type Json, Merchant, order, otherApp, start } from './support';

let simulator: Simulator;
let merchant: Merchant;
beforeEach(async () => {
  [simulator, merchant] = await Promise.all([start(), Merchant.start()]);
});
afterEach(async () => {
  await simulator.close();
  await merchant.close();
});

/** Calls an operation whose answer may be none, or anything. */
const post = async (path: string, body: Json) => {
  const response = await fetch(simulator.url + path, {
    method: 'POST',
    body: JSON.stringify({ app_id: 'app-1', timestamp: '2026-03-02 12:00:00', ...body }),
    headers: { authorization: authorization() },
  });
  return { status: response.status, text: await response.text() };
};
const pay = (subject: string, out_trade_no = 'one') =>
  post('/trade/pay', order('pix', { subject, out_trade_no, notify_url: merchant.url }));
const query = (out_trade_no = 'one') => post('/trade/query', { out_trade_no });

describe('a tag in the subject sets a fault for that order', () => {
  test('reset-before, once: the same request again succeeds', async () => {
    await expect(pay('A book [sim:reset-before]')).rejects.toThrow();
    expect(simulator.trades()).toEqual([]);
    expect((await pay('A book [sim:reset-before]')).text).toContain('"code":"10000"');
    expect(simulator.trades()).toMatchObject([{ subject: 'A book [sim:reset-before]' }]);
  });

  test('reset-after: the order exists, so the next request is refused as a duplicate', async () => {
    await expect(pay('[sim:reset-after] A book')).rejects.toThrow();
    expect((await pay('[sim:reset-after] A book')).text).toContain('duplicate-out_trade_no');
  });

  test('a tag strikes as often as it says, with its number', async () => {
    const statuses = [];
    for (let times = 0; times < 3; times += 1) statuses.push((await pay('[sim:5xx-before=503*2]')).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  test('for a query that comes later', async () => {
    await pay('[sim:query:not-found*2]');
    const answers = [await query(), await query(), await query()].map(({ text }) => text.includes('trade-not-exist'));
    expect(answers).toEqual([true, true, false]);
  });

  test('for its notifications', async () => {
    await pay('[sim:ipn:drop*7]');
    await simulator.pay('one');
    await simulator.advance('30d');
    expect(merchant.received).toEqual([]);
  });

  test('several at once', async () => {
    await pay('[sim:malformed][sim:query:5xx-before][sim:ipn:duplicate]');
    expect((await query()).status).toBe(502);
    await simulator.pay('one');
    await simulator.settled();
    expect(merchant.received).toHaveLength(2);
    expect(simulator.requests({ path: '/trade/pay' })).toMatchObject([{ fault: 'malformed', created: true }]);
  });

  test('a tag does not strike another order', async () => {
    await pay('[sim:query:not-found*9]', 'one');
    await pay('A book', 'two');
    expect((await query('two')).text).toContain('"code":"10000"');
    expect(simulator.faults()).toMatchObject([{ on: 'query', fault: 'not-found', out_trade_no: 'one', fired: 0 }]);
  });

  test('not for an order of the same number that another app has', async () => {
    await pay('[sim:query:not-found*9]', 'one');
    await call(simulator, '/trade/pay', order('pix', { out_trade_no: 'one' }), { as: otherApp });
    const other = await call(simulator, '/trade/query', { out_trade_no: 'one' }, { as: otherApp });
    expect(other.body.code).toBe('10000');
    expect((await query('one')).text).toContain('trade-not-exist');
  });

  test('on a checkout too', async () => {
    const { status } = await post('/trade/create', order('checkout', { subject: '[sim:5xx-after]' }));
    expect(status).toBe(502);
    expect(simulator.trades()).toHaveLength(1);
  });
});

test('a tag in a refund’s reason is for that refund', async () => {
  await pay('A book');
  await simulator.pay('one');
  const refund = (out_request_no: string) =>
    post('/trade/refund', {
      out_trade_no: 'one',
      out_request_no,
      refund_amount: '1.00',
      refund_currency: 'BRL',
      refund_reason: 'broken [sim:5xx-after]',
      user_info: { identify: { number: '1' }, name: 'N', email: 'e@example.com' },
      bank_info: { number: '1' },
    });
  expect((await refund('r1')).status).toBe(502);
  expect((await refund('r1')).text).toContain('duplicate-out_request_no');
  await simulator.advance('5s');
  expect((await refund('r2')).status).toBe(502);
  expect(simulator.refunds()).toHaveLength(2);
});

test('a tag in the name of an account’s buyer is for that buyer’s accounts', async () => {
  const create = (buyer_id: string, name: string) =>
    post('/virtual-account/spei/create', {
      notify_url: merchant.url,
      customer: { buyer_id, name, email: 'e@example.com', identify: { number: '1', type: 'CURP' } },
    });
  const name = 'Ana [sim:lost-response=1][sim:ipn:drop][sim:account-query:stale]';
  await expect(create('ana', name)).rejects.toThrow();
  expect((await create('eva', 'Eva')).text).toContain('"code":"10000"');
  const [ana, eva] = simulator.accounts();
  for (const account of [ana, eva]) await simulator.deposit(String(account?.account_id), '1.00');
  await simulator.settled();
  expect(merchant.received.map(({ body }) => body.transfer_account)).toMatchObject([{ buyer_id: 'eva' }]);
  await simulator.cancelAccount(String(ana?.account_id));
  const ask = () => post('/virtual-account/spei/query', { account_id: ana?.account_id });
  expect((await ask()).text).toContain('"status":"ACTIVE"');
  expect((await ask()).text).toContain('"status":"CANCELED"');
});

describe('tags without effect', () => {
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
    const { status, body } = await call(simulator, '/trade/pay', order('pix', { subject: `A book ${tag}` }));
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: '40002', sub_code: 'subject' });
    expect(body.sub_msg).toContain(tag);
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
    expect((await pay(subject)).text).toContain('"code":"10000"');
    expect(simulator.faults()).toEqual([]);
  });

  test('a tag sets nothing if the setting is off, in another field, or without credentials', async () => {
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
