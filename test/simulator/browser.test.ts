/** The pages in a real browser: what people do on them, in their language and time, and what axe-core finds. */
import { source as axe } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { z } from 'zod';
import type { Simulator } from '../../src/simulator';
import { startChromium } from '../harness/chromium';
import { accountOf, call, type Json, Merchant, order, refundOf, start } from './support';

let simulator: Simulator;
let merchant: Merchant;
let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  [simulator, merchant] = await Promise.all([start(), Merchant.start()]);
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await simulator.close();
  await merchant.close();
});

const desk = (path = '') => `${simulator.url}/simulator/desk${path}`;

/** A browser of somebody, which is in English and New York where nothing else is said. */
async function browserOf(options: BrowserContextOptions = {}): Promise<Page> {
  return (await browser.newContext({ locale: 'en-US', timezoneId: 'America/New_York', ...options })).newPage();
}

async function open(url: string, options?: BrowserContextOptions): Promise<Page> {
  const page = await browserOf(options);
  await page.goto(url);
  return page;
}

/** Makes an order; answers with its buyer's page. */
async function pageOf(file: string, changes: Json = {}): Promise<string> {
  const path = file === 'checkout' ? '/trade/create' : '/trade/pay';
  const { body } = await call(simulator, path, order(file, { notify_url: merchant.url, ...changes }));
  return simulator.trade(String(body.trade_no)).page_url;
}

async function paid(out_trade_no: string): Promise<string> {
  await pageOf('pix', { out_trade_no });
  await simulator.pay(out_trade_no);
  await simulator.settled();
  merchant.received.length = 0;
  return simulator.trade(out_trade_no).trade_no;
}

/** Asks for a refund for which the buyer has to name an account; answers with the buyer's page. */
async function refund(out_trade_no: string): Promise<string> {
  await call(simulator, '/trade/refund', refundOf(out_trade_no, { bank_info: undefined }));
  return simulator.refund(out_trade_no).page_url;
}

async function account(buyer_id: string) {
  const asked = accountOf(merchant.url, { 'customer.buyer_id': buyer_id });
  const { body } = await call(simulator, '/virtual-account/spei/create', asked);
  return { account_id: String(body.account_id), account_number: String(body.account_number) };
}

