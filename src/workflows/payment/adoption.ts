/** Takes on a trade that exists already: made elsewhere, named by a notification, or paid after its payment had ended. */

import type { NotificationSignal, PreviousRun, Trade, TradeId } from '../../contract';
import { type AdoptedPayment, isOfTrade, outcomeOf } from '../../contract';
import { attentionAfter, lookOnce, type NotFound, searchOn } from '../shared/look';
import type { PendingNotifications } from '../shared/pending-notifications';
import { invalidRequest } from '../shared/resolution';
import { queryUntilConsistent } from '../shared/stale-read';
import { answersAnotherOrder } from './broken-start';
import type { PaymentContext } from './context';
import { lookAtOtherTrades, otherTradesIn } from './other-trades';
import type { PaymentRecord } from './record';

/** Returns once the gateway has said what it knows of the trade. */
export async function adoptTrade(
  input: AdoptedPayment,
  context: PaymentContext,
  pending: PendingNotifications,
): Promise<void> {
  const { record, policy } = context;
  const previous = record.before;
  if (previous?.outcome === 'SUCCESS') return adoptSale({ ...input, previous }, context);
  const found = context.paid ? taken(context.paid, context, pending) : await untilFound(input, context, pending);
  const outcome = outcomeOf(found.trade_status);
  const claims = pending.ofTrade(found.trade_no ?? record.id.trade_no);
  // While a trade is under way, or where it was sold, notifications are read once the payment waits.
  const isAnEnd = outcome !== null && outcome !== 'SUCCESS';
  const { trade, contradicted } = await queryUntilConsistent(found, isAnEnd ? claims : [], {
    app_id: input.app_id,
    id: record.id,
    settling_ms: policy.settling_ms,
    patience_ms: policy.patience_ms,
    requests: pending,
    onUnanswered: (looked) => context.raise(attentionAfter(looked)),
  });
  const { out_trade_no, trade_no, trade_status } = { ...record.id, ...trade };
  const data = { out_trade_no, trade_no, trade_status, recovered: true };
  record.applyCreation(data, Date.now(), record.isOfOrder(trade) ? data : null);
  record.applyQuery(trade, Date.now());
  noteEarlierTrade(previous, context);
  const others = otherTradesIn([{ trade_no: input.trade_no }], record.snapshot.trade_no);
  if (others.length > 0) await lookAtOtherTrades(others, input.app_id, context, pending);
  if (!contradicted) return;
  pending.settle(pending.ofTrade(trade_no));
  context.raise('unconfirmed-notification');
}

/** The ids to find the trade by, the surest first. Without a trade_no of ours, a notification may have named it. */
function idsOf({ record }: PaymentContext, pending: PendingNotifications): [TradeId, ...TradeId[]] {
  const known = record.id.trade_no ?? record.before?.trade_no ?? undefined;
  if (known === undefined) return [record.id, ...pending.named];
  return [{ trade_no: known }];
}

async function untilFound(
  { app_id }: AdoptedPayment,
  context: PaymentContext,
  pending: PendingNotifications,
): Promise<Trade> {
  const { patience_ms } = context.policy;
  for (;;) {
    context.waitFor('the gateway to say what it knows of this trade');
    const notifications = pending.ofTrade(context.record.id.trade_no);
    // "No such order" counts only where each look says so.
    let after: NotFound | undefined;
    for (const id of idsOf(context, pending)) {
      const looked = await lookOnce(app_id, id, { settling_ms: patience_ms, patience_ms });
      if (looked.is === 'found') return taken(looked.trade, context, pending);
      if (after?.is !== 'no-answer') after = looked;
      context.raise(attentionAfter(after));
    }
    // The attention records the look. A look without an answer settles nothing.
    if (after?.is === 'no-such-order') settleDenied(notifications, context, pending);
    const found = await untilAnswered(app_id, context, pending, after?.is ?? 'no-answer');
    if (found) return taken(found, context, pending);
  }
}

/**
 * Repeats the query ever more slowly; null where it is answered after a silence and the trade is not found. Handles news of other
 * trades, and requests to look now, meanwhile.
 */
async function untilAnswered(
  app_id: string,
  context: PaymentContext,
  pending: PendingNotifications,
  after: NotFound['is'],
): Promise<Trade | null> {
  const { record, policy } = context;
  for (;;) {
    context.waitFor('the gateway to know this trade');
    const [id, ...others] = idsOf(context, pending);
    const { settling_ms } = policy;
    const found = await searchOn({ app_id, id, others, after, settling_ms }, () => pending.hasNews);
    if (found || !pending.hasNews) return found;
    const otherTrades = otherTradesIn(pending.beginLook(), record.id.trade_no ?? null);
    const ours = pending.ofTrade(record.id.trade_no);
    await pending.fulfil(() => lookAtOtherTrades(otherTrades, app_id, context, pending));
    // The search did not confirm these, so a person's resolution settles them.
    pending.deny(ours);
  }
}

/** A denial contradicts what was notified. While our trade_no is unknown, one that names a trade stays: it may be ours. */
function settleDenied(
  notifications: readonly NotificationSignal[],
  { record }: PaymentContext,
  pending: PendingNotifications,
): void {
  const isKnown = record.id.trade_no !== undefined;
  for (const { trade_no } of notifications) if (trade_no && !isKnown) record.others.note(trade_no);
  pending.deny(notifications);
  pending.contradict(notifications.filter(({ trade_no }) => isKnown || !trade_no));
}

/** The trade that was found. If only a notification links it to our order, a person has to say whether it is ours. */
function taken(trade: Trade, { record, raise }: PaymentContext, pending: PendingNotifications): Trade {
  assertOfThisNumber(trade, record);
  const { before, id } = record;
  // The gateway has it under another number: which order it pays is a person's to say.
  if (id.out_trade_no !== undefined && (trade.out_trade_no ?? id.out_trade_no) !== id.out_trade_no)
    raise('unproven-trade');
  const isNamed = pending.named.some(({ trade_no }) => trade_no === trade.trade_no);
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
  const ours = record.id.trade_no;
  if (!previous || !ours) return;
  const { trade_no, other_trades = [] } = previous;
  // Without a number of its own, one of those that it noted was its own.
  const earlier = trade_no ? [trade_no] : other_trades.map((other) => other.trade_no);
  if (earlier.every((one) => one === ours)) return;
  if (trade_no) record.others.note(trade_no, previous);
  raise('second-trade');
}

/** Keeps a sale as it is, whatever started this run. What came since is the after-sale's. */
async function adoptSale(input: AdoptedPayment, { record, raise, policy }: PaymentContext): Promise<void> {
  const { app_id, trade_no: named, previous } = input;
  record.restore(previous ?? {});
  // A person resolved it as sold before its trade_no was known, so a person says whether this trade is it.
  if (!previous?.trade_no && record.id.trade_no !== undefined) raise('unproven-trade');
  if (record.snapshot.order_amount === null) {
    // No query had shown what was paid.
    const looked = await lookOnce(app_id, record.id, policy);
    if (looked.is === 'found') record.applyQuery(looked.trade, Date.now());
  }
  if (named === undefined || isOfTrade({ trade_no: named }, record.snapshot.trade_no)) return;
  record.others.note(named);
  raise('second-trade');
}
