/** For each alert what the metrics tell while it fires, and how it falls silent: the rule tests. */
import { type AlertName, REASONS } from './alerts';

export type Labels = Readonly<Record<string, string>>;

export interface Story {
  /** Values by series, one a minute, as promtool writes them: `0+5x10` is eleven values, each 5 more than the one before. */
  readonly tells: Readonly<Record<string, string>>;
  /** When it fires. */
  readonly fires: string;
  /** When it does not: before, and after. */
  readonly silent: readonly string[];
  /** Of the alert, beside its severity; of each, where it fires more than once. */
  readonly labels?: Labels | readonly Labels[];
}

const WORKER = 'job="payments-worker",instance="worker-1:9464"';
const APP = `${WORKER},app_id="shop"`;
const call = (result: string) => `payments_gateway_call_seconds_count{${APP},operation="query",result="${result}"}`;
const answered = (status: string) =>
  `payments_webhook_answer_seconds_count{job="payments-webhook",instance="webhook-1:9464",status="${status}"}`;
const pollers = (type: string) => `temporal_num_pollers{${WORKER},poller_type="${type}",task_queue="payments"}`;
const polled = (metric: string) => `${metric}{${WORKER},task_queue="payments",operation="PollActivityTaskQueue"}`;
const SWEPT = `payments_swept_timestamp_seconds{${WORKER}}`;
/** What workers tell of an app: that there is one, and when they last compared its books. */
const told = (app_id: string) => `payments_gateway_circuit_open{${WORKER},app_id="${app_id}"}`;
const compared = (app_id: string) => `payments_reconciled_timestamp_seconds{${WORKER},app_id="${app_id}"}`;
const JOB = `payments_job_stopped{${WORKER},schedule_id="payments-stuck-sweep"}`;
const OF_SHOP = { app_id: 'shop' };

/**
 * Something waits under a reason from minute 15 to 45, as sweeps every 15 minutes count it. Another worker counted it in a sweep long
 * ago, and has not swept since: it says nothing.
 */
function waits(metric: string, label = ''): Record<string, string> {
  const other = WORKER.replace('worker-1', 'worker-2');
  const series = (labels: string) => (labels === '' ? metric : `${metric}{${labels}}`);
  return {
    [series(`${WORKER}${label}`)]: '0x14 1x29 0x30',
    [series(`${other}${label}`)]: '7x74',
    [SWEPT]: '0+0x14 900+0x14 1800+0x14 2700+0x30',
    [SWEPT.replace('worker-1', 'worker-2')]: '-900+0x74',
  };
}

/** The first reason stands for all: each is a value of one label. */
function reasonWaits(alert: keyof typeof REASONS): Story {
  const [reason = ''] = REASONS[alert];
  const tells = waits('payments_under_attention', `,reason="${reason}"`);
  return { tells, fires: '20m', silent: ['10m', '50m'], labels: { reason } };
}

/** Of 60 tasks a minute, all wait more than ten seconds between the minutes 10 and 30; before and after none does. */
function tasksWait(kind: 'workflow_task' | 'activity'): Story {
  const bucket = (le: string) =>
    `temporal_${kind}_schedule_to_start_latency_bucket{${WORKER},task_queue="payments",le="${le}"}`;
  return {
    tells: {
      [bucket('10000')]: '0+60x10 600+0x20 600+60x30',
      [bucket('100000')]: '0+60x60',
      [bucket('+Inf')]: '0+60x60',
    },
    ...{ fires: '28m', silent: ['10m', '18m', '45m'], labels: { task_queue: 'payments' } },
  };
}

/** No worker asks for such tasks between the minutes 10 and 20: it asks for none, or is not there. */
const pollersGone = (gone: 'workflow_task' | 'activity_task', stays: 'workflow_task' | 'activity_task'): Story => ({
  tells: { [pollers(gone)]: '5x9 0x5 _x5 5x10', [pollers(stays)]: '5x40' },
  ...{ fires: '18m', silent: ['9m', '11m', '22m'] },
});

