import type { Simulator } from '../../src/simulator';
import { money } from '../../src/simulator/ui/money';
import { buttons, call, hidden, type Json, order, press, sendForm, start, unescaped, visit } from './support';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await start();
});
afterEach(() => simulator.close());

async function create(file: string, changes: Json = {}): Promise<string> {
  const checkout = file.startsWith('checkout');
  const { body } = await call(simulator, checkout ? '/trade/create' : '/trade/pay', order(file, changes));
  return String(body.web_url ?? body.pay_url ?? simulator.trade(String(body.trade_no)).page_url);
}

describe('what a buyer sees', () => {
  test('the order, its amount, method, state and how long it holds', async () => {
    const { status, headers, html } = await visit(await create('pix'));
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
    const url = await create('pix');
    const { html } = await visit(url);
    const code = simulator.trade('2026-0001-PIX').payment_data.qr_code ?? 'none';
    expect(html).toContain(code);
    expect(html).toMatch(/<div class="qr" role="img" aria-label="[^"]+"><svg /);
  });

  test.each([
    ['boleto', ['bank_code']],
    ['spei', ['clabe', 'reference', 'bank_name']],
    ['deposit-express', ['provider_owner', 'provider_agency', 'provider_number']],
  ])('for %s its %j', async (file, fields) => {
    const { html } = await visit(await create(file));
    const [trade] = simulator.trades();
    for (const field of fields) expect(html).toContain(`>${trade?.payment_data[field]}<`);
  });

  test('markup in the texts of an order is escaped', async () => {
    const evil = `"><script>alert('1')</script>&`;
    const { html } = await visit(
      await create('checkout', { subject: evil, out_trade_no: evil, return_url: `https://shop.example.com/"><b>` }),
    );
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('<b>');
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;');
  });

  test('a page loads nothing, runs its own script only and cannot be framed', async () => {
    const { headers, html } = await visit(await create('pix'));
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
    const url = await create('pse');
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
    const url = await create('checkout', { out_trade_no: 'one' });
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

  test('paying a checkout at once takes the method chosen', async () => {
    await press(await create('checkout', { out_trade_no: 'one' }), 'pay', { method: 'CreditCard' });
    expect(simulator.trade('one')).toMatchObject({ method: 'CreditCard', trade_status: 'SUCCESS' });
  });

  test('a button that is pressed too late shows a sentence', async () => {
    const url = await create('pix');
    const { html } = await visit(url);
    await simulator.pay('2026-0001-PIX');
    const answer = await sendForm(url, { action: 'cancel' }, html);
    expect(answer.status).toBe(409);
    expect(answer.html).toContain('<p class="bad" role="alert">That is no longer possible: see the status.</p>');
    expect(simulator.trade('2026-0001-PIX').trade_status).toBe('SUCCESS');
  });

  test.each([
    ['another site, which knows no nonce', { nonce: '' }, 403],
    ['a guess', { nonce: '00000000-0000-4000-8000-000000000000' }, 403],
    ['risk control, which is no button', { action: 'risk' }, 400],
    ['a button that does not exist', { action: 'steal' }, 400],
    ['a payment that does not exist', { trade_no: 'none' }, 404],
  ])('not %s', async (_, change, status) => {
    expect((await sendForm(await create('pix'), { action: 'pay', ...change })).status).toBe(status);
    expect(simulator.trades()).toMatchObject([{ trade_status: 'PROCESSING' }]);
  });

  test('the nonce of one payment does not work for another', async () => {
    const one = hidden((await visit(await create('pix', { out_trade_no: 'one' }))).html);
    await create('pix', { out_trade_no: 'two' });
    const body = new URLSearchParams({ ...one, action: 'pay', trade_no: simulator.trade('two').trade_no });
    expect((await fetch(`${simulator.url}/checkout`, { method: 'POST', body })).status).toBe(403);
  });
});

describe('the way back (section 4.2)', () => {
  const back = (html: string) =>
    unescaped(/<a class="button" href="([^"]*)">Return to the shop<\/a>/.exec(html)?.[1] ?? 'none');
  const over = (url: string, address: string) => `${url}&return_url=${encodeURIComponent(address)}`;

  test('is the order’s return_url', async () => {
    expect(back((await visit(await create('checkout'))).html)).toBe('https://shop.example.com/back?cart=101');
    expect(back((await visit(await create('pix'))).html)).toBe('none');
  });

  test('the return_url of the page’s address replaces the order’s while the buyer pays, and at the end', async () => {
    const url = over(await create('checkout'), 'https://shop.example.com/other?a=1&b=2');
    expect(back((await visit(url)).html)).toBe('https://shop.example.com/other?a=1&b=2');
    expect(back((await press(url, 'submit', { method: 'PIX' })).html)).toBe('https://shop.example.com/other?a=1&b=2');
    expect(back((await press(url, 'pay')).html)).toBe('https://shop.example.com/other?a=1&b=2');
  });

  test('is not overridden once the payment is over, nor for a direct payment', async () => {
    const url = await create('checkout', { out_trade_no: 'one' });
    await simulator.pay('one');
    expect(back((await visit(over(url, 'https://evil.example.com/'))).html)).toBe(
      'https://shop.example.com/back?cart=101',
    );
    const direct = await create('pse');
    expect(back((await visit(over(direct, 'https://evil.example.com/'))).html)).toBe('https://shop.example.com/thanks');
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example.com', 'shop'])(
    'never leads to %s',
    async (address) => {
      const url = await create('checkout', { return_url: address });
      expect(back((await visit(url)).html)).toBe('none');
      expect(back((await visit(over(url, address))).html)).toBe('none');
    },
  );
});

describe('what is drawn and written', () => {
  // Wide (1) and narrow (0) bars of each digit; bars are one digit of a pair, the gaps between them the other.
  const DIGITS = ['00110', '10001', '01001', '11000', '00101', '10100', '01100', '00011', '10010', '01010'];

  test('the bars of a Boleto are its 44 digits, as Interleaved 2 of 5', async () => {
    const { html } = await visit(await create('boleto'));
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
    const { html } = await visit(await create('oxxo'));
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
    const response = await fetch(await create('checkout'), { headers: { 'accept-language': asked } });
    const html = await response.text();
    expect(html).toContain(`<html lang="${tag}">`);
    expect(html).toContain(`>${card}</label>`);
  });

  test('what goes wrong is said in the browser’s language', async () => {
    const headers = { 'accept-language': 'pt-BR' };
    const url = await create('pix');
    const fields = hidden((await visit(url)).html);
    const post = async (form: Record<string, string>) =>
      (await fetch(`${simulator.url}/checkout`, { method: 'POST', headers, body: new URLSearchParams(form) })).text();
    expect(await post({ ...fields, action: 'steal' })).toContain('Esta página não tem esse botão.');
    expect(await post({ ...fields, nonce: '', action: 'pay' })).toContain('não foi clicado na própria página');
    await simulator.pay('2026-0001-PIX');
    expect(await post({ ...fields, action: 'cancel' })).toContain('Isso já não é possível: veja a situação.');
  });
});
