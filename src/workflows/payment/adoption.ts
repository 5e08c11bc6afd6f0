/** Takes on a trade that exists already: made elsewhere, named by a notification, or paid after its payment had ended. */
import { workflowInfo } from '@temporalio/workflow';
import {
  type AdoptedPayment,
  type EarlierPayment,
  isOfTrade,
  type LookResult,
  outcomeOf,
  type QueriedTrade,
  type Trade,
  type TradeId,
  tradesNamedBy,
} from '../../contract';
import { attentionAfter, glance, lookOnce, type NotFound } from '../shared/look';
import { invalidRequest } from '../shared/request-rules';
import { queryUntilConsistent } from '../shared/stale-read';
import { answersAnotherOrder } from './broken-start';
import type { PaymentContext } from './context';
import { staysEnded } from './known-before';
import {
  claimsOfTrade,
  idOf,
  isLikeOrder,
  type KnownPayment,
  namedTrades,
  notedTrades,
  type PendingClaim,
  signalsIn,
} from './known-payment';
import { ofSecond, ofShown } from './look-results';
import { beginLook, hasNews, lookAtOtherTrades, numberToo, TradeLooks, tellOfOtherTrades } from './trade-looks';

/** Returns once the gateway has said what it knows of the trade. `paid`: the trade, if the first look found it paid. */
export async function adoptTrade(
  input: AdoptedPayment,
  paid: QueriedTrade | null,
  context: PaymentContext,
): Promise<void> {
  const { policy, requests } = context;
  const { before } = context.known;
  if (before && staysEnded(before)) return adoptEnded(input, before, context);
  const found = paid ? taken(paid, context) : await untilFound(context);
  const outcome = outcomeOf(found.trade_status);
  const claims = claimsOfTrade(context.known, found.trade_no ?? context.known.shown.trade_no);
  // Only an end without a sale is compared with notifications here; otherwise they are read once the payment waits.
  const isAnEnd = outcome !== null && outcome !== 'SUCCESS';
  const { trade, contradicted } = await queryUntilConsistent(found, isAnEnd ? signalsIn(claims) : [], {
    ...policy,
    ...numberToo(context.known, 'at an end'),
    app_id: input.app_id,
    id: idOf(context.known),
    requests,
    onUnanswered: (looked) => context.raise(attentionAfter(looked)),
  });
  const { out_trade_no, trade_no, trade_status } = { ...idOf(context.known), ...trade };
  const data = { out_trade_no, trade_no, trade_status, recovered: true };
  const answer = isLikeOrder(context.known, trade) ? data : null;
  context.learn({ is: 'created', data, answer }, ...ofShown(trade, 0));
  noteEarlierTrade(context);
  const { trade_no: ours } = context.known.shown;
  if (input.trade_no && !isOfTrade(input, ours)) {
    tellOfOtherTrades([input.trade_no], context);
    await lookAtOtherTrades([input.trade_no], context);
  }
  if (!contradicted) return;
  context.learn({ is: 'settled', claims });
  context.raise('unconfirmed-notification');
}

/** The ids to find the trade by, the surest first. Without a trade_no of ours, a notification may have named it. */
function idsOf(known: KnownPayment): [TradeId, ...TradeId[]] {
  const { trade_no } = known.shown;
  if (trade_no === null) return [idOf(known), ...namedTrades(known)];
  // A notification may have named the number of an order that was made elsewhere wrongly: then only the trade_no is used.
  return [known.before?.made === 'order' ? idOf(known) : { trade_no }];
}

/** Looks, and searches between the looks. What comes meanwhile needs a look that begins after it. */
async function untilFound(context: PaymentContext): Promise<QueriedTrade> {
  const { patience_ms, read_by } = context.policy;
  const times = { settling_ms: patience_ms, patience_ms, read_by, ...numberToo(context.known, 'at an end') };
  const looks = new TradeLooks(context, () => idsOf(context.known), times);
  for (;;) {
    const looked = await look(looks, context);
    const trade = looked.is === 'found' ? looked.trade : await searchUntilNews(looked.is, looks, context);
    if (trade) return taken(trade, context);
  }
}

/** One look at the trade, and at every other trade that was named. */
async function look(looks: TradeLooks, context: PaymentContext): Promise<LookResult> {
  context.waitFor('the gateway to say what it knows of this trade');
  const others = beginLook(context);
  const { claims } = context.known;
  const looked = await looks.byAll();
  await lookAtOtherTrades(others, context);
  if (looked.is === 'found') return looked;
  context.raise(attentionAfter(looked));
  // A look without an answer settles nothing.
  if (looked.is === 'no-such-order') {
    context.learn(...ofSecond(looked));
    onDenied(claims, context);
  }
  return looked;
}

