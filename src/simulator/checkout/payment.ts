import type { FastifyInstance } from 'fastify';
import { toString as drawQr } from 'qrcode';
import { isNameIn } from '../names';
import type { TradeRecord, TradeState } from '../records';
import { refundPageAddress } from '../refunds/refunds';
import { methodsFor, type PaymentDatum, paymentFields } from '../rules/methods';
import { webUrl } from '../rules/values';
import type { SimulatedGateway } from '../simulated-gateway';
import { isOpen, tradeActions } from '../trades/states';
import { Html, html } from '../ui/html';
import { alert, button, facts, form, layout, moment, type StateText, stateShown } from '../ui/layout';
import { PageProblem, parametersOf, serveButtons } from '../ui/respond';

/** Serves the page on which a buyer pays, and the QR code that answers name. */
export function paymentRoutes(server: FastifyInstance, gateway: SimulatedGateway): void {
  const find = (fields: URLSearchParams) => {
    const trade = gateway.store.trades.get(fields.get('trade_no') ?? '');
    if (!trade) throw new PageProblem(404, 'No such payment', 'There is no payment with this number.');
    return trade;
  };
  serveButtons(server, {
    path: '/checkout',
    name: 'the payment page',
    find,
    nonce: ({ page_nonce }) => page_nonce,
    show: (trade, fields, problem) => paymentPage(trade, gateway, fields.get('return_url'), problem),
    press: (trade, form) => press(trade, form, gateway),
    next: ({ trade_no }, form) => {
      const return_url = form.get('return_url');
      return `checkout?${new URLSearchParams({ trade_no, ...(return_url ? { return_url } : {}) })}`;
    },
  });
  server.get('/qr', async (request, reply) => {
    const picture = await qrCode(find(parametersOf(request)));
    if (!picture) throw new PageProblem(404, 'No such payment', 'This payment has no QR code.');
    return reply.type('image/svg+xml').send(picture.text);
  });
}

async function press(trade: TradeRecord, form: URLSearchParams, { lifecycle, store }: SimulatedGateway): Promise<void> {
  const action = form.get('action') ?? '';
  if (!isNameIn(tradeActions, action) || tradeActions[action].by === 'bank' || action === 'risk') {
    throw new PageProblem(400, 'No such button', 'The payment page has no such button.');
  }
  const method = form.get('method');
  // The override counts only while the checkout is open, so keep it for the page that follows.
  const returnUrl = returnAddress(trade, form.get('return_url')) ?? trade.return_url;
  if (trade.method === null && method !== null) lifecycle.chooseMethod(trade, method);
  lifecycle.act(trade, action);
  trade.return_url = returnUrl;
  await store.save();
}

// What each state means to the buyer.
const tradeTexts: Partial<Record<TradeState, StateText>> = {
  INITIAL: { text: 'Waiting for you' },
  PROCESSING: { text: 'Waiting for your payment' },
  SUCCESS: { text: 'Paid', tone: 'good' },
  CANCEL: { text: 'Cancelled', tone: 'bad' },
  EXPIRED: { text: 'Expired', tone: 'bad' },
  REFUSED: { text: 'Refused', tone: 'bad' },
  RISK_CONTROLLING: { text: 'Being checked' },
  DISPUTE: { text: 'Disputed' },
  CHARGEBACK: { text: 'Taken back by your bank' },
  REFUND_VERIFYING: { text: 'Refund: waiting for your account' },
  REFUND_PROCESSING: { text: 'Refund: on its way' },
  REFUNDED: { text: 'Refunded', tone: 'good' },
  PARTIAL_REFUND: { text: 'Refunded in part', tone: 'good' },
  REFUND_REFUSED: { text: 'Refund: refused by the bank', tone: 'bad' },
  REFUND_REVOKE: { text: 'Refund: revoked', tone: 'bad' },
};

/** The page on which a buyer pays, and later sees the state of the payment. */
async function paymentPage(
  trade: TradeRecord,
  { store, publicUrl }: SimulatedGateway,
  returnUrl: string | null,
  problem?: string,
): Promise<Html> {
  const { trade_status, subject } = trade;
  const refund = store.refundsOf(trade.trade_no).find(({ refund_status }) => refund_status === 'REFUND_VERIFYING');
  const state = tradeTexts[trade_status] ?? { text: trade_status };
  const open = isOpen(trade_status);
  const address = returnAddress(trade, returnUrl);
  return layout(
    `${subject} – ${state.text}`,
    html`
      <h1>${subject}</h1>
      <p class="amount">${trade.order_currency} ${trade.order_amount}</p>
      ${alert(problem)}
      ${facts([
        ['Status', stateShown(trade_status, state)],
        ['Order', trade.out_trade_no],
        ['Method', trade.method],
        ['Valid until', open && moment(trade_status === 'PROCESSING' ? trade.cancels_at : trade.expires_at)],
      ])}
      ${trade_status === 'PROCESSING' && (await codes(trade))}
      ${open && payForm(trade, returnUrl)}
      ${refund && link(refundPageAddress(publicUrl, refund.refund_id), 'Say where your refund goes', 'main')}
      ${address !== undefined && link(address, 'Return to the shop')}
    `,
  );
}

function link(address: string, name: string, look = ''): Html {
  return html`<div class="actions"><a class="button${look && ` ${look}`}" href="${address}">${name}</a></div>`;
}

/** The QR code of a payment as SVG, if the payment has one. */
async function qrCode({ payment_data: { qr_code, app_link_url } }: TradeRecord): Promise<Html | undefined> {
  const drawn = qr_code ?? app_link_url;
  return drawn === undefined
    ? undefined
    : new Html(await drawQr(drawn, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' }));
}

/** The address to which the buyer returns: the override while a checkout is open, or the order's. Only http and https. */
function returnAddress(trade: TradeRecord, override: string | null): string | undefined {
  const mayOverride = trade.kind === 'checkout' && isOpen(trade.trade_status);
  const address = (mayOverride && override) || trade.return_url;
  return webUrl.safeParse(address).data;
}

async function codes(trade: TradeRecord): Promise<Html> {
  const data = trade.payment_data;
  const drawn = await qrCode(trade);
  const listed = Object.entries<PaymentDatum>(paymentFields).filter(([field, { label }]) => label && data[field]);
  return html`
    ${(drawn || listed.length > 0) && html`<h2>How to pay</h2>`}
    ${drawn && html`<div class="qr" role="img" aria-label="QR code of this payment">${drawn}</div>`}
    ${listed.map(([field, { label }]) => html`<h2 id="${field}">${label}</h2><p class="code" aria-labelledby="${field}">${data[field]}</p>`)}
  `;
}

function payForm(trade: TradeRecord, returnUrl: string | null): Html {
  const choices = trade.method === null ? methodsFor(trade.order_currency) : [];
  const radios = choices.map(
    (name, index) =>
      html`<label><input type="radio" name="method" value="${name}"${index === 0 && html` checked`}>${name}</label>`,
  );
  const fields = { trade_no: trade.trade_no, nonce: trade.page_nonce, ...(returnUrl ? { return_url: returnUrl } : {}) };
  const content = html`
      ${radios.length > 0 && html`<fieldset><legend>Choose how to pay</legend>${radios}</fieldset>`}
      <div class="actions">
        ${trade.trade_status === 'INITIAL' && button('submit', 'Continue')}
        ${button('pay', 'Pay', 'main')}
        ${button('refuse', 'Refuse')}
        ${trade.trade_status !== 'RISK_CONTROLLING' && button('cancel', 'Cancel')}
      </div>`;
  return form('checkout', fields, content);
}
