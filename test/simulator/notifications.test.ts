import { createHmac } from 'node:crypto';
import { isAcknowledgement } from '../../src/simulator/notifications/sender';
import { created, merchant, simulator } from './running';
import { app, Merchant, noon, otherApp } from './support';

const hmac = (bytes: Buffer, key: string) => createHmac('sha256', key).update(bytes).digest('hex');
const told = () => merchant.received.map(({ body }) => body.trade_status);

describe('what is sent (sections 6.1, 6.4, 6.5)', () => {
  test('a JSON body, signed over its exact bytes with the app’s secret', async () => {
    const no = await created('boleto', { subject: 'Ação de São João – 10 €' });
    await simulator.pay(no);
    await simulator.settled();
    const [{ bytes, headers, body } = fail()] = merchant.received;
    expect(headers['content-type']).toBe('application/json');
    expect(headers['service-signature']).toBe(hmac(bytes, app.secret_key));
    expect(headers['service-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(body).toEqual({
      app_id: 'app-1',
      trade_no: no,
      out_trade_no: '2026-0002-Boleto',
      out_request_no: '',
      method: 'Boleto',
      channel: '',
      trade_status: 'SUCCESS',
      currency: 'BRL',
      amount: '1289.90',
      timestamp: String(noon / 1000),
      user: {
        buyer_id: 'buyer-br-002',
        name: 'Mariana Souza Lima',
        email: 'mariana.souza@example.com',
        phone: '5511987654321',
        ip: '',
        identify: { type: 'CPF', number: '11144477735' },
      },
    });
  });

  test('letters beyond ASCII are signed as the UTF-8 that is sent', async () => {
    await simulator.pay(await created('spei', { 'customer.name': 'José Peña Ñandú €' }));
    await simulator.settled();
    const [{ bytes, headers } = fail()] = merchant.received;
    expect(bytes.includes(Buffer.from('José Peña Ñandú €', 'utf8'))).toBe(true);
    expect(headers['service-signature']).toBe(hmac(bytes, app.secret_key));
  });

  test('the largest amount keeps its digits, a small one gets two decimals', async () => {
    await simulator.pay(await created('checkout-one-method'));
    await simulator.pay(await created('pix', { order_amount: '7' }));
    await simulator.settled();
    expect(merchant.received.map(({ body }) => body.amount)).toEqual(['99999999999999.99', '7.00']);
  });

  test('a card comes masked, its token not at all', async () => {
    await simulator.pay(await created('credit-card'));
    await simulator.settled();
    const [{ bytes, body } = fail()] = merchant.received;
    expect(body.card).toEqual({ card_no: expect.stringMatching(/^\d{6}\*{6}\d{4}$/) });
    expect(bytes.includes('tok_4f1c2a9be77d')).toBe(false);
  });

  test('each app’s secret signs its own', async () => {
    await simulator.pay(await created('pix', {}, otherApp));
    await simulator.settled();
    const [{ bytes, headers } = fail()] = merchant.received;
    expect(headers['service-signature']).toBe(hmac(bytes, otherApp.secret_key));
  });

  test('the header’s name and its scheme are settings', async () => {
    simulator.configure({ signatureHeader: 'Acme-Signature', signatureScheme: 't-v2' });
    await simulator.pay(await created('pix'));
    await simulator.settled();
    const [{ bytes, headers } = fail()] = merchant.received;
    expect(headers['acme-signature']).toBe(`t=${noon / 1000},v2=${hmac(bytes, app.secret_key)}`);
    expect(headers['service-signature']).toBeUndefined();
  });
});

describe('which states are notified', () => {
  test.each([
    ['pix', 'pay', ['SUCCESS']],
    ['pix', 'refuse', ['REFUSED']],
    ['pix', 'cancel', ['CANCEL']],
    ['credit-card', 'submit', []],
    ['credit-card', 'risk', []],
    ['credit-card', 'pay', ['SUCCESS']],
  ] as const)('%s, %s: %j', async (file, action, expected) => {
    await simulator.act(await created(file), action);
    await simulator.settled();
    expect(told()).toEqual(expected);
  });

  test('a state that a deadline reaches is notified', async () => {
    await created('pix', { timeout_express: '10m' });
    await created('checkout', { timeout_express: '20m' });
    await simulator.advance('1h');
    expect(told()).toEqual(['CANCEL', 'EXPIRED']);
  });

  test('by setting: SUCCESS only, or the states on the way as well', async () => {
    simulator.configure({ notifyStatuses: [] });
    await simulator.act(await created('pix', { out_trade_no: 'one' }), 'cancel');
    await simulator.pay(await created('pix', { out_trade_no: 'two' }));
    await simulator.settled();
    expect(told()).toEqual(['SUCCESS']);
    simulator.configure({ notifyStatuses: ['PROCESSING'] });
    await simulator.pay(await created('credit-card'));
    await simulator.settled();
    expect(told().sort()).toEqual(['PROCESSING', 'SUCCESS', 'SUCCESS']);
  });

  test('no state is notified if notifications are off, for all or for one trade', async () => {
    const one = await created('pix', { out_trade_no: 'one' });
    await simulator.setNotifications(one, false);
    await simulator.pay(one);
    simulator.configure({ notifications: false });
    await simulator.pay(await created('pix', { out_trade_no: 'two' }));
    await simulator.advance('1d');
    expect(merchant.received).toEqual([]);
    expect(simulator.notifications()).toEqual([]);
    simulator.configure({ notifications: true });
    await simulator.pay(await created('pix', { out_trade_no: 'three' }));
    await simulator.settled();
    expect(merchant.received).toHaveLength(1);
  });
});

