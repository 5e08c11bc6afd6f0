import { isPendingRefund, tradeStates } from '../records';
import { methodNamed } from '../rules/methods';
import { bankStep, type TradeAction } from '../trades/steps';
import { type Html, html, type Part } from '../ui/html';
import { english } from '../ui/languages';
import { alert, button, type Facts, facts, form, layout, moment, stateShown } from '../ui/layout';
import { money } from '../ui/money';
import { methodTexts, stateTexts } from '../ui/texts';
import type { AccountView, RefundView, TradeView } from '../views';

/** What a page with buttons needs besides its records. */
interface PageContext {
  /** Proves that a button was pressed on the desk. */
  nonce: string;
  /** Why the last button did nothing. */
  problem?: string | undefined;
}

/** How many trades the list shows. Older ones are found. */
const LONGEST_LIST = 200;

/** What an operator looks for: a part of either number, and a state. An empty text does not matter. */
export interface Search {
  no: string;
  status: string;
}

/** The columns of the list. On a narrow screen each row is a card with these names. */
const columns: readonly (readonly [name: string, of: (trade: TradeView) => Part, look?: string])[] = [
  ['Order', (trade) => html`<a href="${tradeAddress(trade)}">${trade.out_trade_no}</a>`],
  ['Status', ({ trade_status }) => statusShown(trade_status)],
  ['Amount', ({ order_amount, order_currency }) => money(order_amount, order_currency), 'number'],
  ['Method', ({ method }) => methodShown(method)],
  ['Created', ({ created_at }) => moment(english, created_at)],
];

const tradeAddress = ({ trade_no }: TradeView) => `/simulator/desk/trade?${new URLSearchParams({ trade_no })}`;
const statusShown = (status: TradeView['trade_status']) => stateShown(english, status, stateTexts[status]);

function methodShown(name: string | null): string {
  const method = methodNamed(name ?? '');
  return method ? english.say(methodTexts[method]) : 'open';
}

/** The list of the trades that were found, newest first. */
export function tradesPage(found: readonly TradeView[], { no, status }: Search): Html {
  const shown = found.slice(0, LONGEST_LIST);
  const states = tradeStates.map(
    (state) =>
      html`<option value="${state}"${state === status && html` selected`}>${english.say(stateTexts[state])} (${state})</option>`,
  );
  const head = columns.map(([name, , look]) => html`<th scope="col" class="${look}">${name}</th>`);
  const rows = shown.map(
    (trade) =>
      html`<tr>${columns.map(([name, of, look]) => html`<td class="${look}" data-name="${name}">${of(trade)}</td>`)}</tr>`,
  );
  return operatorPage(
    'Trades',
    html`
      <form method="get" action="/simulator/desk" class="row">
        <label class="field">Order or trade number<input name="no" value="${no}" autocomplete="off"></label>
        <label class="field">Status<select name="status"><option value="">any</option>${states}</select></label>
        <button>Find</button>
      </form>
      ${shown.length === 0 && html`<p>There are no trades.</p>`}
      ${shown.length > 0 && html`<table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>`}
      ${shown.length < found.length && html`<p>The newest ${LONGEST_LIST} of ${found.length}: find others by number or status.</p>`}
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
        ['Status', html`<span role="status">${statusShown(trade.trade_status)}</span>`],
        ['Amount', money(trade.order_amount, trade.order_currency)],
        ['Method', methodShown(trade.method)],
        ['Trade', trade.trade_no],
        ['Virtual account', trade.account_id],
        ['Buyer’s page', html`<a href="${trade.page_url}">open</a>`],
      ])}
      ${form('/simulator/desk/trade', { nonce: context.nonce, trade_no: trade.trade_no }, buttons, 'row')}
      <section><h2>History</h2>
        <ol>${trade.history.map((step) => html`<li>${moment(english, step.at)}: ${step.from} to ${step.to}, ${step.why}</li>`)}</ol>
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
      ['Status', statusShown(refund.refund_status)],
      ['Amount', money(refund.refund_amount, refund.refund_currency)],
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
      ['Deposits', `${account.deposits.count}, ${money(account.deposits.total, 'MXN')}`],
    ],
    form('/simulator/desk/accounts', { nonce, account_id: account.account_id }, content, 'row'),
  );
}

function section(name: string, rows: Facts, content: Part): Html {
  return html`<section aria-label="${name}"><h2>${name}</h2>${facts(rows)}${content}</section>`;
}

function operatorPage(title: string, content: Html, problem?: string): Html {
  return layout(
    english,
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
