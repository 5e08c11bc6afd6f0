/**
 * The alerts of payments: the one place that says when somebody is called, how urgently, and what to do. `npm run docs:monitoring` writes
 * deploy/prometheus/ from it. What an alert says to do may never charge or refund anybody twice.
 */
import { ATTENTION_WORDS, JOB_RUNBOOK } from '../../src/contract';

export interface Alert {
  /** PromQL: it fires for each series that this gives. */
  readonly expr: string;
  /** For how long that has to be so. */
  readonly for?: string;
  /** `page`: wake somebody, because money or buyers wait. `ticket`: look at it today. */
  readonly severity: 'page' | 'ticket';
  /** A heading of a document in docs/. It may have the alert's labels in it, as may the two texts. */
  readonly runbook: string;
  readonly summary: string;
  /** What to do. */
  readonly act: string;
}

/** Only our worker's: a Prometheus may see other workers of Temporal, too. */
const OF_WORKER = 'job="payments-worker"';
const UNANSWERED = 'result=~"unanswered|not_sent"';

/** How many calls of an app ended so in the last minutes. */
const calls = (result: string, minutes: number) =>
  `sum by (app_id) (increase(payments_gateway_call_seconds_count{${result}}[${minutes}m]))`;

/**
 * Each worker goes on showing what it counted itself in its last sweep, so the one that swept last is asked, also while it starts anew:
 * sweeps are 15 minutes apart.
 */
export const lastSwept = (metric: string): string =>
  `last_over_time(${metric}[20m]) and on (job, instance) topk(1, last_over_time(payments_swept_timestamp_seconds[20m]))`;

/** What each worker tells of each app of its settings from its start: without it nobody would know that an app has never been compared. */
const OF_EACH_APP = 'payments_gateway_circuit_open[1h]';

const needsPerson = (reasons: readonly string[]) =>
  `max by (reason) (${lastSwept(`payments_under_attention{reason=~"${reasons.join('|')}"}`)}) > 0`;

/** A worker that is gone has no series any more, one that stops asks with none. */
const hasNoPoller = (kind: 'workflow_task' | 'activity_task') =>
  `absent(temporal_num_pollers{${OF_WORKER},poller_type="${kind}"} > 0)`;

/** Where Temporal does not answer, workers still ask: only that these calls fail shows it. */
const polls = (metric: string) =>
  `sum by (task_queue) (increase(${metric}{${OF_WORKER},operation=~"Poll(Workflow|Activity)TaskQueue"}[5m]))`;

/** How long tasks of a kind waited for a worker, in ms as Temporal's SDK tells it: the slowest twentieth. */
const waited = (kind: 'workflow_task' | 'activity') =>
  `histogram_quantile(0.95, sum by (le, task_queue) (rate(temporal_${kind}_schedule_to_start_latency_bucket{${OF_WORKER}}[5m]))) > 10000`;

/** Reasons that concern all orders of an app, or all that a worker has. */
const OF_ALL_ORDERS = ['credentials', 'settings', 'missing-activity', 'failing-tasks'];
const OF_BOOKS = ['books-differ'];
const OF_DEPOSITS = ['unconfirmed-deposit', 'old-deposit', 'returned-deposit', 'second-deposit'];
const OF_QUANTITY = ['few-accounts'];
/** Their headings in the runbook begin with the kind of workflow. */
const OF_ACCOUNTS = [
  'account-mismatch',
  'overdue-deposit',
  'lost-deposits',
  'clabe-check-digit',
  'unknown-account',
  'not-canceled',
];
const APART = [...OF_ALL_ORDERS, ...OF_BOOKS, ...OF_DEPOSITS, ...OF_QUANTITY, ...OF_ACCOUNTS];

/** By who is asked, so that each reason is in one alert. */
export const REASONS = {
  PaymentsAllOrdersNeedPerson: OF_ALL_ORDERS,
  PaymentsNeedPerson: ATTENTION_WORDS.filter((reason) => !APART.includes(reason)),
  PaymentsBooksDiffer: OF_BOOKS,
  PaymentsDepositSetAside: OF_DEPOSITS,
  PaymentsAccountNeedsPerson: OF_ACCOUNTS,
  PaymentsAccountsLow: OF_QUANTITY,
  /** No workflow has it: the Schedules are looked at instead. */
  PaymentsJobStopped: Object.keys(JOB_RUNBOOK),
};