describe('acknowledgement and retries (section 6.3)', () => {
  test.each([
    ['success', true],
    ['{"result":"success"}', true],
    ['{ "result" : "success", "more": 1 }', true],
    ['', false],
    ['SUCCESS', false],
    ['success\n', false],
    ['"success"', false],
    ['ok', false],
    ['{"result":"fail"}', false],
    ['{"result":true}', false],
    ['["success"]', false],
    ['null', false],
  ])('an answer of %j: %s', (answer, expected) => {
    expect(isAcknowledgement(answer)).toBe(expected);
  });

  test('one that is acknowledged is sent once', async () => {
    await simulator.pay(await created('pix'));
    await simulator.advance('10d');
    expect(merchant.received).toHaveLength(1);
    expect(simulator.notifications()).toMatchObject([
      {
        acknowledged: true,
        next_at: null,
        attempts: [{ at: '2026-03-02T12:00:00.000Z', http_status: 200, acknowledged: true, error: null }],
      },
    ]);
  });

  test.each([
    ['another word', { status: 200, body: 'thanks' }],
    ['another status', { status: 201, body: 'success' }],
    ['a redirect', { status: 302, body: 'success' }],
    ['trouble', { status: 503, body: 'success' }],
  ])(
    '%s is no acknowledgement: the same bytes come six times more, at 10, 30, 60, 120, 360 and 840 minutes',
    async (_, answer) => {
      merchant.answer = answer;
      await simulator.pay(await created('pix'));
      await simulator.advance('30d');
      const [notification = fail()] = simulator.notifications();
      const minutes = notification.attempts.map(({ at }) => (Date.parse(at) - noon) / 60_000);
      expect(minutes).toEqual([0, 10, 30, 60, 120, 360, 840]);
      expect(notification).toMatchObject({ acknowledged: false, next_at: null });
      expect(notification.attempts.every(({ http_status }) => http_status === answer.status)).toBe(true);
      expect(new Set(merchant.received.map(({ bytes }) => bytes.toString('utf8')))).toEqual(
        new Set([notification.body]),
      );
      expect(merchant.received).toHaveLength(7);
    },
  );

  test('a retry does not come a second before its time', async () => {
    merchant.answer = { status: 500, body: '' };
    await simulator.pay(await created('pix'));
    await simulator.advance('599s');
    expect(merchant.received).toHaveLength(1);
    await simulator.advance('1s');
    expect(merchant.received).toHaveLength(2);
  });

  test('retries end with the acknowledgement', async () => {
    merchant.answer = { status: 500, body: '' };
    await simulator.pay(await created('pix'));
    await simulator.advance('45m');
    merchant.answer = { status: 200, body: '{"result":"success"}' };
    await simulator.advance('30d');
    expect(merchant.received).toHaveLength(4);
    expect(simulator.notifications()).toMatchObject([{ acknowledged: true, attempts: { length: 4 } }]);
  });

  test('an answer after the time-out is no acknowledgement', async () => {
    merchant.answer = 'never';
    simulator.configure({ ackTimeoutMs: 50 });
    await simulator.pay(await created('pix'));
    await simulator.settled();
    expect(simulator.notifications()).toMatchObject([
      {
        acknowledged: false,
        attempts: [{ http_status: null, error: 'TimeoutError' }],
        next_at: '2026-03-02T12:10:00.000Z',
      },
    ]);
  });

  test('an endpoint that is down does not delay others', async () => {
    const port = new URL(merchant.url).port;
    const gone = await Merchant.start();
    const nowhere = gone.url;
    await gone.close();
    await simulator.pay(await created('pix', { out_trade_no: 'down', notify_url: nowhere }));
    await simulator.pay(
      await created('pix', { out_trade_no: 'unknown', notify_url: 'http://no-such-host.invalid/ipn' }),
    );
    await simulator.pay(await created('pix', { out_trade_no: 'up', notify_url: `http://127.0.0.1:${port}/ipn` }));
    await simulator.settled();
    expect(merchant.received.map(({ body }) => body.out_trade_no)).toEqual(['up']);
    expect(simulator.notifications({ out_trade_no: 'down' })).toMatchObject([
      { attempts: [{ error: 'ECONNREFUSED' }] },
    ]);
    expect(simulator.notifications({ out_trade_no: 'unknown' })).toMatchObject([
      { acknowledged: false, attempts: { length: 1 } },
    ]);
  });

  test('closing does not wait for an answer, and does not count that attempt', async () => {
    merchant.answer = 'never';
    await simulator.pay(await created('pix'));
    const arrived = simulator.settled();
    await simulator.close();
    await arrived;
    expect(simulator.notifications()).toMatchObject([
      { attempts: [], acknowledged: false, next_at: '2026-03-02T12:00:00.000Z' },
    ]);
  });
});

describe('the callback button', () => {
  test('notifies the present state once, also where notifications are off, and is not repeated', async () => {
    merchant.answer = { status: 500, body: '' };
    simulator.configure({ notifications: false });
    const no = await created('pix');
    await simulator.pay(no);
    await simulator.advance('1h');
    expect(await simulator.notify(no)).toMatchObject({
      by_hand: true,
      trade_status: 'SUCCESS',
      next_at: null,
      attempts: [{ at: '2026-03-02T13:00:00.000Z', http_status: 500 }],
    });
    await simulator.advance('30d');
    expect(told()).toEqual(['SUCCESS']);
  });

  test('works for a state that is not notified', async () => {
    await simulator.notify(await created('pix'));
    expect(told()).toEqual(['PROCESSING']);
  });
});

function fail(): never {
  throw new Error('Nothing was notified');
}
