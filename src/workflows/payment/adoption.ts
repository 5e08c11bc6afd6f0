/** Takes on a trade that exists already: made elsewhere, announced by a notification, or paid after its payment had ended. */

import type { NotificationSignal, PreviousRun, Trade, TradeId } from '../../contract';
import { type AdoptedPayment, outcomeOf } from '../../contract';
import { loadEarlierRun } from '../shared/activities';
import { attentionAfter, LOOK_PATIENCE_MS, lookOnce, searchUntilFound } from '../shared/look';
import type { Mailbox } from '../shared/mailbox';
import { invalidRequest } from '../shared/resolution';
import { queryUntilConsistent } from '../shared/stale-read';
import { answersAnotherOrder } from './broken-start';
import type { PaymentContext } from './context';
import { lookAtOtherTrades, otherTradesIn } from './other-trades';
import type { PaymentRecord } from './record';

/** Returns once the gateway has said what it knows of the trade. */
export async function adoptTrade(input: AdoptedPayment, context: PaymentContext, mailbox: Mailbox): Promise<void> {
  const { record, policy } = context;
  const previous = await recall(input.previous);
  record.before = previous;
  if (previous?.outcome === 'SUCCESS') return adoptSale({ ...input, previous }, context, mailbox);
  const found = context.paid ? taken(context.paid, context, mailbox) : await untilFound(input, context, mailbox);
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

/** A run that was terminated has no result, so what it knew is asked of itself, and of those before it. */
async function recall(previous: PreviousRun | undefined): Promise<PreviousRun | undefined> {
  if (!previous || previous.outcome !== null || previous.order === null) return previous;
  const earlier = await loadEarlierRun({ order: previous.order });
  if (!earlier?.is_same_order) return previous;
  const { sale, trade_no, payment_data } = earlier;
  if (sale) return { ...previous, ...sale, outcome: 'SUCCESS' };
  const known = { trade_no: trade_no ?? previous.trade_no, payment_data: payment_data ?? previous.payment_data };
  return { ...previous, ...known };
}

/** By what the trade may be found, the surest first. Where ours has no number, one that was named may be it. */
function idsOf({ record }: PaymentContext, mailbox: Mailbox): [TradeId, ...TradeId[]] {
  const known = record.id.trade_no ?? record.before?.trade_no ?? undefined;
  if (known === undefined) return [record.id, ...mailbox.named];
  return [{ trade_no: known }];
}

async function untilFound({ app_id }: AdoptedPayment, context: PaymentContext, mailbox: Mailbox): Promise<Trade> {
  context.waitFor('the gateway to say what it knows of this trade');
  const notifications = mailbox.unsettledOf(context.record.id.trade_no);
  let isDenied = true;
  for (const id of idsOf(context, mailbox)) {
    const looked = await lookOnce(app_id, id, LOOK_PATIENCE_MS);
    if (looked.is === 'found') return taken(looked.trade, context, mailbox);
    context.raise(attentionAfter(looked));
    isDenied &&= looked.is === 'no-such-order';
  }
  // The attention records the look. A look without an answer settles nothing.
  if (isDenied) settleDenied(notifications, context, mailbox);
  return searchOn(app_id, context, mailbox);
}

/** Asks on, ever more slowly. News of other trades, and requests to look now, are taken care of meanwhile. */
async function searchOn(app_id: string, context: PaymentContext, mailbox: Mailbox): Promise<Trade> {
  const { record } = context;
  for (;;) {
    context.waitFor('the gateway to know this trade');
    const [id, ...others] = idsOf(context, mailbox);
    const found = await searchUntilFound({ app_id, id, others }, () => mailbox.hasNews);
    if (found) return taken(found, context, mailbox);
    const otherTrades = otherTradesIn(mailbox.beginLook(), record.id.trade_no ?? null);
    const ours = mailbox.unsettledOf(record.id.trade_no);
    await mailbox.fulfil(() => lookAtOtherTrades(otherTrades, app_id, context, mailbox));
    // A person’s word settles what the search has not confirmed.
    mailbox.deny(ours);
  }
}

/** The gateway does not know what was notified. Where ours has no number, one that was named stays: it may be ours. */
function settleDenied(
  notifications: readonly NotificationSignal[],
  { record }: PaymentContext,
  mailbox: Mailbox,
): void {
  const isKnown = record.id.trade_no !== undefined;
  for (const { trade_no } of notifications) if (trade_no && !isKnown) record.noteOtherTrade(trade_no);
  mailbox.deny(notifications);
  mailbox.settle(notifications.filter(({ trade_no }) => isKnown || !trade_no));
}

/** The trade that was found. Where ours has no number and a notification named this one, a person says whether it is ours. */
function taken(trade: Trade, { record, raise }: PaymentContext, mailbox: Mailbox): Trade {
  assertOfThisNumber(trade, record);
  const { before, id } = record;
  const isNamed = mailbox.named.some(({ trade_no }) => trade_no === trade.trade_no);
  if (isNamed && id.trade_no === undefined && before?.order && !before.trade_no) raise('unproven-trade');
  return trade;
}

/** Throws `InvalidRequest` for the trade of another order: this workflow id would answer that order's callers with it. */
function assertOfThisNumber({ trade_no, out_trade_no }: Trade, { id, snapshot }: PaymentRecord): void {
  if (id.out_trade_no !== undefined || typeof out_trade_no !== 'string') return;
  if (!answersAnotherOrder(snapshot.app_id, [out_trade_no, trade_no])) return;
  const issues = [
    { field: 'trade_no', rule: `trade ${trade_no} is of order ${out_trade_no}: adopt it under that number` },
  ];
  throw invalidRequest(issues);
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
  // A person called it sold before its number was known: whether this is it, a person says.
  if (!previous?.trade_no && record.id.trade_no !== undefined) context.raise('unproven-trade');
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