export const ALERTS = {
  PaymentsGatewayDown: {
    expr: `${calls(UNANSWERED, 5)} >= 3 unless ${calls('result!~"unanswered|not_sent"', 5)} > 0`,
    ...{ for: '1m', severity: 'page', runbook: 'operations.md#when-the-gateway-is-down' },
    summary: 'The gateway answers no call of app {{ $labels.app_id }}.',
    act: 'Look at the gateway’s status page, then at the network between it and the workers. Leave open orders and refunds alone: each goes on by itself, and what may have been sent is looked for first. Make none of them again elsewhere.',
  },
  PaymentsCircuitOpen: {
    expr: 'max by (app_id) (payments_gateway_circuit_open) == 1',
    ...{ for: '5m', severity: 'page', runbook: 'operations.md#when-the-gateway-is-down' },
    summary: 'A worker makes no calls for app {{ $labels.app_id }}, because the gateway keeps failing.',
    act: 'Look at the gateway’s status page, then at that worker’s network and its log. Calls go on by themselves after the first one that succeeds. Make no order or refund again elsewhere.',
  },
  PaymentsCallsUnanswered: {
    expr: `${calls(UNANSWERED, 10)} / ${calls('', 10)} > 0.05 and ${calls(UNANSWERED, 10)} >= 3`,
    ...{ for: '10m', severity: 'ticket', runbook: 'operations.md#when-the-gateway-is-down' },
    summary: 'More than one in twenty calls of app {{ $labels.app_id }} gets no answer.',
    act: 'See on the board which operation it is, and ask the gateway’s support. An order or refund whose answer was lost is looked for before it is tried: make none again by hand.',
  },
  PaymentsNotificationsRefused: {
    expr: 'sum(increase(payments_webhook_answer_seconds_count{status="401"}[15m])) > 5',
    ...{ severity: 'ticket', runbook: 'operations.md#metrics' },
    summary: 'Notifications are refused, because their signature is wrong.',
    act: 'The webhook’s log has a hint for each. Forged ones changed nothing, and need nothing. If they are the gateway’s, mend the key or the signature’s settings. Polls find the outcomes meanwhile.',
  },
  PaymentsNotificationsUnanswered: {
    // Of those that were signed: strangers, who get 4xx, must not hide what is not taken.
    expr: 'sum(rate(payments_webhook_answer_seconds_count{status=~"5.."}[5m])) / sum(rate(payments_webhook_answer_seconds_count{status=~"2..|5.."}[5m])) > 0.05',
    ...{ for: '5m', severity: 'page', runbook: 'operations.md#metrics' },
    summary: 'The webhook does not take notifications (HTTP 5xx).',
    act: 'See whether Temporal answers and whether the webhook has enough CPU and memory. The gateway sends by its schedule what was not taken, and polls find outcomes meanwhile.',
  },
  PaymentsWebhookGone: {
    // One that is gone for good falls silent after a day; who never had one hears nothing.
    expr: 'group by (job) (last_over_time(up{job="payments-webhook"}[1d])) unless group by (job) (up{job="payments-webhook"} == 1)',
    ...{ for: '5m', severity: 'page', runbook: 'operations.md#health-and-logs' },
    summary: 'No webhook tells metrics: most likely none runs, and nobody takes notifications.',
    act: 'See whether a webhook runs, why it ended, and whether Prometheus reaches its METRICS_ADDRESS. The gateway sends by its schedule what was not taken, and polls find outcomes meanwhile.',
  },
  PaymentsNoNotifications: {
    expr: 'sum by (app_id) (increase(payments_ended_total{outcome="SUCCESS"}[1h])) >= 5 unless sum by (app_id) (increase(payments_notification_effect_seconds_count[1h])) > 0',
    ...{ for: '15m', severity: 'ticket', runbook: 'operations.md#before-real-money' },
    summary: 'Payments of app {{ $labels.app_id }} are paid, and no notification of any came within an hour.',
    act: 'Run `payment-gateway check`: it posts to the public address. Look at the proxy before the webhook, at its certificate, and at the address in the gateway’s dashboard. Polls find the outcomes meanwhile, later.',
  },
  PaymentsAllOrdersNeedPerson: {
    expr: needsPerson(REASONS.PaymentsAllOrdersNeedPerson),
    ...{ severity: 'page', runbook: 'runbook.md#{{ $labels.reason }}' },
    summary: 'Orders cannot go on, and all others of the app or worker may be next: {{ $labels.reason }}.',
    act: 'Do what the runbook says of {{ $labels.reason }}; `payment-gateway list --attention {{ $labels.reason }}` names them. They go on by themselves once it is mended.',
  },
  PaymentsNeedPerson: {
    expr: needsPerson(REASONS.PaymentsNeedPerson),
    ...{ severity: 'ticket', runbook: 'runbook.md#{{ $labels.reason }}' },
    summary: 'Something waits for a person: {{ $labels.reason }}.',
    act: '`payment-gateway list --attention {{ $labels.reason }}` names it. Do what the runbook says of it, in its order.',
  },
  PaymentsAttentionOverdue: {
    expr: `max(${lastSwept('payments_attention_overdue')}) > 0`,
    ...{ severity: 'page', runbook: 'operations.md#find-what-needs-a-person' },
    summary: 'Something has waited for a person for longer than PAYMENTS_OVERDUE.',
    act: '`payment-gateway list --attention` has it first, in red. Take it on by `payment-gateway take`, and do what the runbook says of its reason.',
  },
  PaymentsNoPoller: {
    expr: `${hasNoPoller('workflow_task')} or ${hasNoPoller('activity_task')}`,
    ...{ for: '2m', severity: 'page', runbook: 'operations.md#health-and-logs' },
    summary: 'No worker asks Temporal for work: for workflow tasks, for activities, or for both.',
    act: 'Start a worker, or see in its log and at `/readyz` why it gets no work. Orders, refunds and notifications are kept in Temporal, and go on once a worker runs. Terminate nothing.',
  },
  PaymentsTemporalUnanswered: {
    expr: `${polls('temporal_long_request_failure')} / ${polls('temporal_long_request')} > 0.5`,
    ...{ for: '2m', severity: 'page', runbook: 'operations.md#health-and-logs' },
    summary: 'Workers of task queue {{ $labels.task_queue }} ask Temporal for work and get no answer.',
    act: 'See whether Temporal runs and can be reached from the workers, and whether their credentials hold. Orders and refunds go on by themselves once it answers; what notifications were not taken, the gateway sends by its schedule.',
  },
  PaymentsWorkflowTasksWait: {
    expr: waited('workflow_task'),
    ...{ for: '10m', severity: 'ticket', runbook: 'operations.md#versions-of-the-worker' },
    summary: 'Workflows wait more than ten seconds for a worker of task queue {{ $labels.task_queue }}.',
    act: 'Start more workers, or give them more CPU, then WORKER_WORKFLOW_SLOTS. Terminate nothing: all that waits is carried out in time.',
  },
  PaymentsActivitiesWait: {
    expr: waited('activity'),
    ...{ for: '10m', severity: 'ticket', runbook: 'operations.md#versions-of-the-worker' },
    summary: 'Calls of the gateway wait more than ten seconds for a worker of task queue {{ $labels.task_queue }}.',
    act: 'Start more workers, or raise WORKER_ACTIVITY_SLOTS. Terminate nothing: all that waits is carried out in time.',
  },
  PaymentsSweepSilent: {
    expr: 'time() - max(last_over_time(payments_swept_timestamp_seconds[1d])) > 1200 or absent_over_time(payments_swept_timestamp_seconds[1d])',
    ...{ for: '20m', severity: 'ticket', runbook: 'runbook.md#schedule-job-stopped' },
    summary: 'No sweep has looked for 40 minutes whether something is stuck or needs a person.',
    act: 'The other alerts on attention are blind meanwhile. `payment-gateway list --attention job-stopped` says what is wrong; `payment-gateway setup` makes the Schedule.',
  },
  PaymentsReconciliationSilent: {
    expr: `group by (app_id) (last_over_time(${OF_EACH_APP})) and group by (app_id) (last_over_time(${OF_EACH_APP} offset 36h)) unless max by (app_id) (last_over_time(payments_reconciled_timestamp_seconds[36h])) > time() - 36 * 3600`,
    ...{ severity: 'ticket', runbook: 'runbook.md#schedule-job-stopped' },
    summary: 'The books of app {{ $labels.app_id }} have not been compared for 36 hours.',
    act: '`payment-gateway list --attention job-stopped` says what is wrong; `payment-gateway setup` makes the Schedule. `payment-gateway reconcile` compares a day by hand; it only asks.',
  },
  PaymentsJobStopped: {
    expr: 'max by (schedule_id) (payments_job_stopped) > 0',
    // A worker may have looked before setup had made the Schedules: it looks anew after 15 minutes.
    ...{ for: '20m', severity: 'ticket', runbook: 'runbook.md#schedule-job-stopped' },
    summary: 'A job that Temporal starts by itself does not do its work: {{ $labels.schedule_id }}.',
    act: '`payment-gateway list --attention job-stopped` says what is wrong. Make the Schedule by `payment-gateway setup`, unpause it, or mend what its last run shows in Temporal UI.',
  },
  PaymentsRampUnfinished: {
    expr: 'max(payments_worker_ramp_seconds) > 24 * 3600',
    ...{ severity: 'ticket', runbook: 'operations.md#versions-of-the-worker' },
    summary:
      'For more than a day, a part of new work has gone to a new version of the worker and the rest to the one before.',
    act: '`payment-gateway deploy status` shows both. End it by `payment-gateway deploy promote`, or by `payment-gateway deploy rollback`, which sends new work to the version before.',
  },
  PaymentsEventsUndelivered: {
    expr: 'sum by (to) (increase(payments_events_total{result="failed"}[30m])) / sum by (to) (increase(payments_events_total[30m])) > 0.5',
    ...{ for: '15m', severity: 'ticket', runbook: 'runbook.md#undelivered-event' },
    summary: 'Most events are not taken ({{ $labels.to }}): your programs do not hear what happens to payments.',
    act: 'Mend the receiver, or the handler’s error in the worker’s log. What was not taken is delivered then, in order, with the same id.',
  },
  PaymentsDepositSetAside: {
    expr: needsPerson(REASONS.PaymentsDepositSetAside),
    ...{ severity: 'ticket', runbook: 'runbook.md#spei-account-{{ $labels.reason }}' },
    summary: 'A deposit into a virtual account is not counted: {{ $labels.reason }}.',
    act: 'Look at it in the gateway’s dashboard and in your books before you credit anybody, as the runbook says: it may be credited already.',
  },
  PaymentsAccountNeedsPerson: {
    expr: needsPerson(REASONS.PaymentsAccountNeedsPerson),
    ...{ severity: 'ticket', runbook: 'runbook.md#spei-account-{{ $labels.reason }}' },
    summary: 'A virtual account waits for a person: {{ $labels.reason }}.',
    act: '`payment-gateway list --attention {{ $labels.reason }}` names it. Do what the runbook says of it.',
  },
  PaymentsAccountsLow: {
    expr: needsPerson(REASONS.PaymentsAccountsLow),
    ...{ severity: 'ticket', runbook: 'runbook.md#spei-account-quantity-few-accounts' },
    summary: 'Fewer virtual accounts are left than PAYMENTS_ACCOUNTS_LOW.',
    act: 'Ask the gateway for more, or cancel accounts that nobody uses. Without any left, the next buyers get none.',
  },
  PaymentsBooksDiffer: {
    expr: needsPerson(REASONS.PaymentsBooksDiffer),
    ...{ severity: 'ticket', runbook: 'runbook.md#{{ $labels.reason }}' },
    summary: 'Orders are not the same here, at the gateway or in your list.',
    act: '`payment-gateway list --attention books-differ` names the comparison, which has each order. Look at both sides before you move any money.',
  },
  PaymentsNotScraped: {
    expr: 'up{job=~"payments-(worker|webhook|codec-server)"} == 0',
    ...{ for: '5m', severity: 'ticket', runbook: 'operations.md#health-and-logs' },
    summary: '{{ $labels.job }} at {{ $labels.instance }} tells no metrics.',
    act: 'See whether the process runs, and whether METRICS_ADDRESS can be reached from Prometheus. While no worker is seen, the other alerts are blind.',
  },
} as const satisfies Record<string, Alert>;

export type AlertName = keyof typeof ALERTS;
