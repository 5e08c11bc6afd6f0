import type { FastifyInstance } from 'fastify';
import { IllegalAction } from '../errors';
import { isNameIn } from '../names';
import type { TradeRecord } from '../records';
import { refundPageAddress } from '../refunds/refunds';
import { methodNamed, methodsFor } from '../rules/methods';
import { webUrl } from '../rules/values';
import type { SimulatedGateway } from '../simulated-gateway';
import { isOpen, stepsBetween, tradeActions } from '../trades/steps';
import { type Html, html } from '../ui/html';
import type { Voice } from '../ui/languages';
import { alert, button, facts, form, layout, moment, stateShown } from '../ui/layout';
import { money } from '../ui/money';
import { type Asked, PageProblem, parametersOf, serveButtons } from '../ui/respond';
import { labels, methodTexts, problems, sentences, stateTexts } from '../ui/texts';
import { paymentCodes, qrCode } from './codes';

/** Serves the page on which a buyer pays, and the QR code that answers name. */
export function paymentRoutes(server: FastifyInstance, gateway: SimulatedGateway): void {
  const find = (fields: URLSearchParams) => {
    const trade = gateway.store.trades.get(fields.get('trade_no') ?? '');
    if (!trade) throw new PageProblem(404, problems.noPayment);
    return trade;
  };
  serveButtons(server, {
    path: '/checkout',
    find,
    nonce: ({ page_nonce }) => page_nonce,
    show: (trade, asked) => paymentPage(trade, gateway, asked),
    press: (trade, form, voice) => press(trade, form, voice, gateway),
    next: ({ trade_no }, form) => {
      const return_url = form.get('return_url');
      return `checkout?${new URLSearchParams({ trade_no, ...(return_url ? { return_url } : {}) })}`;
    },
  });
  server.get('/qr', async (request, reply) => {
    const picture = await qrCode(find(parametersOf(request)));
    if (!picture) throw new PageProblem(404, problems.noQrCode);
    return reply.type('image/svg+xml').send(picture.text);
  });
}

async function press(
  trade: TradeRecord,
  form: URLSearchParams,
  { say }: Voice,
  { lifecycle, store }: SimulatedGateway,
): Promise<void> {
  const action = form.get('action') ?? '';
  if (!isNameIn(tradeActions, action) || tradeActions[action].by === 'bank' || action === 'risk') {
    throw new PageProblem(400, problems.noButton);
  }
  if (!stepsBetween(trade.trade_status, tradeActions[action].to)) throw new IllegalAction(say(sentences.tooLate));
  const method = form.get('method');
  // The override counts only while the checkout is open, so keep it for the page that follows.
  const returnUrl = returnAddress(trade, form.get('return_url')) ?? trade.return_url;
  if (trade.method === null && method !== null) lifecycle.chooseMethod(trade, method);
  lifecycle.act(trade, action);
  trade.return_url = returnUrl;
  await store.save();
}

/** The page on which a buyer pays, and later sees the state of the payment. */
async function paymentPage(
  trade: TradeRecord,
  { store, publicUrl }: SimulatedGateway,
  { fields, voice, problem }: Asked,
): Promise<Html> {
  const { trade_status, subject } = trade;
  const { say } = voice;
  const refund = store.refundsOf(trade.trade_no).find(({ refund_status }) => refund_status === 'REFUND_VERIFYING');
  const state = stateTexts[trade_status];
  const method = methodNamed(trade.method ?? '');
  const open = isOpen(trade_status);
  const returnUrl = fields.get('return_url');
  const address = returnAddress(trade, returnUrl);
  return layout(
    voice,
    `${subject} – ${say(state)}`,
    html`
      <h1>${subject}</h1>
      <p class="amount">${money(trade.order_amount, trade.order_currency)}</p>
      ${alert(problem)}
      ${facts([
        [say(labels.status), html`<span role="status">${stateShown(voice, trade_status, state)}</span>`],
        [say(labels.order), trade.out_trade_no],
        [say(labels.method), method && say(methodTexts[method])],
        [
          say(labels.validUntil),
          open && moment(voice, trade_status === 'PROCESSING' ? trade.cancels_at : trade.expires_at),
        ],
      ])}
      ${trade_status === 'PROCESSING' && (await paymentCodes(voice, trade))}
      ${open && payForm(voice, trade, returnUrl)}
      ${refund && link(refundPageAddress(publicUrl, refund.refund_id), say(labels.nameAccount), 'main')}
      ${address !== undefined && link(address, say(labels.returnToShop))}
    `,
  );
}

function link(address: string, name: string, look = ''): Html {
  return html`<div class="actions"><a class="button${look && ` ${look}`}" href="${address}">${name}</a></div>`;
}

/** The address to which the buyer returns: the override while a checkout is open, or the order's. Only http and https. */
function returnAddress(trade: TradeRecord, override: string | null): string | undefined {
  const mayOverride = trade.kind === 'checkout' && isOpen(trade.trade_status);
  const address = (mayOverride && override) || trade.return_url;
  return webUrl.safeParse(address).data;
}

/** A buyer pays. What banks refuse and buyers give up is for tests, and stands apart. */
function payForm({ say }: Voice, trade: TradeRecord, returnUrl: string | null): Html {
  const choices = trade.method === null ? methodsFor(trade.order_currency) : [];
  const radios = choices.map(
    (name, index) =>
      html`<label><input type="radio" name="method" value="${name}"${index === 0 && html` checked`}>${say(methodTexts[name])}</label>`,
  );
  const fields = { trade_no: trade.trade_no, nonce: trade.page_nonce, ...(returnUrl ? { return_url: returnUrl } : {}) };
  const content = html`
      ${radios.length > 0 && html`<fieldset><legend>${say(labels.chooseMethod)}</legend>${radios}</fieldset>`}
      <div class="actions">${button('pay', say(labels.pay), 'main')}</div>
      <details><summary>${say(labels.forTesting)}</summary><div class="actions">
        ${trade.trade_status === 'INITIAL' && button('submit', say(labels.submit))}
        ${button('refuse', say(labels.refuse))}
        ${trade.trade_status !== 'RISK_CONTROLLING' && button('cancel', say(labels.cancel))}
      </div></details>`;
  return form('checkout', fields, content);
}
