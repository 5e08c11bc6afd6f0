import type { AccountView, RefundView, TradeView } from '../control/views';
import { type Html, html } from '../page/html';
import { button, layout } from '../page/layout';
import { isPending } from '../refunds/refund';
import { type BankAction, bankStep } from '../trades/states';

/** What every page of the desk shows besides its own matter. */
export interface DeskContext {
  /** Proves that a button was pressed on the desk. */
  nonce: string;
  /** Why the last button did nothing. */
  problem?: string | undefined;
}

/** How many trades a list shows; older ones are found by their number. */
export const LONGEST_LIST = 200;

/** The list of trades, newest first. */
export function tradesPage(trades: readonly TradeView[], asked: string, context: DeskContext): Html {
  const rows = trades.map(
    (trade) => html`<tr>
      <td><a href="/simulator/desk/trade?${new URLSearchParams({ trade_no: trade.trade_no }).toString()}">${trade.out_trade_no}</a></td>
      <td>${trade.trade_status}</td>
      <td class="number">${trade.order_currency} ${trade.order_amount}</td>
      <td>${trade.method}</td>
      <td>${trade.created_at}</td>
    </tr>`,
  );
  return desk(
    'Trades',
    html`
      <form method="get" action="/simulator/desk" class="row">
        <label class="field">Order or trade number<input name="no" value="${asked}"></label>
        <button>Find</button>
      </form>
      ${
        rows.length === 0
          ? html`<p>There are no trades.</p>`
          : html`<div class="scroll"><table>
        <thead><tr><th scope="col">Order</th><th scope="col">Status</th><th scope="col" class="number">Amount</th><th scope="col">Method</th><th scope="col">Created</th></tr></thead>
        <tbody>${rows}</tbody></table></div>`
      }
    `,
    context,
  );
}

const bankButtons: readonly (readonly [BankAction, string])[] = [
  ['dispute', 'Dispute'],
  ['chargeback', 'Charge back'],
  ['reverse-chargeback', 'Reverse the chargeback'],
  ['force-refund', 'Force a refund'],
];

/** One trade: what happened to it, and what a bank may do with it and its refunds. */
export function tradeDeskPage(trade: TradeView, refunds: readonly RefundView[], context: DeskContext): Html {
  const actions = bankButtons.filter(([action]) => bankStep(trade.trade_status, action));
  return desk(
    trade.out_trade_no,
    html`
      <dl>
        <dt>Status</dt><dd role="status">${trade.trade_status}</dd>
        <dt>Amount</dt><dd>${trade.order_currency} ${trade.order_amount}</dd>
        <dt>Method</dt><dd>${trade.method}</dd>
        <dt>Trade</dt><dd>${trade.trade_no}</dd>
        ${trade.account_id !== null && html`<dt>Virtual account</dt><dd>${trade.account_id}</dd>`}
        <dt>Buyer’s page</dt><dd><a href="${trade.page_url}">open</a></dd>
      </dl>
      <form method="post" action="/simulator/desk/trade" class="row">
        ${hidden(context, trade)}
        ${actions.map(([action, name]) => button(action, name))}
        ${button('notify', 'Send the callback', 'main')}
      </form>
      <section><h2>History</h2>
        <ol>${trade.history.map((step) => html`<li>${step.at}: ${step.from} to ${step.to}, ${step.why}</li>`)}</ol>
      </section>
      ${refunds.map((refund) => refundSection(trade, refund, context))}
    `,
    context,
  );
}

function refundSection(trade: TradeView, refund: RefundView, context: DeskContext): Html {
  const pending = isPending(refund.refund_status);
  return html`<section aria-label="Refund ${refund.out_request_no ?? refund.refund_id}">
    <h2>Refund ${refund.out_request_no ?? refund.refund_id}</h2>
    <dl>
      <dt>Status</dt><dd>${refund.refund_status}</dd>
      <dt>Amount</dt><dd>${refund.refund_currency} ${refund.refund_amount}</dd>
      <dt>Buyer’s page</dt><dd><a href="${refund.page_url}">open</a></dd>
    </dl>
    ${
      pending &&
      html`<form method="post" action="/simulator/desk/trade" class="row">
        ${hidden(context, trade)}
        <input type="hidden" name="refund_id" value="${refund.refund_id}">
        ${button('approve', 'Approve', 'main')}
        ${button('refuse', 'Refuse')}
        ${button('revoke', 'Revoke')}
      </form>`
    }
  </section>`;
}

/** What is left of one app's virtual accounts. */
export interface Pool {
  app_id: string;
  available: number;
}

/** The virtual accounts, each with a form for a deposit. */
export function accountsPage(accounts: readonly AccountView[], pools: readonly Pool[], context: DeskContext): Html {
  return desk(
    'Virtual accounts',
    html`
      <dl>${pools.map(({ app_id, available }) => html`<dt>${app_id} may open</dt><dd>${available} more</dd>`)}</dl>
      ${accounts.length === 0 && html`<p>There are no virtual accounts.</p>`}
      ${accounts.map(
        (account) => html`<section aria-label="Account ${account.account_number}">
        <h2>${account.account_number}</h2>
        <dl>
          <dt>Status</dt><dd>${account.status}</dd>
          <dt>Buyer</dt><dd>${account.buyer_id}</dd>
          <dt>Account</dt><dd>${account.account_id}</dd>
          <dt>Deposits</dt><dd>${account.deposits.count}, MXN ${account.deposits.total}</dd>
        </dl>
        <form method="post" action="/simulator/desk/accounts" class="row">
          <input type="hidden" name="nonce" value="${context.nonce}">
          <input type="hidden" name="account_id" value="${account.account_id}">
          <label class="field">Amount in MXN<input name="amount" inputmode="decimal" autocomplete="off"></label>
          ${button('deposit', 'Deposit', 'main')}
          ${account.status === 'ACTIVE' && button('cancel', 'Cancel the account')}
        </form>
      </section>`,
      )}
    `,
    context,
  );
}

function hidden({ nonce }: DeskContext, { trade_no }: TradeView): Html {
  return html`<input type="hidden" name="nonce" value="${nonce}"><input type="hidden" name="trade_no" value="${trade_no}">`;
}

function desk(title: string, content: Html, { problem }: DeskContext): Html {
  return layout(
    `${title} – operator’s desk`,
    html`
      <nav aria-label="Desk"><a href="/simulator/desk">Trades</a><a href="/simulator/desk/accounts">Virtual accounts</a></nav>
      <h1>${title}</h1>
      ${problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`}
      ${content}
    `,
    'wide',
  );
}
