/** The worker's settings as a workflow records them: what it decides by must be in its history. */
import type { Config } from '../config';
import { lifeOf } from '../gateway/method-lives';
import type { LocalAccountActivities } from '../workflows/account-activities';
import type { LocalActivities } from '../workflows/activities';

export type PolicySettings = Pick<
  Config,
  | 'PAYMENTS_POLL_SCHEDULE'
  | 'PAYMENTS_POLL_EVERY'
  | 'PAYMENTS_SETTLING'
  | 'PAYMENTS_GRACE'
  | 'PAYMENTS_CONFIRM_BY_QUERY'
  | 'PAYMENTS_LATE'
  | 'PAYMENTS_RISK_CONTROL'
  | 'PAYMENTS_WATCH_WINDOW'
>;

/**
 * Recorded with the settings, so that a life goes on as it began: 1 tells the events of a payment in one place, and ends
 * an after-sale's run that grew long while it watched.
 */
const BEHAVIOUR = 1;

export function policyActivity(settings: PolicySettings, has_listener: boolean): LocalActivities {
  return {
    async 'gateway.policy'({ method }) {
      return {
        poll_schedule_ms: settings.PAYMENTS_POLL_SCHEDULE,
        poll_every_ms: settings.PAYMENTS_POLL_EVERY,
        settling_ms: settings.PAYMENTS_SETTLING,
        grace_ms: settings.PAYMENTS_GRACE,
        confirm_by_query: settings.PAYMENTS_CONFIRM_BY_QUERY,
        accept_late_payments: settings.PAYMENTS_LATE === 'accept',
        refund_late_payments: settings.PAYMENTS_LATE === 'refund',
        risk_control_ms: settings.PAYMENTS_RISK_CONTROL,
        watch_window_ms: settings.PAYMENTS_WATCH_WINDOW,
        has_listener,
        behaviour: BEHAVIOUR,
        ...lifeOf(method),
      };
    },
  };
}

export type AccountPolicySettings = Pick<
  Config,
  'PAYMENTS_ACCOUNT_CHECK_EVERY' | 'PAYMENTS_POLL_EVERY' | 'PAYMENTS_ACCOUNTS_LOW' | 'PAYMENTS_ACCOUNT_UNKNOWN'
>;

export function accountPolicyActivity(settings: AccountPolicySettings, has_listener: boolean): LocalAccountActivities {
  return {
    async 'gateway.account-policy'() {
      return {
        check_every_ms: settings.PAYMENTS_ACCOUNT_CHECK_EVERY,
        quantity_every_ms: settings.PAYMENTS_POLL_EVERY,
        low_quantity: settings.PAYMENTS_ACCOUNTS_LOW,
        creates_again: settings.PAYMENTS_ACCOUNT_UNKNOWN === 'again',
        has_listener,
      };
    },
  };
}
