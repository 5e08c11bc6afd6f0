import { request as open } from 'node:http';
import type { Simulator } from '../../src/simulator';
import { buttons, call, type Json, Merchant, order, start, visit } from './support';

let simulator: Simulator;
let merchant: Merchant;
beforeEach(async () => {
  [simulator, merchant] = await Promise.all([start(), Merchant.start()]);
});
afterEach(async () => {
  await simulator.close();
  await merchant.close();
});

const desk = (path = '') => `${simulator.url}/simulator/desk${path}`;
async function paid(out_trade_no: string, changes: Json = {}): Promise<string> {
  const { body } = await call(
    simulator,
    '/trade/pay',
    order('pix', { out_trade_no, notify_url: merchant.url, ...changes }),
  );
  await simulator.pay(out_trade_no);
  await simulator.settled();
  merchant.received.length = 0;
  return String(body.trade_no);
}
const account = async (buyer_id = 'buyer-mx-1') => {
  const customer = { buyer_id, email: 'sofia@example.com', identify: { number: '1', type: 'CURP' } };
  const { body } = await call(simulator, '/virtual-account/spei/create', { notify_url: merchant.url, customer });
  return { account_id: String(body.account_id), account_number: String(body.account_number) };
};
const refund = (out_trade_no: string, out_request_no: string) =>
  call(simulator, '/trade/refund', {
    out_trade_no,
    out_request_no,
    refund_amount: '1.00',
    refund_currency: 'BRL',
    user_info: { identify: { number: '1' }, name: 'N', email: 'e@example.com' },
    bank_info: { number: '1' },
  });
const listed = (html: string) => [...html.matchAll(/trade_no=\d+">([\w-]+)</g)].map(([, no]) => no);
const nonceOf = (html: string) => /name="nonce" value="([^"]+)"/.exec(html)?.[1] ?? 'none';
const post = async (path: string, form: Record<string, string>) => {
  const response = await fetch(desk(path), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  return { status: response.status, html: await response.text() };
};

describe('trades', () => {
  test('trades are listed, newest first, and found by a part of either number and by status', async () => {
    const one = await paid('order-one');
    await paid('order-two');
    await simulator.act('order-two', 'chargeback');
    const { status, headers, html } = await visit(desk());
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(listed(html)).toEqual(['order-two', 'order-one']);
    for (const [query, found] of [
      [`no=${one}`, ['order-one']],
      ['no=%20Order-T', ['order-two']],
      ['status=SUCCESS', ['order-one']],
      ['no=order&status=CHARGEBACK', ['order-two']],
      ['no=one&status=CHARGEBACK', []],
      ['no=__proto__', []],
    ] as const) {
      expect([query, listed((await visit(desk(`?${query}`))).html)]).toEqual([query, found]);
    }
    expect((await visit(desk('?no=none'))).html).toContain('There are no trades.');
    expect((await visit(desk('?status=CHARGEBACK&no=two'))).html).toContain('<option value="CHARGEBACK" selected>');
  });

  test('a list that is too long says so', async () => {
    for (let count = 0; count < 201; count++)
      await call(simulator, '/trade/pay', order('pix', { out_trade_no: `n${count}` }));
    const { html } = await visit(desk());
    expect(listed(html)).toHaveLength(200);
    expect(html).toContain('The newest 200 of 201');
    expect(listed((await visit(desk('?no=n0'))).html)).toEqual(['n0']);
  });

  test('a trade is shown in words, with its money as people write it and its moment', async () => {
    await paid('one');
    const { html } = await visit(desk());
    for (const text of ['Paid', '(SUCCESS)', 'R$\u00a0150,00', 'Pix', '<time datetime="2026-03-02T12:00:00.000Z"']) {
      expect(html).toContain(text);
    }
  });

  test('one trade shows the buttons that its state allows', async () => {
    const trade_no = await paid('one');
    const page = () => visit(desk(`/trade?trade_no=${trade_no}`));
    expect(buttons((await page()).html)).toEqual(['Dispute', 'Charge back', 'Force a refund', 'Send the callback']);
    await simulator.act('one', 'chargeback');
    expect(buttons((await page()).html)).toEqual(['Reverse the chargeback', 'Send the callback']);
    expect((await visit(desk('/trade?trade_no=none'))).status).toBe(404);
  });

  test('a pending refund has its own buttons', async () => {
    const trade_no = await paid('one');
    await refund('one', 'r1');
    const { html } = await visit(desk(`/trade?trade_no=${trade_no}`));
    expect(buttons(html)).toEqual(['Send the callback', 'Approve', 'Refuse', 'Revoke']);
    expect(html).toContain('aria-label="Refund r1"');
  });

  test('a button that is pressed too late shows a sentence', async () => {
    const trade_no = await paid('one');
    const nonce = nonceOf((await visit(desk(`/trade?trade_no=${trade_no}`))).html);
    await simulator.act('one', 'chargeback');
    const { status, html } = await post('/trade', { nonce, trade_no, action: 'dispute' });
    expect(status).toBe(409);
    expect(html).toContain('<p class="bad" role="alert">A trade that is CHARGEBACK can not become DISPUTE.</p>');
  });
});

describe('virtual accounts', () => {
  test('accounts are listed with the rest of the pool and their deposits', async () => {
    expect((await visit(desk('/accounts'))).html).toContain('There are no virtual accounts.');
    const { account_id, account_number } = await account();
    await simulator.deposit(account_id, '12.30');
    const { html } = await visit(desk('/accounts'));
    for (const text of [account_number, account_id, 'buyer-mx-1', '1, $12.30 MXN', '999 more']) {
      expect(html).toContain(text);
    }
    expect(buttons(html)).toEqual(['Deposit', 'Cancel the account']);
    expect(html).not.toContain('sofia@example.com');
  });

  test.each([
    ['0', 400, 'A deposit must be a decimal from 0.01'],
    ['1.001', 400, 'at most two decimals'],
    ['', 400, 'A deposit must be'],
    ['much', 400, 'A deposit must be'],
  ])('a deposit of %j is answered %i with a sentence', async (amount, status, sentence) => {
    const { account_id } = await account();
    const nonce = nonceOf((await visit(desk('/accounts'))).html);
    const answer = await post('/accounts', { nonce, account_id, amount, action: 'deposit' });
    expect(answer.status).toBe(status);
    expect(answer.html).toContain(sentence);
    expect(simulator.deposits(account_id).count).toBe(0);
  });
});

describe('who may press', () => {
  test.each(['', 'a guess'])('not without the desk’s own nonce: %j', async (nonce) => {
    const trade_no = await paid('one');
    const { account_id } = await account();
    expect((await post('/trade', { nonce, trade_no, action: 'chargeback' })).status).toBe(403);
    expect((await post('/accounts', { nonce, account_id, amount: '1.00', action: 'deposit' })).status).toBe(403);
    expect(simulator.trade('one').trade_status).toBe('SUCCESS');
    expect(simulator.deposits(account_id).count).toBe(0);
  });

  /** A request with headers that fetch does not let anybody set. */
  const statusFor = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = open(desk('/accounts'), { headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on('error', reject).end();
    });

  test('only this machine may press, and no page of another site', async () => {
    const { host } = new URL(simulator.url);
    expect(await statusFor({ host })).toBe(200);
    expect(await statusFor({ host: 'rebound.example.com' })).toBe(403);
    expect(await statusFor({ origin: 'https://evil.example.com' })).toBe(403);
  });
});
