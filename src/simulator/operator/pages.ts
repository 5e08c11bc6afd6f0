import { isPendingRefund } from '../records';
import { bankStep, type TradeAction } from '../trades/states';
import { type Html, html, type Part } from '../ui/html';
import { alert, button, type Facts, facts, form, layout } from '../ui/layout';
import type { AccountView, RefundView, TradeView } from '../views';

/** What a page with buttons needs besides its records. */
interface PageContext {
  /** Proves that a button was pressed on the desk. */
  nonce: string;
  /** Why the last button did nothing. */
  problem?: string | undefined;
}

/** How many trades the list shows. Older ones are found by their number. */
export const LONGEST_LIST = 200;

/** The list of trades, newest first; `asked` is the number that the operator looked for. */
export function tradesPage(trades: readonly TradeView[], asked: string): Html {
  const rows = trades.map(
    (trade) => html`<tr>
      <td><a href="/simulator/desk/trade?${new URLSearchParams({ trade_no: trade.trade_no }).toString()}">${trade.out_trade_no}</a></td>
      <td>${trade.trade_status}</td>
      <td class="number">${trade.order_currency} ${trade.order_amount}</td>
      <td>${trade.method}</td>
      <td>${trade.created_at}</td>
    </tr>`,
  );
  const head = html`<th scope="col">Order</th><th scope="col">Status</th><th scope="col" class="number">Amount</th><th scope="col">Method</th><th scope="col">Created</th>`;
  return operatorPage(
    'Trades',
    html`
      <form method="get" action="/simulator/desk" class="row">
        <label class="field">Order or trade number<input name="no" value="${asked}"></label>
        <button>Find</button>
      </form>
      ${rows.length === 0 && html`<p>There are no trades.</p>`}
      ${rows.length > 0 && html`<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`}
    `,
  );
}

const bankButtons: readonly (readonly [TradeAction, string])[] = [
  ['dispute', 'Dispute'],
  ['chargeback', 'Charge back'],
  ['reverse-chargeback', 'Reverse the chargeback'],
  ['force-refund', 'Force a refund'],
];

/** One trade: its history, and buttons for what a bank can do with it and its refunds. */
export function tradePage(trade: TradeView, refunds: readonly RefundView[], context: PageContext): Html {
  const possible = bankButtons.filter(([action]) => bankStep(trade.trade_status, action));
  const buttons = html`${possible.map(([action, name]) => button(action, name))}${button('notify', 'Send the callback', 'main')}`;
  return operatorPage(
    trade.out_trade_no,
    html`
      ${facts([
        ['Status', html`<span role="status">${trade.trade_status}</span>`],
        ['Amount', `${trade.order_currency} ${trade.order_amount}`],
        ['Method', trade.method ?? 'open'],
        ['Trade', trade.trade_no],
        ['Virtual account', trade.account_id],
        ['Buyer’s page', html`<a href="${trade.page_url}">open</a>`],
      ])}
      ${form('/simulator/desk/trade', { nonce: context.nonce, trade_no: trade.trade_no }, buttons, 'row')}
      <section><h2>History</h2>
        <ol>${trade.history.map((step) => html`<li>${step.at}: ${step.from} to ${step.to}, ${step.why}</li>`)}</ol>
      </section>
      ${refunds.map((refund) => refundSection(refund, context))}
    `,
    context.problem,
  );
}

function refundSection(refund: RefundView, { nonce }: PageContext): Html {
  const { trade_no, refund_id } = refund;
  const buttons = html`${button('approve', 'Approve', 'main')}${button('refuse', 'Refuse')}${button('revoke', 'Revoke')}`;
  return section(
    `Refund ${refund.out_request_no ?? refund_id}`,
    [
      ['Status', refund.refund_status],
      ['Amount', `${refund.refund_currency} ${refund.refund_amount}`],
      ['Buyer’s page', html`<a href="${refund.page_url}">open</a>`],
    ],
    isPendingRefund(refund.refund_status) &&
      form('/simulator/desk/trade', { nonce, trade_no, refund_id }, buttons, 'row'),
  );
}

/** The virtual accounts, each with a form for a deposit, and how many each app may still open. */
export function accountsPage(accounts: readonly AccountView[], pools: Facts, { nonce, problem }: PageContext): Html {
  return operatorPage(
    'Virtual accounts',
    html`
      ${facts(pools)}
      ${accounts.length === 0 && html`<p>There are no virtual accounts.</p>`}
      ${accounts.map((account) => accountSection(account, nonce))}
    `,
    problem,
  );
}

function accountSection(account: AccountView, nonce: string): Html {
  const content = html`
      <label class="field">Amount in MXN<input name="amount" inputmode="decimal" autocomplete="off"></label>
      ${button('deposit', 'Deposit', 'main')}
      ${account.status === 'ACTIVE' && button('cancel', 'Cancel the account')}`;
  return section(
    `Account ${account.account_number}`,
    [
      ['Status', account.status],
      ['Buyer', account.buyer_id],
      ['Account', account.account_id],
      ['Deposits', `${account.deposits.count}, MXN ${account.deposits.total}`],
    ],
    form('/simulator/desk/accounts', { nonce, account_id: account.account_id }, content, 'row'),
  );
}

function section(name: string, rows: Facts, content: Part): Html {
  return html`<section aria-label="${name}"><h2>${name}</h2>${facts(rows)}${content}</section>`;
}

function operatorPage(title: string, content: Html, problem?: string): Html {
  return layout(
    `${title} – operator’s desk`,
    html`
      <nav aria-label="Desk"><a href="/simulator/desk">Trades</a><a href="/simulator/desk/accounts">Virtual accounts</a></nav>
      <h1>${title}</h1>
      ${alert(problem)}
      ${content}
    `,
    'wide',
  );
}
