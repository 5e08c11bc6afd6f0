/** What a payment hands over to the order's after-sale at its end. What comes after the end changes only the after-sale. */
import { workflowInfo } from '@temporalio/workflow';
import {
  type AfterSaleRunInput,
  type AfterSaleState,
  type AppAttentionWorkflow,
  afterSaleWorkflowId,
  appAttentionWorkflowId,
  claimOf,
  type HandedOver,
  isAfterSaleStatus,
  isDecided,
  isKnownToPayment,
  type NotificationSignal,
  namedByWorkflowId,
  outcomeOf,
  type PaymentInput,
  type PaymentState,
  SEARCH_ATTRIBUTE,
  SIGNAL,
  saleStatus,
  WORKFLOW,
} from '../../contract';
import { startAbandoned, startOrSignal } from '../shared/other-workflows';
import type { PaymentContext } from './context';
import { orderDeadlines, orderTimes } from './deadlines';
import { hasSentAgain, isTakenOn, mayHaveSent, paymentState, signalsIn } from './known-payment';

/** The payment at its end. */
interface EndingPayment {
  readonly input: PaymentInput;
  readonly context: PaymentContext;
  /** What ended the payment before there was an order. */
  readonly failure: unknown;
  /** No run was before this one, so no after-sale knows of another end. */
  readonly isFirst: boolean;
}

/** Hands over what is left. More may come meanwhile, so it repeats until nothing is left, or a new run has to take the claims on. */
export async function handOverPayment(ending: EndingPayment): Promise<void> {
  const { context, isFirst } = ending;
  const isNeeded = (given: HandedOver) =>
    !isFirst || context.known.isFollowed || leavesMore(given, context.policy.watch_window_ms);
  for (let handed = ''; !isTakenOn(context.known); ) {
    const { claims, contradicted, ofRefunds } = context.known;
    const given = whatIsLeft(ending);
    const isNews = newsIn(given) !== handed && isNeeded(given);
    if (isNews) await handOver(given, context);
    // Only now: if somebody terminates this run before the after-sale has them, the next run hands them over.
    const isTaken = isNews || claims.length + contradicted.length + ofRefunds.length > 0;
    const { reasons } = given.end;
    if (isTaken) context.learn({ is: 'handed-out', claims, contradicted, ofRefunds, reasons });
    if (!isNews) return;
    handed = newsIn({ ...given, claims: [], contradicted: [] });
  }
}

async function handOver(given: HandedOver, context: PaymentContext): Promise<void> {
  if (!isOfTheApp(given)) return give(given);
  const { app_id } = given.end.state;
  await startAbandoned<AppAttentionWorkflow>(WORKFLOW.appAttention, {
    workflowId: appAttentionWorkflowId(app_id, 'credentials'),
    args: [{ app_id, attention: 'credentials' }],
    staticSummary: `Orders of ${app_id} fail`,
  });
  // An after-sale that waits for the end, perhaps only since a moment, is told that there is no order.
  if (context.known.isFollowed) await give({ ...given, end: { ...given.end, reasons: [] } });
}

/** Only new claims, or other reasons, make another round. The reason of contradicted claims comes and goes with these. */
const newsIn = ({ claims, contradicted, end }: HandedOver) =>
  JSON.stringify([claims, contradicted, end.reasons.filter((one) => one !== 'unconfirmed-notification')]);

/** What is handed over. */
function whatIsLeft(ending: EndingPayment): HandedOver {
  const { context } = ending;
  const { known } = context;
  const { claims, contradicted } = known;
  // If no after-sale waits, nobody here asked for a refund: it was made elsewhere, and the payment's status tells of it.
  const ofRefunds = known.isFollowed ? known.ofRefunds : [];
  const state = paymentState(known);
  const isNews = (one: NotificationSignal) => ofRefunds.includes(one) || !isKnownToPayment(state, one);
  const notified = [...new Set([...signalsIn(claims), ...ofRefunds])];
  // Contradicted claims that a person is asked about stay so; all other claims are compared with the gateway once more.
  const isAsked = known.reasons.includes('unconfirmed-notification');
  // The after-sale asks by itself about the claims that it was given.
  const isGiven = contradicted.length > 0 || known.handedOver !== null;
  const reasons = known.reasons.filter((one) => one !== 'unconfirmed-notification' || !isGiven);
  const [asked, compared] = isAsked ? [contradicted, notified] : [[], [...contradicted, ...notified]];
  return {
    end: {
      // A reset that has read nothing since hands over the same as the run before it, so it uses that run's id.
      run_id: context.policy.read_by,
      ended_at: Date.now(),
      state,
      reasons,
      watch_until: paidUntil(ending),
      sent_again: hasSentAgain(known),
      asked: known.others.flatMap((one) => (one.asked === 'answered' ? one.trade_no : [])),
      repeats: known.isRestored,
      made_here: known.order !== null,
      ordered_here: known.order != null,
    },
    claims: compared.filter(isNews).map(claimOf),
    contradicted: asked.map(claimOf),
  };
}

