/** `payment-gateway refunds ORDER`: the after-sale's refunds and their sums. */
import { PaymentNotFoundError } from '../../client';
import {
  afterSaleWorkflowId,
  emptyLedger,
  moneyText,
  type RefundState,
  refundProgress,
  refundSums,
} from '../../contract';
import { UserError } from '../../process/user-error';
import type { AppOptions } from '../command-settings';
import { EXIT } from '../exit-codes';
import { printable, say } from '../print';
import { NOBODYS, type OrderCase, readCase } from './case';
import { asOperator, targetOf } from './connection';
import { elsewhereLine } from './elsewhere';
import { type TableColumn, table } from './table';
import { utc } from './times';

const columnsOf = (sending: RefundState | undefined): readonly TableColumn<RefundState>[] => [
  { name: 'NUMBER', of: ({ out_request_no }) => out_request_no },
  { name: 'AMOUNT', of: refundMoney },
  { name: 'STATUS', of: (refund) => refundStanding(refund, sending) },
  { name: 'ATTEMPT', of: ({ attempt }) => (attempt === 1 ? '' : String(attempt)), least: 1 },
  { name: 'ATTENTION', of: ({ attention }) => attention ?? '' },
  { name: 'ASKED (UTC)', of: ({ requested_at }) => utc(requested_at), least: 2 },
  { name: 'DECIDED', of: ({ resolved }) => (resolved ? `${resolved.by}: ${resolved.reason}` : '') },
  { name: 'WHY NOT', of: ({ failure }) => failure?.message ?? '' },
];

/** What a refund gives back, as every amount is written. */
export function refundMoney({ refund_amount, refund_currency }: RefundState): string {
  return moneyText(refund_amount, refund_currency);
}

/** The refund that a worker tries to send: they run one after the other, so it is the one that was begun last. */
export function beingSent({ after_sale, runs }: Pick<OrderCase, 'after_sale' | 'runs'>): RefundState | undefined {
  const isTried = runs.some(({ waits_for }) => waits_for.some(({ activity }) => activity === 'gateway.refund'));
  const begun = (after_sale?.refunds ?? []).filter(
    ({ started_at, outcome }) => started_at !== null && outcome === null,
  );
  return isTried ? begun.toSorted(byStart).at(-1) : undefined;
}

const byStart = (one: RefundState, other: RefundState) => (one.started_at ?? '').localeCompare(other.started_at ?? '');

/** How far a refund has come, and whether its buyer has to do something. `sending`: the one that is {@link beingSent}. */
export function refundStanding(refund: RefundState, sending: RefundState | undefined): string {
  if (refund === sending && refund.refund_status === null) return 'being sent';
  const waitsForBuyer = refund.outcome === 'ACCEPTED' && refund.refund_status === 'REFUND_VERIFYING';
  return waitsForBuyer ? 'ACCEPTED, waits for its buyer at the gateway' : refundProgress(refund);
}

/** Ends the process: 0 for an order that Temporal knows, 1 for another. */
export function refunds(order: string, options: AppOptions): Promise<never> {
  return asOperator(async (operator) => {
    const target = await targetOf(order, options, operator, 'show');
    const { after_sale, payment, runs, unanswered } = await readCase(operator.client, target);
    const isSilent = unanswered.includes(afterSaleWorkflowId(target.app_id, target.out_trade_no ?? ''));
    const state = isSilent ? null : (after_sale ?? (payment && emptyLedger(payment)));
    if (!state && unanswered.length > 0)
      throw new UserError(`No worker has answered for ${printable(unanswered.join(', '))}. Is one running?`);
    if (!state) throw new PaymentNotFoundError(`Temporal has nothing of order ${printable(order)}.`, order);
    // Somebody has asked for a refund of a number that is nobody's.
    const isOfNobody = state.payment === null && state.trade_status === null && payment === null;
    if (isOfNobody && state.refunds.length === 0)
      throw new PaymentNotFoundError(`Order ${printable(order)} ${NOBODYS}.`, order);
    if (options.json) say(JSON.stringify({ after_sale: state }));
    else {
      if (state.refunds.length > 0) say(table(columnsOf(beingSent({ after_sale: state, runs })), state.refunds));
      const sums = refundSums(state).join(', ') || 'nothing refunded';
      const paid =
        state.order_amount === null
          ? `: the gateway has not said here what was paid (${state.trade_status ?? 'no status yet'})`
          : `, of ${state.order_amount} ${state.order_currency ?? ''}`;
      say(printable(`${sums}${paid}.`));
      const elsewhere = elsewhereLine(state);
      if (elsewhere !== undefined) say(printable(elsewhere));
      if (!state.ledger_complete)
        say('There are refunds that are not in the list, and nobody has said how much they are.');
    }
    return EXIT.ok;
  });
}
