import { toString as drawQr } from 'qrcode';
import type { RefundRecord, RefundStatus, TradeRecord, TradeState } from '../records';
import { methodsFor, type PaymentDatum, paymentFields } from '../rules/methods';
import { isHttpAddress } from '../rules/text';
import { clabeCheckDigit } from '../trades/clabe';
import { isOpen } from '../trades/states';
import { Html, html } from '../ui/html';
import { alert, button, facts, form, layout, moment, type StateText, stateShown } from '../ui/layout';

/** What a buyer's page shows besides the trade. */
interface PageContext {
  /** The `return_url` in the page's address. It replaces the order's while a checkout is open. */
  returnUrl: string | null;
  /** The page of a refund that waits for the buyer. */
  refundUrl?: string | undefined;
  /** Why the last button did nothing. */
  problem?: string | undefined;
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
export async function tradePage(trade: TradeRecord, { returnUrl, refundUrl, problem }: PageContext): Promise<Html> {
  const { trade_status, subject } = trade;
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
      ${refundUrl !== undefined && link(refundUrl, 'Say where your refund goes', 'main')}
      ${address !== undefined && link(address, 'Return to the shop')}
    `,
  );
}

function link(address: string, name: string, look = ''): Html {
  return html`<div class="actions"><a class="button${look && ` ${look}`}" href="${address}">${name}</a></div>`;
}

/** A QR code as SVG. */
export function qrSvg(text: string): Promise<string> {
  return drawQr(text, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' });
}

/** The address to which the buyer returns: the override while a checkout is open, or the order's. Only http and https. */
export function returnAddress(trade: TradeRecord, override: string | null): string | undefined {
  const mayOverride = trade.kind === 'checkout' && isOpen(trade.trade_status);
  const address = (mayOverride && override) || trade.return_url;
  return address && isHttpAddress(address) ? address : undefined;
}

async function codes(trade: TradeRecord): Promise<Html> {
  const data = trade.payment_data;
  const drawn = data.qr_code ?? data.app_link_url;
  const listed = Object.entries<PaymentDatum>(paymentFields).filter(([field, { label }]) => label && data[field]);
  if (drawn === undefined && listed.length === 0) return html``;
  return html`
    <h2>How to pay</h2>
    ${drawn !== undefined && html`<div class="qr" role="img" aria-label="QR code of this payment">${new Html(await qrSvg(drawn))}</div>`}
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

// What each state means to the buyer.
const refundTexts: Readonly<Record<RefundStatus, StateText>> = {
  REFUND_VERIFYING: { text: 'Waiting for your account' },
  REFUND_PROCESSING: { text: 'On its way' },
  REFUNDED: { text: 'Refunded', tone: 'good' },
  PARTIAL_REFUND: { text: 'Refunded in part', tone: 'good' },
  REFUND_REFUSED: { text: 'Refused by the bank', tone: 'bad' },
  REFUND_REVOKE: { text: 'Revoked', tone: 'bad' },
};

/** The page on which a buyer names the account for a refund, and later sees the state of the refund. */
export function refundPage(refund: RefundRecord, trade: TradeRecord, problem?: string): Html {
  const { refund_status, due_at } = refund;
  const isVerifying = refund_status === 'REFUND_VERIFYING';
  const state = refundTexts[refund_status];
  return layout(
    `Refund – ${state.text}`,
    html`
      <h1>Refund of ${trade.subject}</h1>
      <p class="amount">${refund.refund_currency} ${refund.refund_amount}</p>
      ${alert(problem)}
      ${facts([
        ['Status', stateShown(refund_status, state)],
        ['Order', refund.out_trade_no],
        ['Answer until', isVerifying && due_at !== null && moment(due_at)],
      ])}
      ${isVerifying && accountForm(refund)}
    `,
  );
}

/** Throws a RangeError if the account that a buyer gave can be none. The account is checked and not kept. */
export function checkAccount(refund: Pick<RefundRecord, 'goes_to'>, account: string): void {
  const digits = account.replace(/[\s.-]/g, '');
  if (refund.goes_to !== 'clabe') {
    if (digits === '') throw new RangeError('Say which account the money goes to.');
  } else if (!/^\d{18}$/.test(digits) || clabeCheckDigit(digits.slice(0, 17)) !== digits.slice(17)) {
    throw new RangeError('A CLABE has 18 digits, and the last one checks the others: look for a mistake.');
  }
}

function accountForm({ refund_id, page_nonce, goes_to }: RefundRecord): Html {
  const label = goes_to === 'clabe' ? 'Your CLABE' : 'Your account number or PIX key';
  const content = html`
      <label class="field">${label}<input name="account" autocomplete="off"></label>
      <div class="actions">
        ${button('confirm', 'Confirm', 'main')}
        ${button('decline', 'I do not want it')}
      </div>`;
  return form('refund', { refund_id, nonce: page_nonce }, content);
}
