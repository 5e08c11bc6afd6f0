/** Our metrics for Prometheus, beside Temporal's own. docs/operations.md lists them. No label says anything of a person. */

export interface Metric {
  readonly name: string;
  readonly kind: 'gauge' | 'counter' | 'histogram';
  readonly labels: readonly string[];
  /** The process that serves it. */
  readonly of: 'worker' | 'webhook';
  readonly meaning: string;
}

export const METRIC = {
  stuck: {
    ...{ name: 'payments_stuck', kind: 'gauge', labels: [], of: 'worker' },
    meaning: 'open payments past their time, unsent, or without a worker, as the last sweep counted them',
  },
  underAttention: {
    ...{ name: 'payments_under_attention', kind: 'gauge', labels: ['reason'], of: 'worker' },
    meaning: 'workflows that need a person, by each reason of the runbook, as the last sweep counted them',
  },
  sweptAt: {
    ...{ name: 'payments_swept_timestamp_seconds', kind: 'gauge', labels: [], of: 'worker' },
    meaning: 'when this worker made its last sweep, in seconds since 1970',
  },
  differences: {
    ...{ name: 'payments_reconciliation_differences', kind: 'counter', labels: ['app_id', 'kind'], of: 'worker' },
    meaning: 'orders that are not the same here, at the gateway or in the merchant’s list',
  },
  accountsAvailable: {
    ...{ name: 'payments_spei_accounts_available', kind: 'gauge', labels: ['app_id'], of: 'worker' },
    meaning: 'virtual accounts that are left to create',
  },
  webhookAnswers: {
    ...{ name: 'payments_webhook_answers', kind: 'histogram', labels: ['status'], of: 'webhook' },
    meaning: 'answers to notifications, by status, and how long each took in ms',
  },
} as const satisfies Record<string, Metric>;
