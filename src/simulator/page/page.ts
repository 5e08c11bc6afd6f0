import { toString as drawQr } from 'qrcode';
import { methodsFor } from '../rules/methods';
import { isWebAddress } from '../rules/text';
import { utcText } from '../time';
import { isOpen, type TradeStatus } from '../trades/states';
import type { Trade } from '../trades/trade';
import { Html, html } from './html';
import { button, layout } from './layout';

/** What a buyer's page shows besides the trade itself. */
export interface PageContext {
  /** The `return_url` given in the page's own address, which overrides the order's while a checkout is open. */
  returnUrl: string | undefined;
  /** The page of a refund that waits for the buyer. */
  refundUrl?: string | undefined;
  /** Why the last button did nothing. */
  problem?: string | undefined;
}

// What each state means to the person who pays.
const statusTexts: Partial<Record<TradeStatus, { text: string; tone?: 'good' | 'bad' }>> = {
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

// Payment data that a buyer reads or copies, and what to call it.
const codeLabels = [
  ['qr_code', 'PIX copy and paste code'],
  ['bank_code', 'Boleto line to type'],
  ['barcode', 'Boleto barcode'],
  ['clabe', 'CLABE'],
  ['reference', 'Reference'],
  ['bank_name', 'Bank'],
  ['beneficiary_name', 'Beneficiary'],
  ['provider_owner', 'Account holder'],
  ['provider_owner_document', 'Document of the holder'],
  ['provider_agency', 'Agency'],
  ['provider_number', 'Account'],
] as const;

/** The page on which a buyer pays, and later sees what became of it. */
export async function tradePage(trade: Trade, { returnUrl, refundUrl, problem }: PageContext): Promise<Html> {
  const { text, tone } = statusTexts[trade.trade_status] ?? { text: trade.trade_status };
  const open = isOpen(trade.trade_status);
  const ends = trade.trade_status === 'PROCESSING' ? trade.cancels_at : trade.expires_at;
  return layout(
    `${trade.subject} – ${text}`,
    html`
      <h1>${trade.subject}</h1>
      <p class="amount">${trade.order_currency} ${trade.order_amount}</p>
      ${problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`}
      <dl>
        <dt>Status</dt><dd class="${tone}" role="status">${text} <span class="note">(${trade.trade_status})</span></dd>
        <dt>Order</dt><dd>${trade.out_trade_no}</dd>
        ${trade.method !== null && html`<dt>Method</dt><dd>${trade.method}</dd>`}
        ${open && html`<dt>Valid until</dt><dd><time datetime="${new Date(ends).toISOString()}">${utcText(ends)} UTC</time></dd>`}
      </dl>
      ${trade.trade_status === 'PROCESSING' && (await codes(trade))}
      ${open && form(trade, returnUrl)}
      ${refundUrl !== undefined && html`<div class="actions"><a class="button main" href="${refundUrl}">Say where your refund goes</a></div>`}
      ${wayBack(trade, returnUrl)}
    `,
  );
}

/** A QR code as SVG. */
export function qrSvg(text: string): Promise<string> {
  return drawQr(text, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' });
}

/** Where the buyer goes back to: the override while a checkout is open, else the order's own; web addresses only. */
export function returnAddress(trade: Trade, override: string | undefined): string | undefined {
  const mayOverride = trade.kind === 'checkout' && isOpen(trade.trade_status);
  const address = (mayOverride && override) || trade.return_url;
  return address && isWebAddress(address) ? address : undefined;
}

async function codes(trade: Trade): Promise<Html> {
  const data = trade.payment_data;
  const drawn = data.qr_code ?? data.app_link_url;
  const listed = codeLabels.filter(([field]) => data[field] !== undefined);
  if (drawn === undefined && listed.length === 0) return html``;
  return html`
    <h2>How to pay</h2>
    ${drawn !== undefined && html`<div class="qr" role="img" aria-label="QR code of this payment">${new Html(await qrSvg(drawn))}</div>`}
    ${listed.map(([field, label]) => html`<h2 id="${field}">${label}</h2><p class="code" aria-labelledby="${field}">${data[field]}</p>`)}
  `;
}

function form(trade: Trade, returnUrl: string | undefined): Html {
  const choices = trade.method === null ? methodsFor(trade.order_currency) : [];
  return html`
    <form method="post" action="checkout">
      <input type="hidden" name="trade_no" value="${trade.trade_no}">
      <input type="hidden" name="nonce" value="${trade.page_nonce}">
      ${returnUrl !== undefined && html`<input type="hidden" name="return_url" value="${returnUrl}">`}
      ${
        choices.length > 0 &&
        html`<fieldset><legend>Choose how to pay</legend>${choices.map(
          (name, index) =>
            html`<label><input type="radio" name="method" value="${name}"${index === 0 && html` checked`}>${name}</label>`,
        )}</fieldset>`
      }
      <div class="actions">
        ${trade.trade_status === 'INITIAL' && button('submit', 'Continue')}
        ${button('pay', 'Pay', 'main')}
        ${button('refuse', 'Refuse')}
        ${trade.trade_status !== 'RISK_CONTROLLING' && button('cancel', 'Cancel')}
      </div>
    </form>
  `;
}

function wayBack(trade: Trade, override: string | undefined): Html {
  const address = returnAddress(trade, override);
  if (address === undefined) return html``;
  return html`<div class="actions"><a class="button" href="${address}">Return to the shop</a></div>`;
}
