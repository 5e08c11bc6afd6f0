/** What the pages of the buyer and of the desk say and refuse. In a browser: browser.test.ts. */
import { request as open } from 'node:http';
import { money } from '../../src/simulator/ui/money';
import { create, simulator } from './running';
import {
  accountOf,
  buttons,
  call,
  hidden,
  type Json,
  order,
  press,
  refundOf,
  sendForm,
  unescaped,
  visit,
} from './support';

/** Its page. */
async function pageOf(file: string, changes: Json = {}): Promise<string> {
  const body = await create(file, changes);
  return String(body.web_url ?? body.pay_url ?? simulator.trade(String(body.trade_no)).page_url);
}

describe('what a buyer sees', () => {
  test('the order, its amount, method, state and how long it holds', async () => {
    const { status, headers, html } = await visit(await pageOf('pix'));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const text of [
      '<h1>Order 1</h1>',
      'R$\u00a0150,00',
      '2026-0001-PIX',
      'Pix',
      'PROCESSING',
      'Mar 2, 2026, 1:30 PM UTC',
    ]) {
      expect(html).toContain(text);
    }
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('name="viewport"');
  });

  test('a PIX payment shows its QR code and the text of the code', async () => {
    const url = await pageOf('pix');
    const { html } = await visit(url);
    const code = simulator.trade('2026-0001-PIX').payment_data.qr_code ?? 'none';
    expect(html).toContain(code);
    expect(html).toMatch(/<div class="qr" role="img" aria-label="[^"]+"><svg /);
  });

  test('markup in the texts of an order is escaped', async () => {
    const evil = `"><script>alert('1')</script>&`;
    const { html } = await visit(
      await pageOf('checkout', { subject: evil, out_trade_no: evil, return_url: `https://shop.example.com/"><b>` }),
    );
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('<b>');
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;');
  });

  test('a page loads nothing, runs its own script only and cannot be framed', async () => {
    const { headers, html } = await visit(await pageOf('pix'));
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; script-src 'sha256-[A-Za-z0-9+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(html).not.toMatch(/<script |<link|<img|<iframe| on\w+=|style=/);
    expect(html.match(/<script>/g)).toHaveLength(1);
  });

  test('an unknown payment has no page', async () => {
    for (const query of ['', '?trade_no=', '?trade_no=none', '?trade_no=__proto__']) {
      expect((await visit(`${simulator.url}/checkout${query}`)).status).toBe(404);
    }
  });

  test('a QR wallet’s address is its QR code', async () => {
    const { body } = await call(simulator, '/trade/pay', order('wallet-qr'));
    const { headers, html } = await visit(String(body.wallet_url));
    expect(headers.get('content-type')).toBe('image/svg+xml');
    expect(html).toMatch(/^<svg /);
  });
});

describe('what a buyer can press', () => {
  test.each([
    ['Pay', 'pay', 'SUCCESS', 'Paid'],
    ['Refuse', 'refuse', 'REFUSED', 'Refused'],
    ['Cancel', 'cancel', 'CANCEL', 'Cancelled'],
  ])('%s', async (name, action, status, text) => {
    const url = await pageOf('pse');
    const { html } = await visit(url);
    expect(buttons(html)).toEqual(['Pay', 'Refuse', 'Cancel']);
    expect(html).toMatch(new RegExp(`<button name="action" value="${action}"[^>]*>${name}</button>`));
    const after = await press(url, action);
    expect(after.status).toBe(303);
    expect(simulator.trades()).toMatchObject([{ trade_status: status }]);
    expect(after.html).toContain(text);
    expect(buttons(after.html)).toEqual([]);
    expect(after.html).toContain('<a class="button" href="https://shop.example.com/thanks">Return to the shop</a>');
  });

  test('on a checkout the methods of its currency, and then the code', async () => {
    const url = await pageOf('checkout', { out_trade_no: 'one' });
    const { html } = await visit(url);
    const choices = [...html.matchAll(/name="method" value="(\w+)"( checked)?/g)].map(([, name, checked]) => [
      name,
      checked,
    ]);
    expect(choices[0]).toEqual(['PIX', ' checked']);
    expect(choices.map(([name]) => name)).toEqual([
      'PIX',
      'Boleto',
      'Lottery',
      'DepositExpress',
      'OpenFinance',
      'CreditCard',
      'Wallet',
    ]);
    expect(buttons(html)).toEqual(['Pay', 'Continue, pay later', 'Refuse', 'Cancel']);

    const after = await press(url, 'submit', { method: 'Boleto' });
    expect(simulator.trade('one')).toMatchObject({ method: 'Boleto', trade_status: 'PROCESSING' });
    expect(after.html).toContain(simulator.trade('one').payment_data.bank_code);
    expect(after.html).not.toContain('type="radio"');
    expect((await press(url, 'pay')).html).toContain('Paid');
  });

  test.each([
    ['another site, which knows no nonce', { nonce: '' }, 403],
    ['a guess', { nonce: '00000000-0000-4000-8000-000000000000' }, 403],
    ['risk control, which is no button', { action: 'risk' }, 400],
    ['a button that does not exist', { action: 'steal' }, 400],
    ['a payment that does not exist', { trade_no: 'none' }, 404],
  ])('not %s', async (_, change, status) => {
    expect((await sendForm(await pageOf('pix'), { action: 'pay', ...change })).status).toBe(status);
    expect(simulator.trades()).toMatchObject([{ trade_status: 'PROCESSING' }]);
  });

  test('the nonce of one payment does not work for another', async () => {
    const one = hidden((await visit(await pageOf('pix', { out_trade_no: 'one' }))).html);
    await pageOf('pix', { out_trade_no: 'two' });
    const body = new URLSearchParams({ ...one, action: 'pay', trade_no: simulator.trade('two').trade_no });
    expect((await fetch(`${simulator.url}/checkout`, { method: 'POST', body })).status).toBe(403);
  });
});

