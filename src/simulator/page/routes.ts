import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Refund, refundPageAddress } from '../refunds/refund';
import type { Refunds } from '../refunds/refunds';
import { bankNamed } from '../rules/banks';
import type { Store } from '../store';
import { IllegalAction } from '../trades/errors';
import type { Lifecycle } from '../trades/lifecycle';
import { type BuyerAction, isBuyerAction } from '../trades/states';
import type { Trade } from '../trades/trade';
import { html } from './html';
import { problemPage } from './layout';
import { qrSvg, returnAddress, tradePage } from './page';
import { accountProblem, refundPage } from './refund-page';
import { formOf, isFromPage, pageHeaders, parametersOf, sendPage } from './respond';

/** What the buyer's pages need. */
export interface PageParts {
  store: Store;
  lifecycle: Lifecycle;
  refunds: Refunds;
  publicUrl: () => string;
}

/** Serves the pages of payments and refunds with their buttons, and the pictures that answers point to. */
export function pageRoutes(server: FastifyInstance, { store, lifecycle, refunds, publicUrl }: PageParts): void {
  server.get('/checkout', async (request, reply) => {
    const asked = parametersOf(request);
    const trade = store.trade(asked.get('trade_no') ?? '');
    if (!trade) return unknownTrade(reply);
    const returnUrl = asked.get('return_url') ?? undefined;
    return sendPage(reply, 200, await tradePage(trade, { returnUrl, refundUrl: refundUrlOf(trade) }));
  });

  server.post('/checkout', async (request, reply) => {
    const form = formOf(request);
    const trade = store.trade(form.get('trade_no') ?? '');
    if (!trade) return unknownTrade(reply);
    if (!isFromPage(form, trade.page_nonce)) return notFromPage(reply, 'payment');
    const action = form.get('action') ?? '';
    if (!isBuyerAction(action) || action === 'risk') return noSuchButton(reply, 'payment');
    const returnUrl = form.get('return_url') ?? undefined;
    try {
      press(trade, action, form.get('method'), returnUrl);
    } catch (error) {
      if (!(error instanceof IllegalAction)) throw error;
      return sendPage(reply, 409, await tradePage(trade, { returnUrl, problem: error.message }));
    }
    await store.save();
    const next = new URLSearchParams({ trade_no: trade.trade_no, ...(returnUrl ? { return_url: returnUrl } : {}) });
    return goTo(reply, `checkout?${next}`);
  });

  server.get('/refund', async (request, reply) => {
    const found = refundOf(parametersOf(request));
    return found ? sendPage(reply, 200, refundPage(...found)) : unknownRefund(reply);
  });

  server.post('/refund', async (request, reply) => {
    const form = formOf(request);
    const found = refundOf(form);
    if (!found) return unknownRefund(reply);
    const [refund, trade] = found;
    if (!isFromPage(form, refund.page_nonce)) return notFromPage(reply, 'refund');
    const action = form.get('action');
    if (action !== 'confirm' && action !== 'decline') return noSuchButton(reply, 'refund');
    const problem = action === 'confirm' ? accountProblem(refund, form.get('account') ?? '') : undefined;
    if (problem !== undefined) return sendPage(reply, 400, refundPage(refund, trade, problem));
    if (refund.refund_status !== 'REFUND_VERIFYING') {
      const sentence = `A refund that is ${refund.refund_status} waits for nobody.`;
      return sendPage(reply, 409, refundPage(refund, trade, sentence));
    }
    refunds.act(refund, action === 'confirm' ? 'confirm' : 'revoke');
    await store.save();
    return goTo(reply, `refund?${new URLSearchParams({ refund_id: refund.refund_id })}`);
  });

  server.get('/qr', async (request, reply) => {
    const trade = store.trade(parametersOf(request).get('trade_no') ?? '');
    const drawn = trade && (trade.payment_data.qr_code ?? trade.payment_data.app_link_url);
    return drawn === undefined ? unknownTrade(reply) : sendSvg(reply, await qrSvg(drawn));
  });

  server.get<{ Params: { file: string } }>('/banks/:file', async (request, reply) => {
    const bank = bankNamed(request.params.file.replace(/\.svg$/, ''));
    if (!bank) return sendPage(reply, 404, problemPage('No such bank', 'There is no bank with this number.'));
    const logo = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 40"><rect width="240" height="40" rx="8" fill="#0b5fbf"/><text x="12" y="26" fill="#fff" font-size="14" font-family="sans-serif">${bank.bank_name}</text></svg>`;
    return sendSvg(reply, logo.text);
  });

  function press(trade: Trade, action: BuyerAction, method: string | null, override: string | undefined): void {
    // The override counts only while the buyer pays, so what it said by then is kept for the last page.
    const returnUrl = returnAddress(trade, override) ?? trade.return_url;
    if (trade.method === null && method !== null) lifecycle.chooseMethod(trade, method);
    lifecycle.act(trade, action);
    trade.return_url = returnUrl;
  }

  function refundUrlOf({ trade_no }: Trade): string | undefined {
    const waiting = store.refundsOf(trade_no).find(({ refund_status }) => refund_status === 'REFUND_VERIFYING');
    return waiting && refundPageAddress(publicUrl(), waiting.refund_id);
  }

  function refundOf(form: URLSearchParams): [Refund, Trade] | undefined {
    const refund = store.refund(form.get('refund_id') ?? '');
    const trade = refund && store.trade(refund.trade_no);
    return refund && trade ? [refund, trade] : undefined;
  }
}

function unknownTrade(reply: FastifyReply): FastifyReply {
  return sendPage(reply, 404, problemPage('No such payment', 'There is no payment with this number.'));
}

function unknownRefund(reply: FastifyReply): FastifyReply {
  return sendPage(reply, 404, problemPage('No such refund', 'There is no refund with this number.'));
}

function notFromPage(reply: FastifyReply, page: string): FastifyReply {
  return sendPage(reply, 403, problemPage('Not from here', `This button was not pressed on the ${page} page itself.`));
}

function noSuchButton(reply: FastifyReply, page: string): FastifyReply {
  return sendPage(reply, 400, problemPage('No such button', `The ${page} page has no such button.`));
}

// A reload of the page that follows presses nothing again.
function goTo(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).headers(pageHeaders).header('location', location).send();
}

function sendSvg(reply: FastifyReply, picture: string): FastifyReply {
  return reply.headers(pageHeaders).type('image/svg+xml').send(picture);
}