/** Searches for the trade, ever more slowly. Null if something came that the last look does not answer. */
async function searchUntilNews(
  after: NotFound['is'],
  looks: TradeLooks,
  context: PaymentContext,
): Promise<QueriedTrade | null> {
  context.waitFor('the gateway to know this trade');
  const { claims } = context.known;
  const searched = await looks.untilFound(after, () => hasNews(context));
  if (searched.is === 'found') return searched.trade;
  if (searched.is === 'interrupted') return null;
  context.raise('unknown-trade');
  onDenied(claims, context);
  // The gateway answers again, so it is also asked for the other trades that it gave no answer for.
  if (context.known.shown.trade_no !== null) {
    const unasked = notedTrades(context.known).flatMap(({ trade_no, asked }) => (asked === 'answered' ? [] : trade_no));
    await lookAtOtherTrades(unasked, context);
  }
  return searchUntilNews('no-such-order', looks, context);
}

/** "No such order" contradicts the claims. While our trade_no is unknown, a claim that names a trade stays: the trade may be ours. */
function onDenied(claims: readonly PendingClaim[], { known, learn }: PaymentContext): void {
  const isKnown = known.shown.trade_no !== null;
  const named = isKnown ? [] : tradesNamedBy(signalsIn(claims));
  learn(...named.map((other) => ({ is: 'noted', other }) as const));
  learn({ is: 'unanswered', looked: 'no-such-order', after: known.looked_after });
}

/** The trade that was found. If only a notification links it to our order, a person has to say whether it is ours. */
function taken(trade: QueriedTrade, { known, learn, raise }: PaymentContext): QueriedTrade {
  const issues = issuesOfNumber(trade, known);
  if (issues.length > 0) {
    // What was notified of it belongs to its own order, and starts no next run here.
    learn({ is: 'settled', claims: claimsOfTrade(known, trade.trade_no) });
    throw invalidRequest(issues);
  }
  const { before, shown } = known;
  // The gateway has the trade under another order number: a person says which order it pays.
  if (shown.out_trade_no !== null && (trade.out_trade_no ?? shown.out_trade_no) !== shown.out_trade_no)
    raise('unproven-trade');
  const isNamed = namedTrades(known).some(({ trade_no }) => trade_no === trade.trade_no);
  if (isNamed && shown.trade_no === null && before?.order) raise('unproven-trade');
  return trade;
}

/** What is wrong with the trade of another order: this workflow id would answer that order's callers with it. */
function issuesOfNumber({ trade_no, out_trade_no }: Trade, { shown }: KnownPayment) {
  if (shown.out_trade_no !== null || typeof out_trade_no !== 'string') return [];
  if (!answersAnotherOrder(shown.app_id, [out_trade_no, trade_no])) return [];
  return [{ field: 'trade_no', rule: `trade ${trade_no} is of order ${out_trade_no}: adopt it under that number` }];
}

/** The run before had another trade under this number: a person has to know of both. */
function noteEarlierTrade({ known: { before, shown }, learn, raise }: PaymentContext): void {
  const ours = shown.trade_no;
  if (!before || !ours) return;
  const { trade_no, other_trades } = before;
  // If that run never knew its trade_no, one of the trades that it noted was its own.
  const earlier = trade_no ? [trade_no] : other_trades.map((other) => other.trade_no);
  if (earlier.every((one) => one === ours)) return;
  if (trade_no) learn({ is: 'noted', other: trade_no, said: before });
  raise('second-trade');
}

/** Keeps the order's end, whatever started this run. The after-sale takes care of what came since. */
async function adoptEnded(
  { trade_no: named }: AdoptedPayment,
  end: EarlierPayment,
  context: PaymentContext,
): Promise<void> {
  const { app_id, policy, learn, raise } = context;
  // The payment ended before its trade_no was known, so a person says whether this trade is its trade.
  if (!end.trade_no && context.known.shown.trade_no !== null) raise('unproven-trade');
  if (context.known.shown.order_amount === null) {
    // No query had shown what was paid.
    const looked = await lookOnce(app_id, idOf(context.known), policy);
    if (looked.is === 'found') learn({ is: 'queried', trade: looked.trade, after: 0 });
  }
  if (named === undefined || isOfTrade({ trade_no: named }, context.known.shown.trade_no)) return;
  learn({ is: 'noted', other: named });
  raise('second-trade');
}

// — A first look that costs next to nothing: most deposits are paid when they are notified —

/** Whether the payment is that of an account's deposit, or of another workflow that takes a trade on. */
export function mayPeek({ isAdopted, before }: KnownPayment): boolean {
  return isAdopted && before === undefined && workflowInfo().parent !== undefined;
}

/**
 * The trade if it is paid. Null says nothing: the trade is then looked for as usual. Notifications that come meanwhile must not
 * change this step: a replay may see them before it or after it.
 */
export async function peekAtPaid(known: KnownPayment): Promise<QueriedTrade | null> {
  if (!mayPeek(known)) return null;
  const trade = await glance({ app_id: known.shown.app_id, id: idOf(known) });
  return trade && outcomeOf(trade.trade_status) === 'SUCCESS' ? trade : null;
}
