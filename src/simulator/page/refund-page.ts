import type { Refund, RefundStatus } from '../refunds/refund';
import { utcText } from '../time';
import { clabeCheckDigit } from '../trades/clabe';
import type { Trade } from '../trades/trade';
import { type Html, html } from './html';
import { button, layout } from './layout';

// What each state means to the person who gets money back.
const statusTexts: Readonly<Record<RefundStatus, { text: string; tone?: 'good' | 'bad' }>> = {
  REFUND_VERIFYING: { text: 'Waiting for your account' },
  REFUND_PROCESSING: { text: 'On its way' },
  REFUNDED: { text: 'Refunded', tone: 'good' },
  PARTIAL_REFUND: { text: 'Refunded in part', tone: 'good' },
  REFUND_REFUSED: { text: 'Refused by the bank', tone: 'bad' },
  REFUND_REVOKE: { text: 'Revoked', tone: 'bad' },
};

/** The page on which a buyer says which account a refund goes to, and later sees what became of it. */
export function refundPage(refund: Refund, trade: Trade, problem?: string): Html {
  const { text, tone } = statusTexts[refund.refund_status];
  const verifying = refund.refund_status === 'REFUND_VERIFYING';
  return layout(
    `Refund – ${text}`,
    html`
      <h1>Refund of ${trade.subject}</h1>
      <p class="amount">${refund.refund_currency} ${refund.refund_amount}</p>
      ${problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`}
      <dl>
        <dt>Status</dt><dd class="${tone}" role="status">${text} <span class="note">(${refund.refund_status})</span></dd>
        <dt>Order</dt><dd>${refund.out_trade_no}</dd>
        ${verifying && refund.due_at !== null && html`<dt>Answer until</dt><dd><time datetime="${new Date(refund.due_at).toISOString()}">${utcText(refund.due_at)} UTC</time></dd>`}
      </dl>
      ${verifying && form(refund)}
    `,
  );
}

/** What is wrong with the account that a buyer gave, or `undefined`. The account itself is looked at and forgotten. */
export function accountProblem(refund: Pick<Refund, 'goes_to'>, account: string): string | undefined {
  const digits = account.replace(/[\s.-]/g, '');
  if (refund.goes_to !== 'clabe') return digits === '' ? 'Say which account the money goes to.' : undefined;
  const isClabe = /^\d{18}$/.test(digits) && clabeCheckDigit(digits.slice(0, 17)) === digits.slice(17);
  return isClabe ? undefined : 'A CLABE has 18 digits, and the last one proves the others: look for a slip.';
}

function form(refund: Refund): Html {
  const label = refund.goes_to === 'clabe' ? 'Your CLABE' : 'Your account number or PIX key';
  return html`
    <form method="post" action="refund">
      <input type="hidden" name="refund_id" value="${refund.refund_id}">
      <input type="hidden" name="nonce" value="${refund.page_nonce}">
      <label class="field">${label}<input name="account" autocomplete="off"></label>
      <div class="actions">
        ${button('confirm', 'Confirm', 'main')}
        ${button('decline', 'I do not want it')}
      </div>
    </form>
  `;
}
