import type { FastifyInstance, FastifyReply } from 'fastify';
import { IllegalAction, problemWith } from '../errors';
import type { RefundRecord, TradeRecord } from '../records';
import { refundPageAddress } from '../refunds/refunds';
import { bankNamed } from '../rules/banks';
import type { SimulatedGateway } from '../simulated-gateway';
import { isTradeAction, type TradeAction, tradeActions } from '../trades/states';
import { html } from '../ui/html';
import { checkNonce, formOf, goTo, PageProblem, parametersOf, sendPage, servePages } from '../ui/respond';
import { checkAccount, qrSvg, refundPage, returnAddress, tradePage } from './pages';

const unknown = (what: string) => new PageProblem(404, `No such ${what}`, `There is no ${what} with this number.`);
const noButton = (page: string) => new PageProblem(400, 'No such button', `The ${page} page has no such button.`);

/** Serves the buyer's pages for payments and refunds, and the pictures that answers name. */
export function checkoutRoutes(
  server: FastifyInstance,
  { gateway }: { gateway: SimulatedGateway },
  done: () => void,
): void {
  servePages(server);
  paymentRoutes(server, gateway);
  refundRoutes(server, gateway);
  pictureRoutes(server, gateway);
  done();
}

function paymentRoutes(server: FastifyInstance, gateway: SimulatedGateway): void {
  server.get('/checkout', async (request, reply) => {
    const asked = parametersOf(request);
    const trade = tradeOf(asked, gateway);
    const context = { returnUrl: asked.get('return_url'), refundUrl: refundUrlOf(trade, gateway) };
    return sendPage(reply, await tradePage(trade, context));
  });
  server.post('/checkout', async (request, reply) => {
    const form = formOf(request);
    const trade = tradeOf(form, gateway);
    checkNonce(form, trade.page_nonce, 'the payment page');
    const action = form.get('action') ?? '';
    if (!isTradeAction(action) || tradeActions[action].by === 'bank' || action === 'risk') throw noButton('payment');
    const returnUrl = form.get('return_url');
    const problem = await problemWith(() => press(trade, action, form, gateway));
    if (problem) {
      return sendPage(reply, await tradePage(trade, { returnUrl, problem: problem.sentence }), problem.status);
    }
    await gateway.store.save();
    const next = new URLSearchParams({ trade_no: trade.trade_no, ...(returnUrl ? { return_url: returnUrl } : {}) });
    return goTo(reply, `checkout?${next}`);
  });
}

function tradeOf(form: URLSearchParams, { store }: SimulatedGateway): TradeRecord {
  const trade = store.trades.get(form.get('trade_no') ?? '');
  if (!trade) throw unknown('payment');
  return trade;
}

function press(trade: TradeRecord, action: TradeAction, form: URLSearchParams, { lifecycle }: SimulatedGateway): void {
  const method = form.get('method');
  // The override counts only while the checkout is open, so keep it for the page that follows.
  const returnUrl = returnAddress(trade, form.get('return_url')) ?? trade.return_url;
  if (trade.method === null && method !== null) lifecycle.chooseMethod(trade, method);
  lifecycle.act(trade, action);
  trade.return_url = returnUrl;
}

function refundUrlOf({ trade_no }: TradeRecord, { store, publicUrl }: SimulatedGateway): string | undefined {
  const waiting = store.refundsOf(trade_no).find(({ refund_status }) => refund_status === 'REFUND_VERIFYING');
  return waiting && refundPageAddress(publicUrl, waiting.refund_id);
}

function refundRoutes(server: FastifyInstance, { store, refunds }: SimulatedGateway): void {
  const refundOf = (form: URLSearchParams): [RefundRecord, TradeRecord] => {
    const refund = store.refunds.get(form.get('refund_id') ?? '');
    const trade = refund && store.trades.get(refund.trade_no);
    if (!trade) throw unknown('refund');
    return [refund, trade];
  };
  server.get('/refund', async (request, reply) => sendPage(reply, refundPage(...refundOf(parametersOf(request)))));
  server.post('/refund', async (request, reply) => {
    const form = formOf(request);
    const [refund, trade] = refundOf(form);
    checkNonce(form, refund.page_nonce, 'the refund page');
    const action = form.get('action');
    if (action !== 'confirm' && action !== 'decline') throw noButton('refund');
    const problem = await problemWith(() => {
      if (action === 'confirm') checkAccount(refund, form.get('account') ?? '');
      if (refund.refund_status !== 'REFUND_VERIFYING') {
        throw new IllegalAction(`A refund that is ${refund.refund_status} does not wait for the buyer.`);
      }
      refunds.act(refund, action === 'confirm' ? 'confirm' : 'revoke');
    });
    if (problem) return sendPage(reply, refundPage(refund, trade, problem.sentence), problem.status);
    await store.save();
    return goTo(reply, `refund?${new URLSearchParams({ refund_id: refund.refund_id })}`);
  });
}

function pictureRoutes(server: FastifyInstance, gateway: SimulatedGateway): void {
  server.get('/qr', async (request, reply) => {
    const { qr_code, app_link_url } = tradeOf(parametersOf(request), gateway).payment_data;
    const drawn = qr_code ?? app_link_url;
    if (drawn === undefined) throw unknown('payment');
    return sendSvg(reply, await qrSvg(drawn));
  });
  server.get<{ Params: { file: string } }>('/banks/:file', async (request, reply) => {
    const bank = bankNamed(request.params.file.replace(/\.svg$/, ''));
    if (!bank) throw unknown('bank');
    const logo = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 40"><rect width="240" height="40" rx="8" fill="#0b5fbf"/><text x="12" y="26" fill="#fff" font-size="14" font-family="sans-serif">${bank.bank_name}</text></svg>`;
    return sendSvg(reply, logo.text);
  });
}

function sendSvg(reply: FastifyReply, picture: string): FastifyReply {
  return reply.type('image/svg+xml').send(picture);
}