export const STORIES: Readonly<Record<AlertName, Story | readonly Story[]>> = {
  PaymentsGatewayDown: {
    tells: { [call('not_sent')]: '0x10 1+4x10 41+0x20', [call('done')]: '0+20x10 200+0x10 220+20x20' },
    ...{ fires: '18m', silent: ['10m', '14m', '26m'], labels: OF_SHOP },
  },
  PaymentsCircuitOpen: {
    tells: { [`payments_gateway_circuit_open{${APP}}`]: '0x9 1x10 0x10' },
    ...{ fires: '16m', silent: ['9m', '14m', '21m'], labels: OF_SHOP },
  },
  PaymentsCallsUnanswered: {
    tells: { [call('unanswered')]: '0x10 0+2x25 50+0x30', [call('refused')]: '0+1x65', [call('done')]: '0+9x65' },
    ...{ fires: '30m', silent: ['10m', '15m', '55m'], labels: OF_SHOP },
  },
  PaymentsNotificationsRefused: {
    tells: { [answered('401')]: '1x5 1+2x10 21+0x30', [answered('200')]: '0+1x50' },
    ...{ fires: '15m', silent: ['5m', '40m'] },
  },
  PaymentsNotificationsUnanswered: {
    // A stranger's flood, beside which it would be few, hides nothing.
    tells: { [answered('503')]: '0x5 0+5x15 75+0x20', [answered('200')]: '0+10x45', [answered('401')]: '0+900x45' },
    ...{ fires: '18m', silent: ['5m', '9m', '32m'] },
  },
  PaymentsWebhookGone: {
    // It answers nobody, and then Prometheus finds its name no more.
    tells: { 'up{job="payments-webhook",instance="webhook-1:9464"}': '1x9 0x4 _x10 1x10' },
    ...{ fires: '18m', silent: ['9m', '14m', '26m'], labels: { job: 'payments-webhook' } },
  },
  PaymentsNoNotifications: {
    tells: {
      [`payments_ended_total{${APP},method="PIX",outcome="SUCCESS"}`]: '0+1x240',
      [`payments_notification_effect_seconds_count{${APP}}`]: '0+1x60 60+0x100 60+1x80',
    },
    ...{ fires: '150m', silent: ['60m', '125m', '170m'], labels: OF_SHOP },
  },
  PaymentsAllOrdersNeedPerson: reasonWaits('PaymentsAllOrdersNeedPerson'),
  PaymentsNeedPerson: reasonWaits('PaymentsNeedPerson'),
  PaymentsAttentionOverdue: {
    ...{ tells: waits('payments_attention_overdue'), fires: '20m', silent: ['10m', '50m'] },
  },
  PaymentsNoPoller: [pollersGone('workflow_task', 'activity_task'), pollersGone('activity_task', 'workflow_task')],
  PaymentsTemporalUnanswered: {
    tells: {
      [polled('temporal_long_request')]: '0+20x40',
      [polled('temporal_long_request_failure')]: '0x10 0+20x10 200x20',
    },
    ...{ fires: '18m', silent: ['10m', '13m', '27m'], labels: { task_queue: 'payments' } },
  },
  PaymentsWorkflowTasksWait: tasksWait('workflow_task'),
  PaymentsActivitiesWait: tasksWait('activity'),
  PaymentsSweepSilent: [
    {
      // Swept at 0 and 15 minutes, then not until 90.
      tells: { [SWEPT]: '0x14 900x74 5400x30' },
      ...{ fires: '60m', silent: ['20m', '50m', '92m'] },
    },
    // None was ever made since the workers are there.
    { tells: { [SWEPT]: '_x40 2400x10' }, fires: '30m', silent: ['15m', '42m'] },
  ],
  PaymentsReconciliationSilent: {
    // One app was never compared, one at minute 10 and told so ever since, and one lately. All are at minute 2205.
    tells: {
      ...{ [told('never')]: '0x2220', [compared('never')]: '_x2204 132300x20' },
      ...{ [told('once')]: '0x2220', [compared('once')]: '_x9 600x2194 132300x20' },
      ...{ [told('lately')]: '0x2220', [compared('lately')]: '_x1199 72000x1020' },
    },
    ...{ fires: '2200m', silent: ['2150m', '2210m'], labels: [{ app_id: 'never' }, { app_id: 'once' }] },
  },
  PaymentsJobStopped: {
    // Another worker has looked since, and found it well; this one sees so at its next look.
    tells: { [JOB]: '0x10 1x45 0x20', [JOB.replace('worker-1', 'worker-2')]: '0x10 1x34 0x31' },
    ...{ fires: '50m', silent: ['10m', '29m', '60m'], labels: { schedule_id: 'payments-stuck-sweep' } },
  },
  PaymentsRampUnfinished: {
    // Workers look every 15 minutes.
    tells: { [`payments_worker_ramp_seconds{${WORKER}}`]: '0x10 85500x15 86400x15 87300x15 0x15' },
    ...{ fires: '50m', silent: ['5m', '35m', '65m'] },
  },
  PaymentsEventsUndelivered: {
    tells: {
      [`payments_events_total{${WORKER},to="address",result="failed"}`]: '0x10 0+2x40 80+0x60',
      [`payments_events_total{${WORKER},to="address",result="taken"}`]: '0+4x10 40+0x40 40+4x60',
    },
    ...{ fires: '50m', silent: ['10m', '28m', '85m'], labels: { to: 'address' } },
  },
  PaymentsDepositSetAside: reasonWaits('PaymentsDepositSetAside'),
  PaymentsAccountNeedsPerson: reasonWaits('PaymentsAccountNeedsPerson'),
  PaymentsAccountsLow: reasonWaits('PaymentsAccountsLow'),
  PaymentsBooksDiffer: reasonWaits('PaymentsBooksDiffer'),
  PaymentsNotScraped: {
    tells: { [`up{${WORKER}}`]: '1x9 0x10 1x10' },
    ...{ fires: '16m', silent: ['9m', '14m', '21m'], labels: { job: 'payments-worker', instance: 'worker-1:9464' } },
  },
};