describe('a buyer', () => {
  test('sees one button, and those for testing on demand', async () => {
    const page = await open(await pageOf('checkout'));
    const seen = () => page.getByRole('button').allInnerTexts();
    expect(await seen()).toEqual(['Pay']);
    await page.getByText('For testing').click();
    expect(await seen()).toEqual(['Pay', 'Continue, pay later', 'Refuse', 'Cancel']);
  });

  test.each([
    ['pix', 'Pix copy and paste code', 'qr_code'],
    ['boleto', 'Line of digits', 'bank_code'],
    ['spei', 'CLABE', 'clabe'],
    ['spei', 'Reference', 'reference'],
  ])('of %s copies the %s', async (file, name, field) => {
    const page = await open(await pageOf(file), { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: `Copy ${name}` }).click();
    await page.getByRole('button', { name: `Copied ${name}` }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(simulator.trades()[0]?.payment_data[field]);
  });

  test.each([
    ['pt-BR', 'America/Sao_Paulo', 'pt-BR', 'Aguardando o seu pagamento', '2 de mar. de 2026, 10:30'],
    ['es-MX', 'America/Mexico_City', 'es-419', 'Esperando tu pago', '2 mar 2026, 7:30 a.m.'],
    ['de-DE', 'Europe/Berlin', 'en', 'Waiting for your payment', 'Mar 2, 2026, 2:30 PM'],
  ])('whose browser is in %s and %s has a page in %s', async (locale, timezoneId, tag, state, time) => {
    const page = await open(await pageOf('pix'), { locale, timezoneId });
    expect(await page.locator('html').getAttribute('lang')).toBe(tag);
    expect(await page.getByRole('status').innerText()).toBe(`${state} (PROCESSING)`);
    expect(plain(await page.locator('time').innerText())).toBe(time);
  });

  test('whose browser runs no script sees the time in UTC, no button that does nothing, and can pay', async () => {
    const page = await open(await pageOf('pix'), { javaScriptEnabled: false });
    expect(plain(await page.locator('time').innerText())).toBe('Mar 2, 2026, 1:30 PM UTC');
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Pay']);
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByRole('status').getByText('Paid').waitFor();
  });

  test('names the account for a refund, and an operator approves it', async () => {
    const trade_no = await paid('one');
    simulator.configure({ refundTakes: 'manual' });
    await refund('one');
    const page = await open(simulator.trade('one').page_url);
    await page.getByRole('link', { name: 'Say where your refund goes' }).click();
    await page.getByLabel('Your account number or Pix key').fill('mariana@example.com');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('on its way').waitFor();
    await page.goto(desk(`/trade?trade_no=${trade_no}`));
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('status').getByText('(REFUNDED)').waitFor();
    expect(simulator.ledger({ out_trade_no: 'one' })).toMatchObject([{ refunded_amount: '150.00' }]);
  });
});

describe('an operator', () => {
  test('deposits into an account', async () => {
    const [one, two] = [await account('one'), await account('two')];
    const page = await open(desk('/accounts'));
    const section = page.getByRole('region', { name: `Account ${two.account_number}` });
    await section.getByLabel('Amount in MXN').fill('1234.56');
    await section.getByRole('button', { name: 'Deposit' }).click();
    await section.getByText('1, $1,234.56 MXN').waitFor();
    await simulator.settled();
    expect(merchant.received).toMatchObject([
      { body: { amount: '1234.56', transfer_account: { account_id: two.account_id } } },
    ]);
    await section.getByRole('button', { name: 'Cancel the account' }).click();
    await section.getByText('CANCELED').waitFor();
    expect(simulator.deposits(one.account_id).count).toBe(0);
  });

  test('finds a payment and charges it back, from the list to the notification', async () => {
    await paid('one');
    await paid('two');
    const page = await open(desk());
    await page.getByLabel('Order or trade number').fill('one');
    await page.getByLabel('Status').selectOption('SUCCESS');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('link', { name: 'two' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'one' }).click();
    await page.getByRole('button', { name: 'Charge back' }).click();
    await page.getByRole('button', { name: 'Reverse the chargeback' }).waitFor();
    await simulator.settled();
    expect(merchant.received.map(({ body }) => body.trade_status)).toEqual(['CHARGEBACK']);
  });
});

const plain = (text: string) => text.replace(/\s/g, ' ');

describe('axe-core finds nothing, and nothing is cut off', () => {
  /** Each page in the state that shows most of it. */
  const pages: Readonly<Record<string, () => Promise<string>>> = {
    'a checkout': () => pageOf('checkout'),
    'a Pix payment': () => pageOf('pix'),
    'a Boleto': () => pageOf('boleto'),
    'a SPEI transfer': () => pageOf('spei'),
    'an OXXO voucher': () => pageOf('oxxo'),
    'a bank deposit': () => pageOf('deposit-express'),
    'a refused payment': async () => {
      const url = await pageOf('pse');
      await simulator.act(simulator.trades()[0]?.trade_no ?? '', 'refuse');
      return url;
    },
    'a refund': async () => {
      await paid('one');
      return refund('one');
    },
    'no payment': async () => `${simulator.url}/checkout?trade_no=none`,
    'the desk': async () => {
      await paid('an-order-with-a-rather-long-number-that-goes-on-and-on-0001');
      await pageOf('spei');
      return desk();
    },
    'the desk’s trade': async () => {
      const trade_no = await paid('one');
      await refund('one');
      return desk(`/trade?trade_no=${trade_no}`);
    },
    'the desk’s accounts': async () => {
      await account('buyer-mx-1');
      return desk('/accounts');
    },
  };
  const looks: readonly BrowserContextOptions[] = ['en-US', 'es-MX', 'pt-BR'].flatMap((locale) =>
    (['light', 'dark'] as const).flatMap((colorScheme) =>
      [
        { width: 1280, height: 800 },
        { width: 390, height: 844 },
      ].map((viewport) => ({ locale, colorScheme, viewport })),
    ),
  );
  const names = Object.keys(pages);
  /** A run of axe-core takes a second of CPU: by default each page has one look, and each look comes once. */
  const looksAt = (name: string) =>
    process.env.PAGES_LOOKS === 'all' ? looks : looks.filter((_, i) => i === (5 * names.indexOf(name)) % looks.length);
  const results = z.object({ violations: z.array(z.object({ id: z.string(), help: z.string() })) });
  /** Set it to keep pictures. */
  const screenshots = process.env.SCREENSHOTS;

  test.each(names)(
    'on the page of %s, in one of three languages, light or dark, 390 or 1280 pixels wide',
    async (name) => {
      const url = (await pages[name]?.()) ?? '';
      for (const look of looksAt(name)) {
        const page = await open(url, look);
        await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
        if (screenshots) {
          const file = `${name}-${look.locale}-${look.colorScheme}-${look.viewport?.width}.png`;
          await page.screenshot({ path: `${screenshots}/${file.replace(/[^\w.-]/g, '-')}`, fullPage: true });
        }
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        const { violations } = results.parse(await page.evaluate(`${axe}; axe.run({ resultTypes: ['violations'] })`));
        expect({ look, overflow, violations }).toEqual({ look, overflow: 0, violations: [] });
        await page.close();
      }
    },
  );
});
