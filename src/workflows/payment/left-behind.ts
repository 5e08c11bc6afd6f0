/** What earlier runs left to a payment that could not read it before its end: Temporal's list of workflows was down. */
import {
  asNotified,
  type EarlierRun,
  knownIds,
  type NotificationSignal,
  type PaymentFollowUpInput,
  type PaymentWorkflow,
  type PreviousRun,
  paymentWorkflowId,
  SIGNAL,
  WORKFLOW,
} from '../../contract';
import { loadEarlierRun, loadLatestRun } from '../shared/activities';
import { signalIfRunning } from '../shared/signal-if-running';
import { startAbandoned } from '../shared/start-abandoned';

/** Reads it as soon as Temporal answers, and hands it on to the payment as notifications: they are compared with the gateway. */
export async function handOnWhatWasLeft(input: PaymentFollowUpInput): Promise<void> {
  const { unread_run } = input;
  if (!unread_run) return;
  let left: EarlierRun | null | 'unread' = 'unread';
  while (left === 'unread') left = await loadEarlierRun({ before: unread_run });
  const notifications = left === null ? [] : [...left.other_trades.map(asNotified), ...left.untaken];
  if (notifications.length > 0) while (!(await tryToHandOn(input, notifications)));
}

/**
 * False where the payment started or ended at this moment. It is the one of the order's own id, whoever left it under
 * another.
 */
async function tryToHandOn(
  input: PaymentFollowUpInput,
  notifications: readonly NotificationSignal[],
): Promise<boolean> {
  const { app_id, out_trade_no, trade_no } = input.payment;
  const number = out_trade_no ?? trade_no ?? '';
  const workflowId = paymentWorkflowId(app_id, number);
  let isRunning = true;
  for (const one of notifications) isRunning &&= await signalIfRunning(workflowId, SIGNAL.notification, one);
  if (isRunning) return true;
  const previous = await latestOf(input);
  if (previous === 'running') return false;
  const adopted = { kind: 'adopt' as const, app_id, previous, pending_notifications: notifications };
  return startAbandoned<PaymentWorkflow>(WORKFLOW.payment, {
    workflowId,
    args: [{ ...adopted, ...knownIds({ out_trade_no, trade_no }) }],
    staticSummary: `What earlier runs of ${number} left`,
  });
}

/**
 * The payment's latest run. Where Temporal has forgotten it, or cannot find it without the order's number, the one that ended
 * unread.
 */
async function latestOf({ payment, previous }: PaymentFollowUpInput): Promise<PreviousRun | 'running'> {
  const { app_id, out_trade_no } = payment;
  const latest = out_trade_no === null ? null : await loadLatestRun({ app_id, out_trade_no });
  if (latest === null) return previous;
  return latest.is === 'running' ? 'running' : latest.previous;
}