describe('the way back (section 4.2)', () => {
  const back = (html: string) =>
    unescaped(/<a class="button" href="([^"]*)">Return to the shop<\/a>/.exec(html)?.[1] ?? 'none');
  const over = (url: string, address: string) => `${url}&return_url=${encodeURIComponent(address)}`;

  test('is the order’s return_url', async () => {
    expect(back((await visit(await pageOf('checkout'))).html)).toBe('https://shop.example.com/back?cart=101');
    expect(back((await visit(await pageOf('pix'))).html)).toBe('none');
  });

  test('the return_url of the page’s address replaces the order’s while the buyer pays, and at the end', async () => {
    const url = over(await pageOf('checkout'), 'https://shop.example.com/other?a=1&b=2');
    expect(back((await visit(url)).html)).toBe('https://shop.example.com/other?a=1&b=2');
    expect(back((await press(url, 'submit', { method: 'PIX' })).html)).toBe('https://shop.example.com/other?a=1&b=2');
    expect(back((await press(url, 'pay')).html)).toBe('https://shop.example.com/other?a=1&b=2');
  });

  test('is not overridden once the payment is over, nor for a direct payment', async () => {
    const url = await pageOf('checkout', { out_trade_no: 'one' });
    await simulator.pay('one');
    expect(back((await visit(over(url, 'https://evil.example.com/'))).html)).toBe(
      'https://shop.example.com/back?cart=101',
    );
    const direct = await pageOf('pse');
    expect(back((await visit(over(direct, 'https://evil.example.com/'))).html)).toBe('https://shop.example.com/thanks');
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example.com', 'shop'])(
    'never leads to %s',
    async (address) => {
      const url = await pageOf('checkout', { return_url: address });
      expect(back((await visit(url)).html)).toBe('none');
      expect(back((await visit(over(url, address))).html)).toBe('none');
    },
  );
});

