import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Store } from '../store';
import { IllegalAction } from '../trades/errors';
import type { Lifecycle } from '../trades/lifecycle';
import { type BuyerAction, isBuyerAction } from '../trades/states';
import type { Trade } from '../trades/trade';
import type { Html } from './html';
import { problemPage, qrSvg, returnAddress, tradePage } from './page';
import { style } from './style';

/** What the buyer's pages need. */
export interface PageParts {
  store: Store;
  lifecycle: Lifecycle;
}

// Nothing but the page's own style sheet may be loaded, no script runs, and no other site may frame the buttons.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Serves the page behind `pay_url` and `web_url`, its buttons, and the QR code behind a QR wallet's `wallet_url`. */
export function pageRoutes(server: FastifyInstance, { store, lifecycle }: PageParts): void {
  server.get('/checkout', async (request, reply) => {
    const asked = new URL(request.url, 'http://page').searchParams;
    const trade = store.trade(asked.get('trade_no') ?? '');
    if (!trade) return unknownTrade(reply);
    return send(reply, 200, await tradePage(trade, { returnUrl: asked.get('return_url') ?? undefined }));
  });

  server.post('/checkout', async (request, reply) => {
    const form = new URLSearchParams(
      request.body instanceof Uint8Array ? Buffer.from(request.body).toString('utf8') : '',
    );
    const trade = store.trade(form.get('trade_no') ?? '');
    if (!trade) return unknownTrade(reply);
    if (!isSame(form.get('nonce') ?? '', trade.page_nonce)) {
      return send(reply, 403, problemPage('Not from here', 'This button was not pressed on the payment page itself.'));
    }
    const action = form.get('action') ?? '';
    if (!isBuyerAction(action) || action === 'risk') {
      return send(reply, 400, problemPage('No such button', 'The payment page has no such button.'));
    }
    const returnUrl = form.get('return_url') ?? undefined;
    try {
      press(trade, action, form.get('method'), returnUrl);
    } catch (error) {
      if (!(error instanceof IllegalAction)) throw error;
      return send(reply, 409, await tradePage(trade, { returnUrl, problem: error.message }));
    }
    await store.save();
    // A reload of the page that follows presses nothing again.
    const next = new URLSearchParams({ trade_no: trade.trade_no, ...(returnUrl ? { return_url: returnUrl } : {}) });
    return reply.code(303).headers(headers).header('location', `checkout?${next}`).send();
  });

  server.get('/qr', async (request, reply) => {
    const trade = store.trade(new URL(request.url, 'http://page').searchParams.get('trade_no') ?? '');
    const drawn = trade && (trade.payment_data.qr_code ?? trade.payment_data.app_link_url);
    if (drawn === undefined) return unknownTrade(reply);
    return reply
      .headers(headers)
      .type('image/svg+xml')
      .send(await qrSvg(drawn));
  });

  function press(trade: Trade, action: BuyerAction, method: string | null, override: string | undefined): void {
    // The override counts only while the buyer pays, so what it said by then is kept for the last page.
    const returnUrl = returnAddress(trade, override) ?? trade.return_url;
    if (trade.method === null && method !== null) lifecycle.chooseMethod(trade, method);
    lifecycle.act(trade, action);
    trade.return_url = returnUrl;
  }
}

function unknownTrade(reply: FastifyReply): FastifyReply {
  return send(reply, 404, problemPage('No such payment', 'There is no payment with this number.'));
}

function send(reply: FastifyReply, status: number, page: Html): FastifyReply {
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(page.text);
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
