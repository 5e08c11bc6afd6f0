/** Takes on a trade that exists already: made elsewhere, announced by a notification, or paid after its payment had ended. */

import type { PreviousRun, Trade } from '../../contract';
import { type AdoptedPayment, outcomeOf } from '../../contract';
import { loadEarlierRun } from '../shared/activities';
import type { Mailbox } from '../shared/mailbox';
import { queryUntilConsistent } from '../shared/stale-read';
import type { PaymentContext } from './context';
import { attentionAfter, LOOK_PATIENCE_MS, lookOnce, searchUntilFound } from './look';
import { lookAtOtherTrades, otherTradesIn } from './other-trades';

/** Returns once the gateway has said what it knows of the trade. */
export async function adoptTrade(input: AdoptedPayment, context: PaymentContext, mailbox: Mailbox): Promise<void> {
  const { record, policy } = context;
  const previous = await recall(input.previous);
  record.before = previous;
  if (previous?.outcome === 'SUCCESS') return adoptSale({ ...input, previous }, context, mailbox);
  context.waitFor('the gateway to say what it knows of this trade');
  const found = await untilFound(input, context, mailbox);
  const outcome = outcomeOf(found.trade_status);
  const claims = mailbox.unsettledOf(found.trade_no ?? record.id.trade_no);
  // While a trade is under way, or where it was sold, notifications are read once the payment waits.
  const isAnEnd = outcome !== null && outcome !== 'SUCCESS';
  const { trade, contradicted } = await queryUntilConsistent(found, isAnEnd ? claims : [], {
    ...{ app_id: input.app_id, id: record.id, settling_ms: policy.settling_ms },
  });
  const { out_trade_no, trade_no, trade_status } = { ...record.id, ...trade };
  record.applyCreation({ out_trade_no, trade_no, trade_status, recovered: true }, Date.now());
  record.applyQuery(trade, Date.now());
  noteEarlierTrade(previous, context);
  if (!contradicted) return;
  mailbox.settle(mailbox.unsettledOf(trade_no));
  context.raise('unconfirmed-notification');
}

/** A run that was terminated has no result, so what it knew is asked of itself. */
async function recall(previous: PreviousRun | undefined): Promise<PreviousRun | undefined> {
  if (!previous?.order || previous.outcome !== null || previous.payment_data) return previous;
  const earlier = await loadEarlierRun({ order: previous.order });
  if (!earlier?.is_same_order) return previous;
  const { sale, trade_no, payment_data } = earlier;
  return sale ? { ...previous, ...sale, outcome: 'SUCCESS' } : { ...previous, trade_no, payment_data };
}

async function untilFound({ app_id }: AdoptedPayment, context: PaymentContext, mailbox: Mailbox): Promise<Trade> {
  const { record } = context;
  const notifications = mailbox.unsettledOf(record.id.trade_no);
  const looked = await lookOnce(app_id, record.id, LOOK_PATIENCE_MS);
  if (looked.is === 'found') return looked.trade;
  context.raise(attentionAfter(looked));
  // The attention records the look. A look without an answer settles nothing.
  if (looked.is === 'no-such-order') mailbox.settle(notifications);
  return searchOn(app_id, context, mailbox);
}

/** Asks on, ever more slowly. News of other trades, and requests to look now, are taken care of meanwhile. */
async function searchOn(app_id: string, context: PaymentContext, mailbox: Mailbox): Promise<Trade> {
  const { record } = context;
  for (;;) {
    context.waitFor('the gateway to know this trade');
    const found = await searchUntilFound({ app_id, id: record.id }, () => mailbox.hasNews);
    if (found) return found;
    const others = otherTradesIn(mailbox.beginLook(), record.id.trade_no ?? null);
    const ours = mailbox.unsettledOf(record.id.trade_no);
    await mailbox.fulfil(() => lookAtOtherTrades(others, app_id, context, mailbox));
    // A person’s word settles what the search has not confirmed.
    mailbox.deny(ours);
  }
}

/** The run before had another trade under this number: a person has to know of both. */
function noteEarlierTrade(previous: PreviousRun | undefined, { record, raise }: PaymentContext): void {
  const trade_no = previous?.trade_no;
  if (!trade_no || !record.id.trade_no || trade_no === record.id.trade_no) return;
  record.noteOtherTrade(trade_no, previous);
  raise('second-trade');
}

/** What was sold stays sold, whatever this run was started for. News of its money is the after-sale's. */
async function adoptSale(input: AdoptedPayment, context: PaymentContext, mailbox: Mailbox): Promise<void> {
  const { trade_no: named, app_id, previous } = input;
  const { record, policy } = context;
  record.restoreSale(previous ?? {});
  context.waitFor('the gateway to say what it knows under the number of a sale');
  const ours = record.snapshot.trade_no;
  const others = otherTradesIn([...mailbox.unsettled, { trade_no: named }], ours);
  if (others.length > 0) return lookAtOtherTrades(others, app_id, context, mailbox);
  const looked = await lookOnce(app_id, record.id, policy.settling_ms);
  if (looked.is !== 'found') return context.raise(attentionAfter(looked));
  record.compareAmounts(mailbox.unsettledOf(ours));
  // The copy that answers may be behind the sale.
  const { trade } = await queryUntilConsistent(looked.trade, [{ trade_status: record.snapshot.trade_status ?? '' }], {
    ...{ app_id, id: record.id, settling_ms: policy.settling_ms },
  });
  record.applyQuery(trade, Date.now());
  // A person may have called it sold, or the gateway has taken its word back.
  if (outcomeOf(trade.trade_status) !== 'SUCCESS') context.raise('unlisted-transition');
}
