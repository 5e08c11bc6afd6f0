import type { FastifyInstance } from 'fastify';
import { IllegalAction } from '../errors';
import type { RefundRecord, TradeRecord } from '../records';
import type { SimulatedGateway } from '../simulated-gateway';
import { clabeCheckDigit } from '../trades/clabe';
import { type Html, html } from '../ui/html';
import type { Text, Voice } from '../ui/languages';
import { alert, button, facts, form, layout, moment, stateShown } from '../ui/layout';
import { money } from '../ui/money';
import { type Asked, PageProblem, serveButtons } from '../ui/respond';
import { labels, problems, sentences, stateTexts } from '../ui/texts';

/** Serves the page on which a buyer names the account for a refund. */
export function refundRoutes(server: FastifyInstance, gateway: SimulatedGateway): void {
  const { store } = gateway;
  serveButtons(server, {
    path: '/refund',
    find: (fields) => {
      const refund = store.refunds.get(fields.get('refund_id') ?? '');
      const trade = refund && store.trades.get(refund.trade_no);
      if (!trade) throw new PageProblem(404, problems.noRefund);
      return { refund, trade };
    },
    nonce: ({ refund }) => refund.page_nonce,
    show: ({ refund, trade }, asked) => refundPage(refund, trade, asked),
    press: ({ refund }, form, voice) => press(refund, form, voice, gateway),
    next: ({ refund: { refund_id } }) => `refund?${new URLSearchParams({ refund_id })}`,
  });
}

async function press(
  refund: RefundRecord,
  form: URLSearchParams,
  { say }: Voice,
  { refunds, store }: SimulatedGateway,
): Promise<void> {
  const action = form.get('action');
  if (action !== 'confirm' && action !== 'decline') throw new PageProblem(400, problems.noButton);
  if (refund.refund_status !== 'REFUND_VERIFYING') throw new IllegalAction(say(sentences.tooLate));
  const wrong = action === 'confirm' && faultOf(refund, form.get('account') ?? '');
  if (wrong) throw new RangeError(say(wrong));
  refunds.act(refund, action === 'confirm' ? 'confirm' : 'revoke');
  await store.save();
}

/** The page on which a buyer names the account for a refund, and later sees the state of the refund. */
function refundPage(refund: RefundRecord, trade: TradeRecord, { voice, problem }: Asked): Html {
  const { refund_status, due_at } = refund;
  const { say } = voice;
  const isVerifying = refund_status === 'REFUND_VERIFYING';
  const state = stateTexts[refund_status];
  return layout(
    voice,
    `${trade.subject} – ${say(state)}`,
    html`
      <h1>${say(labels.refund)}: ${trade.subject}</h1>
      <p class="amount">${money(refund.refund_amount, refund.refund_currency)}</p>
      ${alert(problem)}
      ${facts([
        [say(labels.status), html`<span role="status">${stateShown(voice, refund_status, state)}</span>`],
        [say(labels.order), refund.out_trade_no],
        [say(labels.answerUntil), isVerifying && due_at !== null && moment(voice, due_at)],
      ])}
      ${isVerifying && accountForm(voice, refund)}
    `,
  );
}

/** What is wrong with the account that a buyer gave. The account is checked and not kept. */
function faultOf({ goes_to }: RefundRecord, account: string): Text | undefined {
  const digits = account.replace(/[\s.-]/g, '');
  if (goes_to !== 'clabe') return digits === '' ? sentences.accountMissing : undefined;
  const isClabe = /^\d{18}$/.test(digits) && clabeCheckDigit(digits.slice(0, 17)) === digits.slice(17);
  return isClabe ? undefined : sentences.clabeWrong;
}

function accountForm({ say }: Voice, { refund_id, page_nonce, goes_to }: RefundRecord): Html {
  const label = say(goes_to === 'clabe' ? labels.yourClabe : labels.yourAccount);
  const content = html`
      <label class="field">${label}<input name="account" autocomplete="off"></label>
      <div class="actions">
        ${button('confirm', say(labels.confirm), 'main')}
        ${button('decline', say(labels.decline))}
      </div>`;
  return form('refund', { refund_id, nonce: page_nonce }, content);
}