/** Whether the payment leaves more than its outcome: a watch, claims, or a reason that needs a person. */
function leavesMore({ end, claims, contradicted }: HandedOver, watch_window_ms: number): boolean {
  const { outcome, trade_status, other_trades } = end.state;
  const isWatched = outcome === 'SUCCESS' && (watch_window_ms > 0 || isAfterSaleStatus(trade_status ?? ''));
  const isOpen = end.watch_until > 0 || end.reasons.length > 0;
  const isUnasked = other_trades.some(({ trade_no }) => !end.asked.includes(trade_no));
  return isWatched || isOpen || isUnasked || claims.length > 0 || contradicted.length > 0;
}

/** Until when a trade of the order may still be paid, in ms since the epoch; 0 if none may. */
function paidUntil({ input, context, failure }: EndingPayment): number {
  const { known, policy } = context;
  const state = paymentState(known);
  const hasNoOrder = failure !== undefined || state.refused_because !== null;
  const isPerhapsMade = hasNoOrder && mayHaveSent(known);
  const now = Date.now();
  if (hasSentAgain(known) || isPerhapsMade || isOpenAtTheGateway(state)) {
    const { startTime } = workflowInfo();
    const deadline = orderDeadlines(orderTimes(input), startTime.getTime(), policy).at(-1)?.at ?? 0;
    return Math.max(deadline, now + policy.grace_ms);
  }
  // For as long as the method takes to settle, money may still arrive for a trade that the gateway has ended.
  const isEnded = state.outcome !== null && state.outcome !== 'SUCCESS';
  return isEnded && !isDecided(state, {}) && policy.settles_ms > 0 ? now + policy.settles_ms : 0;
}

/** Whether a person or a deadline ended the payment, and not the gateway. If a person decided about a paid amount, nothing more comes. */
function isOpenAtTheGateway(state: PaymentState): boolean {
  const { outcome, confirmed_by, trade_status } = state;
  if (outcome === null || isDecided(state, {})) return false;
  const shown = outcome === 'SUCCESS' ? trade_status : saleStatus(state);
  return confirmed_by !== 'query' && confirmed_by !== 'notification' && outcomeOf(shown ?? '') === null;
}

/** Whether only the app's credentials need a person: every order of the app fails then, and one workflow waits for all of them. */
function isOfTheApp({ end, claims, contradicted }: HandedOver): boolean {
  const isOfNobody = end.state.outcome === null && end.watch_until === 0;
  const isApps = end.reasons.length > 0 && end.reasons.every((one) => one === 'credentials');
  return isOfNobody && isApps && claims.length === 0 && contradicted.length === 0;
}

type AfterSaleType = (input: AfterSaleRunInput) => Promise<AfterSaleState>;

/** A separate workflow, so that callers who wait for the outcome do not wait for what follows. */
async function give(payment: HandedOver): Promise<void> {
  const { app_id, out_trade_no, trade_no, attention } = payment.end.state;
  // The payment of a trade that was adopted by its trade_no has the trade_no in its workflow id.
  const number = out_trade_no ?? namedByWorkflowId(workflowInfo().workflowId)?.out_trade_no ?? trade_no;
  if (number === null) return;
  const input: AfterSaleRunInput = { app_id, out_trade_no: number, trade_no: trade_no ?? undefined, payment };
  const start = {
    workflowId: afterSaleWorkflowId(app_id, number),
    staticSummary: `After payment ${number}`,
    // People find what needs them at once, and not only after its first tasks.
    typedSearchAttributes: attention === null ? [] : [{ key: SEARCH_ATTRIBUTE.attention, value: attention }],
  };
  // A refund or a notification may have started it already.
  await startOrSignal<AfterSaleType>(WORKFLOW.afterSale, { ...start, args: [input] }, SIGNAL.payment, payment);
}
