import type { Simulator } from '../../src/simulator';
import { buttons, call, order, press, sendForm, start, visit } from './support';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await start();
});
afterEach(() => simulator.close());

/** A refund that waits for its buyer; answers with the address of its page. */
async function waiting(file = 'pix'): Promise<string> {
  const { body } = await call(simulator, '/trade/pay', order(file, { out_trade_no: 'one' }));
  await simulator.pay(String(body.trade_no));
  const { order_amount: refund_amount, order_currency: refund_currency } = simulator.trade('one');
  const user_info = { identify: { number: '11144477735' }, name: 'Mariana Lima', email: 'mariana@example.com' };
  await call(simulator, '/trade/refund', { out_trade_no: 'one', refund_amount, refund_currency, user_info });
  expect(simulator.refund('one').refund_status).toBe('REFUND_VERIFYING');
  return simulator.refund('one').page_url;
}

describe('what a buyer sees', () => {
  test('the refund, its amount, and until when to answer', async () => {
    const { status, headers, html } = await visit(await waiting());
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const text of ['Refund: Order 1', 'R$\u00a0150,00', 'REFUND_VERIFYING', 'Mar 9, 2026, 12:00 PM UTC']) {
      expect(html).toContain(text);
    }
    expect(html).toMatch(/<label class="field">Your account number or Pix key<input name="account"/);
    expect(buttons(html)).toEqual(['Confirm', 'I do not want it']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('the payment’s own page leads there while the refund waits', async () => {
    const url = await waiting();
    const page = simulator.trade('one').page_url;
    expect((await visit(page)).html).toContain(`<a class="button main" href="${url}">Say where your refund goes</a>`);
    await simulator.actOnRefund('one', 'approve');
    expect((await visit(page)).html).not.toContain('refund_id');
  });

  test('an unknown refund has no page', async () => {
    for (const query of ['', '?refund_id=', '?refund_id=none', '?refund_id=__proto__']) {
      expect((await visit(`${simulator.url}/refund${query}`)).status).toBe(404);
    }
  });
});

describe('what a buyer can press', () => {
  test('Confirm, with an account: the refund goes on, and the account is kept nowhere', async () => {
    const url = await waiting();
    const after = await press(url, 'confirm', { account: 'key-of-mariana' });
    expect(after.status).toBe(303);
    expect(after.html).toContain('Refund: on its way');
    expect(buttons(after.html)).toEqual([]);
    expect(simulator.trade('one').trade_status).toBe('REFUND_PROCESSING');
    await simulator.advance('5s');
    expect((await visit(url)).html).toContain('Refunded');
    expect(JSON.stringify([simulator.refunds(), simulator.trades()])).not.toContain('key-of-mariana');
  });

  test('Confirm without an account does nothing', async () => {
    const { status, html } = await press(await waiting(), 'confirm', { account: '  ' });
    expect(status).toBe(400);
    expect(html).toContain('<p class="bad" role="alert">Say which account the money goes to.</p>');
    expect(simulator.refund('one').refund_status).toBe('REFUND_VERIFYING');
  });

  test.each([
    ['646180157000000004', true],
    ['646 180 15700000000 4', true],
    ['646180157000000005', false],
    ['64618015700000000', false],
    ['six', false],
  ])('for SPEI a CLABE: %s is one: %s', async (account, right) => {
    const url = await waiting('spei');
    expect((await visit(url)).html).toContain('Your CLABE');
    const { status } = await press(url, 'confirm', { account });
    expect(status).toBe(right ? 303 : 400);
    expect(simulator.refund('one').refund_status).toBe(right ? 'REFUND_PROCESSING' : 'REFUND_VERIFYING');
  });

  test('the button "I do not want it" revokes the refund', async () => {
    const after = await press(await waiting(), 'decline');
    expect(after.html).toContain('Refund: revoked');
    await simulator.advance('1m');
    expect(simulator.trade('one').trade_status).toBe('SUCCESS');
  });

  test.each([
    ['another site, which knows no nonce', { nonce: '' }, 403],
    ['a button that does not exist', { action: 'approve' }, 400],
    ['a refund that does not exist', { refund_id: 'none' }, 404],
  ])('not %s', async (_, change, status) => {
    const answer = await sendForm(await waiting(), { action: 'confirm', account: '1', ...change });
    expect(answer.status).toBe(status);
    expect(simulator.refund('one').refund_status).toBe('REFUND_VERIFYING');
  });
});
