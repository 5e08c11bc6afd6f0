/** The worker's settings that workflows decide by. An activity returns them, so that they are in the history. */
import { setTimeout } from 'node:timers/promises';
import { activityInfo, getClient } from '@temporalio/activity';
import { type AccountPolicy, type LocalActivities, namedByWorkflowId } from '../contract';
import { timingOf } from '../gateway/pure/by-method';
import type { Config } from '../process/settings';
import { afterSaleOf } from './earlier-payments';
import { ownRunId } from './own-run';

/** The activity that returns the settings for a payment. `listeners`: the listeners to events by the worker's settings. Durations are in ms. */
export function policyActivity(settings: Config, listeners: readonly string[]): LocalActivities {
  return {
    async 'gateway.policy'({ method }) {
      return {
        poll_schedule_ms: settings.PAYMENTS_POLL_SCHEDULE,
        poll_every_ms: settings.PAYMENTS_POLL_EVERY,
        settling_ms: settings.PAYMENTS_SETTLING,
        patience_ms: settings.PAYMENTS_PATIENCE,
        overdue_ms: settings.PAYMENTS_OVERDUE,
        create_within_ms: settings.PAYMENTS_CREATE_WITHIN,
        grace_ms: settings.PAYMENTS_GRACE,
        confirm_by_query: settings.PAYMENTS_CONFIRM_BY_QUERY,
        late_payments: settings.PAYMENTS_LATE,
        risk_control_ms: settings.PAYMENTS_RISK_CONTROL,
        watch_window_ms: settings.PAYMENTS_WATCH_WINDOW,
        dispute_ms: settings.PAYMENTS_DISPUTE_DEADLINE,
        refund_watch_ms: settings.PAYMENTS_REFUND_WATCH,
        listeners,
        read_by: ownRunId(),
        is_followed: await isPaymentFollowed(),
        ...timingOf(method),
      };
    },
  };
}

/** Asks Temporal, at no cost for the history: a payment that is proven the first of its kept runs may have had others. */
async function isPaymentFollowed(): Promise<boolean> {
  const { workflowId = '' } = activityInfo().workflowExecution ?? {};
  return namedByWorkflowId(workflowId)?.kind === 'payment' && (await afterSaleOf(getClient(), workflowId)) !== null;
}

/** In ms: little beside the gateway's answer that follows. */
const ANSWERS_AFTER_MS = 25;

/**
 * The activity, answering a moment later. If a local activity answers while the SDK still takes in the workflow's first commands, an update
 * may come before that answer in the run, and after it in a replay, which then fails. `rewritten-database.test.ts` has shown it under load with
 * 1.24; temporalio/sdk-python#1881 tells of answers that a replay groups in another way.
 */
export const notAtOnce = ({ 'gateway.policy': policy }: LocalActivities): LocalActivities => ({
  async 'gateway.policy'(of) {
    const [answer] = await Promise.all([policy(of), setTimeout(ANSWERS_AFTER_MS)]);
    return answer;
  },
});

/** The settings for virtual accounts. `listeners`: the listeners to events by the worker's settings. Durations are in ms. */
export const accountPolicyOf = (settings: Config, listeners: readonly string[]): AccountPolicy => ({
  listeners,
  check_every_ms: settings.PAYMENTS_ACCOUNT_CHECK_EVERY,
  quantity_every_ms: settings.PAYMENTS_POLL_EVERY,
  low_quantity: settings.PAYMENTS_ACCOUNTS_LOW,
  settling_ms: settings.PAYMENTS_SETTLING,
  patience_ms: settings.PAYMENTS_PATIENCE,
  overdue_ms: settings.PAYMENTS_OVERDUE,
  create_within_ms: settings.PAYMENTS_CREATE_WITHIN,
  creates_again: settings.PAYMENTS_ACCOUNT_UNKNOWN === 'again',
});
