import type { FastifyInstance } from 'fastify';
import { IllegalAction } from '../errors';
import type { RefundRecord, RefundStatus, TradeRecord } from '../records';
import type { SimulatedGateway } from '../simulated-gateway';
import { clabeCheckDigit } from '../trades/clabe';
import { type Html, html } from '../ui/html';
import { alert, button, facts, form, layout, moment, type StateText, stateShown } from '../ui/layout';
import { PageProblem, serveButtons } from '../ui/respond';

/** Serves the page on which a buyer names the account for a refund. */
export function refundRoutes(server: FastifyInstance, gateway: SimulatedGateway): void {
  const { store } = gateway;
  serveButtons(server, {
    path: '/refund',
    name: 'the refund page',
    find: (fields) => {
      const refund = store.refunds.get(fields.get('refund_id') ?? '');
      const trade = refund && store.trades.get(refund.trade_no);
      if (!trade) throw new PageProblem(404, 'No such refund', 'There is no refund with this number.');
      return { refund, trade };
    },
    nonce: ({ refund }) => refund.page_nonce,
    show: ({ refund, trade }, _fields, problem) => refundPage(refund, trade, problem),
    press: ({ refund }, form) => press(refund, form, gateway),
    next: ({ refund: { refund_id } }) => `refund?${new URLSearchParams({ refund_id })}`,
  });
}

async function press(refund: RefundRecord, form: URLSearchParams, { refunds, store }: SimulatedGateway): Promise<void> {
  const action = form.get('action');
  if (action !== 'confirm' && action !== 'decline') {
    throw new PageProblem(400, 'No such button', 'The refund page has no such button.');
  }
  if (action === 'confirm') checkAccount(refund, form.get('account') ?? '');
  if (refund.refund_status !== 'REFUND_VERIFYING') {
    throw new IllegalAction(`A refund that is ${refund.refund_status} does not wait for the buyer.`);
  }
  refunds.act(refund, action === 'confirm' ? 'confirm' : 'revoke');
  await store.save();
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
function refundPage(refund: RefundRecord, trade: TradeRecord, problem?: string): Html {
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
function checkAccount(refund: Pick<RefundRecord, 'goes_to'>, account: string): void {
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
