/**
 * Delivers a verified notification to the workflows that it concerns. It may be acknowledged only once the signal is in a workflow's
 * history. The digest of its bytes is the request id, so that Temporal drops repetitions.
 */
import { WorkflowNotFoundError } from '@temporalio/client';
import {
  type AdoptedPayment,
  type AfterSaleInput,
  type AfterSaleState,
  afterSaleWorkflowId,
  isAfterSaleStatus,
  isKnownToPayment,
  isOfTrade,
  isRefundStatus,
  outcomeOf,
  paymentWorkflowId,
  type RefundMeaning,
  type RefundState,
  refundMeaningOf,
  SIGNAL,
  type SpeiAccountInput,
  speiAccountWorkflowId,
  WORKFLOW,
} from '../contract';
import type { Notification } from '../gateway';
import type { StartBudget } from './start-budget';
import {
  type DescribedRun,
  isAlreadyEnded,
  REPEATS_FOR_MS,
  type TemporalCalls,
  type WorkflowStart,
} from './temporal-calls';

export interface Delivery {
  notification: Notification;
  digest: string;
  temporal: TemporalCalls;
  startBudget: StartBudget;
}

/** A workflow that a notification concerns, and how it is started in case it does not run. */
interface Recipient extends WorkflowStart {
  signal: string;
  /** Temporal drops a second signal with the same id. */
  requestId: string;
  /** What to do if the last run has ended. Without this function, a new run starts with `input`. */
  afterEnd?(last: DescribedRun): Promise<AfterEnd>;
}

type AfterEnd =
  | { readonly is: 'known' }
  | { readonly is: 'new run'; readonly input: object }
  | { readonly is: 'passed on'; readonly to: Recipient };

/**
 * Signals each workflow that the notification concerns; a workflow that does not run is started in adopt form. Throws if
 * Temporal did not take the signal, and StartBudgetExceededError if no more workflows may be started now.
 */
export async function deliver(delivery: Delivery): Promise<void> {
  const { trade_status, transfer_account: { account_id } = {} } = delivery.notification;
  const payment = paymentOf(delivery);
  const isNewsOfSale = isAfterSaleStatus(trade_status);
  // An order's own notification, too, may name the account that its buyer pays into (section 6.5).
  if (account_id !== undefined && !(await delivery.temporal.isOfOrder(payment.workflowId))) {
    await signal(delivery, accountOf(delivery, account_id));
    // The account lets a payment confirm its deposit. Later news, such as a refund, concerns that payment too.
    if (trade_status === 'SUCCESS') return;
    // Only the account may start a deposit's payment: another account would not know which account has counted the deposit.
    if (!isNewsOfSale && !(await delivery.temporal.isKnown(payment.workflowId))) return;
  }
  const isAfterSale = isNewsOfSale && (await isOfSale(delivery, payment.workflowId));
  const instead = await signal(delivery, isAfterSale ? afterSaleOf(delivery) : payment);
  if (instead) await signal(delivery, instead);
}

/** Some runs live for months: the same bytes count as one notification for a while, and as a new one later. */
const requestIdOf = (digest: string) => `${digest}:${Math.floor(Date.now() / REPEATS_FOR_MS)}`;

function accountOf({ notification: { app_id }, digest }: Delivery, account_id: string): Recipient {
  const input: SpeiAccountInput = { app_id, account_id };
  return {
    requestId: requestIdOf(digest),
    workflowId: speiAccountWorkflowId(app_id, account_id),
    type: WORKFLOW.speiAccount,
    input,
    signal: SIGNAL.deposit,
  };
}

/** The payment. News after its end is for the after-sale; a payment that somebody ended, or that made no order, starts again. */
function paymentOf(delivery: Delivery): Recipient {
  const { notification, digest, temporal } = delivery;
  const { app_id, out_trade_no, trade_no, transfer_account: { account_id, account_number } = {} } = notification;
  const workflowId = paymentWorkflowId(app_id, out_trade_no);
  const adopted: AdoptedPayment = { kind: 'adopt', app_id, out_trade_no, trade_no };
  // No payment is known under the number, so the notification may be about a deposit that no account will count.
  const isOfNoAccount = account_id === undefined && account_number !== undefined;
  const input: AdoptedPayment = isOfNoAccount ? { ...adopted, reasons: ['deposit-without-account'] } : adopted;
  return {
    requestId: digest,
    workflowId,
    type: WORKFLOW.payment,
    input,
    signal: SIGNAL.notification,
    async afterEnd(last) {
      // The next run reads what this one knew.
      const newRun: AfterEnd = { is: 'new run', input: adopted };
      if (last.state !== 'COMPLETED') return newRun;
      const known = await temporal.paymentAtEnd(workflowId, last.runId);
      if (known && isKnownToPayment(known, notification)) return { is: 'known' };
      // A later run that no worker had may hold signals that nobody has read: a new run reads them.
      return last.isLatest ? { is: 'passed on', to: afterSaleOf(delivery) } : newRun;
    },
  };
}