describe('what is drawn and written', () => {
  // Wide (1) and narrow (0) bars of each digit; bars are one digit of a pair, the gaps between them the other.
  const DIGITS = ['00110', '10001', '01001', '11000', '00101', '10100', '01100', '00011', '10010', '01010'];

  test('the bars of a Boleto are its 44 digits, as Interleaved 2 of 5', async () => {
    const { html } = await visit(await pageOf('boleto'));
    const [, path = ''] = /<path d="([^"]+)"/.exec(html) ?? [];
    const bars = [...path.matchAll(/M(\d+) 0h(\d+)/g)].map(([, at, width]) => ({
      at: Number(at),
      width: Number(width),
    }));
    const widths = bars.flatMap(({ at, width }, index) => [width, (bars[index + 1]?.at ?? at + width) - at - width]);
    const digit = (five: number[]) => DIGITS.indexOf(five.map((width) => (width > 1 ? 1 : 0)).join(''));
    const pairs = Array.from({ length: 22 }, (_, pair) => widths.slice(4 + pair * 10, 14 + pair * 10));
    const read = pairs.flatMap((pair) => [0, 1].map((odd) => digit(pair.filter((_, index) => index % 2 === odd))));
    expect(read.join('')).toBe(simulator.trades()[0]?.payment_data.barcode);
  });

  test('an OXXO voucher has the number that is in its bars', async () => {
    const { html } = await visit(await pageOf('oxxo'));
    expect(html).toContain(`<p id="reference">${simulator.trades()[0]?.trade_no}</p>`);
    expect(html).toMatch(/role="img" aria-label="Barcode of this payment"><svg /);
  });

  test.each([
    ['10.00', 'BRL', 'R$ 10,00'],
    ['1500.00', 'MXN', '$1,500.00 MXN'],
    ['99999999999999.99', 'BRL', 'R$ 99.999.999.999.999,99'],
    ['1500.00', 'CLP', '$1.500 CLP'],
    ['1500.50', 'CLP', '$1.500,50 CLP'],
    ['12.30', 'PEN', 'S/ 12.30'],
    ['1.00', 'USD', '$1.00 USD'],
    ['1.00', '<b>', '1.00 <b>'],
  ])('%s %s is written %s', (amount, currency, written) => {
    expect(money(amount, currency).replaceAll('\u00a0', ' ')).toBe(written);
  });

  test.each([
    ['pt-BR,pt;q=0.9,en;q=0.8', 'pt-BR', 'Cartão de crédito'],
    ['es-CO', 'es-419', 'Tarjeta de crédito'],
    ['fr,es;q=0.5', 'es-419', 'Tarjeta de crédito'],
    ['fr', 'en', 'Credit card'],
    ['q=;;,,*;q=x', 'en', 'Credit card'],
  ])('a browser that asks for %s gets a page in %s', async (asked, tag, card) => {
    const response = await fetch(await pageOf('checkout'), { headers: { 'accept-language': asked } });
    const html = await response.text();
    expect(html).toContain(`<html lang="${tag}">`);
    expect(html).toContain(`>${card}</label>`);
  });

  test('what goes wrong is said in the browser’s language', async () => {
    const headers = { 'accept-language': 'pt-BR' };
    const url = await pageOf('pix');
    const fields = hidden((await visit(url)).html);
    const post = async (form: Record<string, string>) =>
      (await fetch(`${simulator.url}/checkout`, { method: 'POST', headers, body: new URLSearchParams(form) })).text();
    expect(await post({ ...fields, action: 'steal' })).toContain('Esta página não tem esse botão.');
    expect(await post({ ...fields, nonce: '', action: 'pay' })).toContain('não foi clicado na própria página');
    await simulator.pay('2026-0001-PIX');
    expect(await post({ ...fields, action: 'cancel' })).toContain('Isso já não é possível: veja a situação.');
  });
});

// -- Refunds

/** A refund that waits for its buyer; answers with the address of its page. */
async function waiting(file = 'pix'): Promise<string> {
  const { body } = await call(simulator, '/trade/pay', order(file, { out_trade_no: 'one' }));
  await simulator.pay(String(body.trade_no));
  const { order_amount: refund_amount, order_currency: refund_currency } = simulator.trade('one');
  const asked = refundOf('one', { refund_amount, refund_currency, bank_info: undefined });
  await call(simulator, '/trade/refund', asked);
  expect(simulator.refund('one').refund_status).toBe('REFUND_VERIFYING');
  return simulator.refund('one').page_url;
}

describe('of a refund a buyer sees', () => {
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

describe('of a refund a buyer can press', () => {
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

// -- The desk

const desk = (path = '') => `${simulator.url}/simulator/desk${path}`;
/** A paid order; answers with its trade_no. */
async function paid(out_trade_no: string): Promise<string> {
  await pageOf('pix', { out_trade_no });
  return (await simulator.pay(out_trade_no)).trade_no;
}
const account = async () => {
  const { body } = await call(simulator, '/virtual-account/spei/create', accountOf('http://127.0.0.1:9/ipn'));
  return { account_id: String(body.account_id), account_number: String(body.account_number) };
};
const listed = (html: string) => [...html.matchAll(/trade_no=\d+">([\w-]+)</g)].map(([, no]) => no);
const nonceOf = (html: string) => String(hidden(html).nonce);
const post = async (path: string, form: Record<string, string>) => {
  const response = await fetch(desk(path), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  return { status: response.status, html: await response.text() };
};

describe('the desk’s trades', () => {
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
    await call(simulator, '/trade/refund', refundOf('one', { out_request_no: 'r1' }));
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

describe('the desk’s virtual accounts', () => {
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

describe('who may press on the desk', () => {
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
