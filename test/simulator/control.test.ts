import { request as open } from 'node:http';
import { networkInterfaces } from 'node:os';
import { startSimulator } from '../../src/simulator';
import { isLocalName } from '../../src/simulator/control/guard';
import { merchant, create as send, simulator } from './running';
import { accountOf, app, call, control, order, otherApp, refundOf, start } from './support';

const create = (out_trade_no: string, changes = {}) => send('pix', { out_trade_no, ...changes });

describe('trades', () => {
  test('are listed, all or some, and shown one by one', async () => {
    await create('one');
    await create('two');
    await simulator.pay('two');
    expect((await control(simulator, 'GET', 'trades')).value).toEqual(simulator.trades());
    expect((await control(simulator, 'GET', 'trades?trade_status=SUCCESS')).value).toMatchObject([
      { out_trade_no: 'two' },
    ]);
    expect((await control(simulator, 'GET', 'trades?out_trade_no=one')).value).toMatchObject([{ out_trade_no: 'one' }]);
    expect((await control(simulator, 'GET', 'trades/one')).value).toEqual(simulator.trade('one'));
    expect((await control(simulator, 'GET', `trades/${simulator.trade('one').trade_no}`)).value).toEqual(
      simulator.trade('one'),
    );
  });

  test('trades are shown without the buyer’s data and without the nonce of the page', async () => {
    await call(simulator, '/trade/pay', order('boleto'));
    const { value } = await control(simulator, 'GET', 'trades');
    for (const field of ['user', 'page_nonce', 'Mariana', '11144477735'])
      expect(JSON.stringify(value)).not.toContain(field);
  });

  test('an action that the state forbids is answered 409 with a sentence', async () => {
    await create('one');
    await simulator.pay('one');
    expect(await control(simulator, 'POST', 'trades/one/cancel')).toEqual({
      status: 409,
      value: { error: 'A trade that is SUCCESS can not become CANCEL.' },
    });
  });

  test.each([
    ['GET', 'trades/none', undefined, 404],
    ['POST', 'trades/none/pay', undefined, 404],
    ['POST', 'trades/one/steal', undefined, 400],
    ['POST', 'trades/one/pay', { amount: 5 }, 400],
    ['POST', 'trades/one/notifications', {}, 400],
    ['GET', 'trades?status=SUCCESS', undefined, 400],
    ['GET', 'trades?trade_status=PAID', undefined, 400],
    ['GET', 'refunds/none', undefined, 404],
    ['POST', 'refunds/none/approve', undefined, 404],
    ['POST', 'refunds/R/steal', undefined, 400],
    ['GET', 'refunds?status=REFUNDED', undefined, 400],
    ['GET', 'accounts/none', undefined, 404],
    ['GET', 'accounts?colour=red', undefined, 400],
    ['POST', 'accounts/none/deposits', { amount: '1.00' }, 404],
    ['POST', 'accounts/ID/deposits', { amount: '0.00' }, 400],
    ['POST', 'accounts/ID/deposits', { amount: '1.001' }, 400],
    ['POST', 'accounts/ID/deposits', { amount: '100000000000000.00' }, 400],
    ['POST', 'accounts/ID/deposits', { amount: 'much' }, 400],
    ['POST', 'accounts/ID/deposits', { amount: 1 }, 400],
    ['POST', 'accounts/ID/deposits', {}, 400],
    ['POST', 'clock', { advance: 'soon' }, 400],
    ['POST', 'clock', { advance: -1 }, 400],
    ['POST', 'settings', { directStatus: 'mine' }, 400],
    ['POST', 'settings', { colour: 'red' }, 400],
    ['POST', 'faults', { on: 'pay', fault: 'flood' }, 400],
    ['POST', 'faults', { on: 'pay', fault: 'stale' }, 400],
    ['POST', 'faults', { on: 'ipn', fault: 'malformed' }, 400],
  ])('%s %s %j is answered %i, with a sentence', async (method, path, body, status) => {
    await create('one');
    await simulator.pay('one');
    await call(simulator, '/trade/refund', refundOf('one', { out_request_no: 'R' }));
    const { account_id } = (await call(simulator, '/virtual-account/spei/create', accountOf('http://127.0.0.1:9/ipn')))
      .body;
    const answer = await control(simulator, method, path.replace('ID', String(account_id)), body);
    expect(answer).toEqual({ status, value: { error: expect.stringMatching(/\w{3}/) } });
    expect(simulator.trades()).toHaveLength(1);
  });

  test('an order of two apps is named by its trade_no', async () => {
    await create('one');
    await call(simulator, '/trade/pay', order('pix', { out_trade_no: 'one' }), { as: otherApp });
    await expect(simulator.pay('one')).rejects.toThrow('Several apps have an order one');
  });
});