/** What follows the sale: refunds, disputes, chargebacks. */
function afterSaleOf({ notification, digest, temporal }: Delivery): Recipient {
  const { app_id, out_trade_no, trade_no } = notification;
  const workflowId = afterSaleWorkflowId(app_id, out_trade_no);
  const input: AfterSaleInput = { app_id, out_trade_no, trade_no };
  return {
    requestId: requestIdOf(digest),
    workflowId,
    type: WORKFLOW.afterSale,
    input,
    signal: SIGNAL.notification,
    async afterEnd({ runId, state }) {
      const known = state === 'COMPLETED' ? await temporal.afterSaleAtEnd(workflowId, runId) : undefined;
      return known && isKnownAfterSale(known, notification) ? { is: 'known' } : { is: 'new run', input };
    },
  };
}

/**
 * Whether the payment has ended in a sale of this trade. News of another trade under its number, or of a trade that nothing proves to be the
 * sold one, is for the payment, which asks a person. An unknown payment counts as sold: there is no payment to signal.
 */
async function isOfSale({ temporal, notification }: Delivery, paymentId: string): Promise<boolean> {
  try {
    const { state, paymentStatus = '', tradeNo, runId } = await temporal.lastRun(paymentId);
    if (state === 'RUNNING' || outcomeOf(paymentStatus) !== 'SUCCESS') return false;
    // The gateway may have called it SUCCESS, and a person CANCEL.
    const isSold = state !== 'COMPLETED' || (await temporal.paymentAtEnd(paymentId, runId))?.outcome === 'SUCCESS';
    return isSold && tradeNo !== undefined && isOfTrade(notification, tradeNo);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}

/** Resolves to the recipient that gets the notification instead; undefined if this recipient has it or knows it. */
async function signal(delivery: Delivery, recipient: Recipient): Promise<Recipient | undefined> {
  const { notification, temporal, startBudget } = delivery;
  const sent = await startBudget.within({
    app_id: notification.app_id,
    isRunning: () => temporal.isRunning(recipient.workflowId),
    send: () => signalOrStart(delivery, recipient),
  });
  return typeof sent === 'boolean' ? undefined : sent;
}

/** Resolves to whether a run was started, or to the recipient that gets the notification instead. */
async function signalOrStart({ notification, temporal }: Delivery, recipient: Recipient): Promise<boolean | Recipient> {
  const { afterEnd, ...target } = recipient;
  const { workflowId, requestId } = target;
  const call = { ...target, payload: notification };
  try {
    return await temporal.signalWithStart({ ...call, afterEnd: 'refuse' });
  } catch (error) {
    if (!isAlreadyEnded(error)) throw error;
    const last = await temporal.lastRun(workflowId);
    // If two old notifications come in turn, the last run knows only one of them.
    const readers = [last, await temporal.recentlyStarted(workflowId, requestId)];
    // Only a run that completed is sure to have read what it got.
    if (readers.some((run) => run?.state === 'COMPLETED' && run.hasGot(requestId))) return false;
    const next = afterEnd ? await afterEnd(last) : ({ is: 'new run', input: target.input } as const);
    if (next.is === 'known') return false;
    if (next.is === 'passed on') return next.to;
    return temporal.signalWithStart({ ...call, input: next.input, afterEnd: 'start' });
  }
}

// — What an ended after-sale already knows, so that a repeated notification starts nothing —

/**
 * Meanings that are no news for a trade that ended REFUNDED, if no refund is named, nor for a refund that did. What may happen a second time
 * is news: another part that goes back, a refund that comes back, another dispute.
 */
const NO_NEWS_OF_REFUNDED: readonly RefundMeaning[] = ['under way', 'part is done', 'done'];

/** Whether the after-sale with this last state has nothing to learn from the notification. Pure. */
export function isKnownAfterSale(
  { trade_no: ours, trade_status: status, refunds, payment }: AfterSaleState,
  notification: Notification,
): boolean {
  const { trade_no, trade_status, out_request_no } = notification;
  // A refund of another trade may have the same number.
  const named = refunds.find((one) => one.out_request_no === out_request_no && (one.trade_no ?? ours) === trade_no);
  if (named && isRefundStatus(trade_status)) return isKnownOf(named, trade_status);
  // The payment decides whether a status that says nothing of a refund or of the bank, or is of another trade, is known.
  const isOfPayment = !isAfterSaleStatus(trade_status) || trade_no !== ours;
  if (payment !== null && isOfPayment) return isKnownToPayment(payment, notification);
  if (trade_no !== ours || out_request_no !== undefined) return false;
  return status === 'REFUNDED' && NO_NEWS_OF_REFUNDED.includes(refundMeaningOf(trade_status));
}

/**
 * The end of the refund counts, not the gateway's first answer. The end of a refund that was only accepted is news. A refund that did not come
 * about, by the gateway's answer or a person's decision, may have been started all the same.
 */
function isKnownOf({ outcome }: RefundState, trade_status: string): boolean {
  const meaning = refundMeaningOf(trade_status);
  if (outcome === 'ACCEPTED') return meaning === 'under way';
  return outcome === 'REFUNDED' ? NO_NEWS_OF_REFUNDED.includes(meaning) : outcome === trade_status;
}