test('notifications: by the button, off and on, and every attempt', async () => {
  await create('one');
  await control(simulator, 'POST', 'trades/one/notifications', { enabled: false });
  await control(simulator, 'POST', 'trades/one/pay');
  await simulator.settled();
  expect(merchant.received).toEqual([]);
  expect((await control(simulator, 'POST', 'trades/one/notify')).value).toMatchObject({ acknowledged: true });
  expect(merchant.received).toHaveLength(1);
  expect((await control(simulator, 'GET', 'notifications?out_trade_no=one')).value).toEqual(simulator.notifications());
});

test('the clock is read, moved and given a speed', async () => {
  await create('one', { timeout_express: '2h' });
  expect((await control(simulator, 'GET', 'clock')).value).toEqual({ now: '2026-03-02T12:00:00.000Z', speed: 0 });
  expect((await control(simulator, 'POST', 'clock', { advance: '2h' })).value).toEqual({
    now: '2026-03-02T14:00:00.000Z',
    speed: 0,
  });
  expect(simulator.trade('one').trade_status).toBe('CANCEL');
  expect((await control(simulator, 'POST', 'clock', { speed: 60 })).value).toMatchObject({ speed: 60 });
  expect(simulator.clock.speed).toBe(60);
});

test('settings are read and changed, one without the others', async () => {
  const before = simulator.settings;
  const { value } = await control(simulator, 'POST', 'settings', { directStatus: 'interface', notifications: false });
  expect(value).toEqual({ ...before, directStatus: 'interface', notifications: false });
  expect((await control(simulator, 'GET', 'settings')).value).toEqual(value);
  expect((await create('one')).trade_status).toBe('INITIAL');
});

test('faults are set, listed with how often they struck, and cleared', async () => {
  await control(simulator, 'POST', 'faults', { on: 'query', fault: 'not-found', out_trade_no: 'one', times: 2 });
  await create('one');
  await call(simulator, '/trade/query', { out_trade_no: 'one' });
  expect((await control(simulator, 'GET', 'faults')).value).toMatchObject([
    { on: 'query', fault: 'not-found', times: 2, fired: 1 },
  ]);
  expect((await control(simulator, 'DELETE', 'faults')).value).toEqual([]);
});

describe('who may use it', () => {
  /** A request with headers that fetch does not let anybody set. */
  const statusFor = (url: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = open(`${url}/simulator/trades`, { headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on('error', reject).end();
    });

  test.each([
    ['127.0.0.1', true],
    ['127.8.9.1', true],
    ['::1', true],
    ['[::1]', true],
    ['::ffff:127.0.0.1', true],
    ['localhost', true],
    ['10.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['127.0.0.1.example.com', false],
    ['localhost.example.com', false],
    ['', false],
  ])('%s is this machine: %s', (name, expected) => {
    expect(isLocalName(name)).toBe(expected);
  });

  test('a foreign name that points at this machine is refused', async () => {
    const port = new URL(simulator.url).port;
    expect(await statusFor(simulator.url, { host: `localhost:${port}` })).toBe(200);
    expect(await statusFor(simulator.url, { host: `rebound.example.com:${port}` })).toBe(403);
  });

  test('a request of a page of another site is refused, one of its own is not', async () => {
    expect(await statusFor(simulator.url, { origin: simulator.url })).toBe(200);
    expect(await statusFor(simulator.url, { origin: 'https://evil.example.com' })).toBe(403);
    expect(await statusFor(simulator.url, { origin: 'null' })).toBe(403);
  });

  const outward = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  (outward ? test : test.skip)(
    'another machine is refused, unless it is allowed; the gateway itself answers it',
    async () => {
      const shut = await start({ host: '0.0.0.0' });
      const wide = await start({ host: '0.0.0.0', allowRemoteControl: true });
      const at = (url: string) => `http://${outward}:${new URL(url).port}`;
      expect(await statusFor(at(shut.url), {})).toBe(403);
      expect(await statusFor(at(wide.url), {})).toBe(200);
      expect((await call({ url: at(shut.url) }, '/trade/pay', order('pix'))).body.code).toBe('10000');
      await shut.close();
      await wide.close();
    },
  );
});

test('settings that make no sense do not start', async () => {
  await expect(startSimulator({ apps: [app], ackTimeoutMs: 0 })).rejects.toThrow();
});

test('closing ends open connections, and closing twice does no harm', async () => {
  await fetch(`${simulator.url}/healthz`);
  await Promise.all([simulator.close(), simulator.close()]);
  await expect(fetch(`${simulator.url}/healthz`)).rejects.toThrow();
});
