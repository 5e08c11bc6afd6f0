/** The ids of workflows. No other file makes them. */
import type { Attention } from './attention';
import type { TradeId } from './gateway';

/** The workflow id is the idempotency key: one order, one workflow. */
export const paymentWorkflowId = (app_id: string, out_trade_no: string) => `payment:${app_id}:${out_trade_no}`;
export const afterSaleWorkflowId = (app_id: string, out_trade_no: string) => `after-sale:${app_id}:${out_trade_no}`;
/** One workflow for all orders of the app that failed for the same reason. */
export const appAttentionWorkflowId = (app_id: string, attention: Attention) => `app-attention:${app_id}:${attention}`;
export const strayNotificationWorkflowId = (app_id: string, digest: string) => `stray-notification:${app_id}:${digest}`;

export const speiAccountWorkflowId = (app_id: string, account_id: string) => `spei-account:${app_id}:${account_id}`;
/** `key` is the merchant's own name for the account: one key, one account. */
export const createSpeiAccountWorkflowId = (app_id: string, key: string) => `create-spei-account:${app_id}:${key}`;
export const speiAccountQuantityWorkflowId = (app_id: string) => `spei-account-quantity:${app_id}`;

/** `part` distinguishes questions of one kind; the same part means the same question. */
export const lookupWorkflowId = (app_id: string, type: string, part: string) => `lookup:${app_id}:${type}:${part}`;

/** `period` distinguishes the reconciliations of an app; a Schedule appends the time. */
export const reconciliationWorkflowId = (app_id: string, period: string) => `reconciliation:${app_id}:${period}`;

/** One sweep looks at all payments of a namespace. */
export const STUCK_SWEEP_WORKFLOW_ID = 'stuck-sweep';

/** The prefixes of our workflows' ids. */
const PREFIXES = [
  ...['payment', 'after-sale', 'app-attention', 'stray-notification', 'event-delivery', 'lookup'],
  ...['spei-account', 'create-spei-account', 'spei-account-quantity', 'reconciliation'],
];

/** Whether a workflow of this id is one of ours. */
export const isOurWorkflow = (workflowId: string) =>
  workflowId.startsWith(STUCK_SWEEP_WORKFLOW_ID) || PREFIXES.includes(workflowId.split(':', 1)[0] ?? '');

/** Temporal appends to the id of a workflow that a schedule starts the time that it was due, in UTC. */
const DUE_TIME = /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;

/** The workflow id in the schedule, and when this run was due; undefined if no schedule started the run. */
export function scheduledRun(workflowId: string): { base_id: string; due: string } | undefined {
  const [suffix, due] = DUE_TIME.exec(workflowId) ?? [];
  return suffix === undefined || due === undefined ? undefined : { base_id: workflowId.slice(0, -suffix.length), due };
}

/** Whether a workflow is one of our own that a schedule starts. No order, refund or account has such an id. */
export const isScheduledJob = (workflowId: string) =>
  scheduledRun(workflowId) !== undefined && SCHEDULED_KINDS.includes(namedByWorkflowId(workflowId)?.kind ?? '');

const SCHEDULED_KINDS = [STUCK_SWEEP_WORKFLOW_ID, 'reconciliation'];

/** The delivery of one stream of events (of a payment, or of one run) to one address, or to the handler. */
export const eventDeliveryWorkflowId = (endpoint: string, stream: string) => `event-delivery:${endpoint}:${stream}`;

/** The stream of a delivery, by its workflow id; undefined if the id is of another kind. */
export const deliveredStream = (workflowId: string) => /^event-delivery:[^:]*:(.+)$/su.exec(workflowId)?.[1];

/** The stream of one run's events: they need no common order with those of other runs. */
export const runStream = ({ workflowId, runId }: { workflowId: string; runId: string }) => `${workflowId}:${runId}`;

/** The ids of a trade that are known, as the gateway is asked for it. */
export function knownIds({ trade_no, out_trade_no }: KnownIds): TradeId {
  return { ...(trade_no === null ? {} : { trade_no }), ...(out_trade_no === null ? {} : { out_trade_no }) };
}

interface KnownIds {
  readonly trade_no: string | null;
  readonly out_trade_no: string | null;
}

/** What the id of one of our workflows names. `part`: the rest of an id that has no order's number. */
export interface NamedByWorkflowId {
  kind: string;
  app_id: string;
  out_trade_no: string | null;
  part: string | null;
}

/** Reads the id of a workflow; undefined for an id that is not made here. An order's number may have colons. */
export function namedByWorkflowId(workflowId: string): NamedByWorkflowId | undefined {
  const subject = deliveredStream(workflowId);
  const { app_id: its_app } = (subject === undefined ? undefined : namedByWorkflowId(subject)) ?? {};
  if (its_app !== undefined) return { kind: 'event-delivery', app_id: its_app, out_trade_no: null, part: workflowId };
  if (workflowId.startsWith(STUCK_SWEEP_WORKFLOW_ID)) {
    return { kind: STUCK_SWEEP_WORKFLOW_ID, app_id: '', out_trade_no: null, part: null };
  }
  const [, its_quantity] = /^spei-account-quantity:([^:]+)$/.exec(workflowId) ?? [];
  if (its_quantity !== undefined) {
    return { kind: 'spei-account-quantity', app_id: its_quantity, out_trade_no: null, part: null };
  }
  const [, kind, app_id, rest] = /^([a-z-]+):([^:]*):(.*)$/s.exec(workflowId) ?? [];
  if (kind === undefined || app_id === undefined || rest === undefined) return undefined;
  if (kind === 'payment' || kind === 'after-sale') return { kind, app_id, out_trade_no: rest, part: null };
  return { kind, app_id, out_trade_no: null, part: rest };
}

/** The priority of a start: a task queue then serves the apps in turn, so a flood of one app's orders delays no other app. */
export const priorityOf = (workflowId: string) => ({ fairnessKey: namedByWorkflowId(workflowId)?.app_id ?? '' });

/** The kind of a workflow in words, such as `after-sale`; its type if it is not one of ours. */
export const kindOfWorkflow = ({ workflow_id, type }: { workflow_id: string; type: string }): string =>
  namedByWorkflowId(workflow_id)?.kind ?? type;

/** The id of the payment of a workflow's order, for each of the order's workflows; undefined if the workflow has no order. */
export function paymentBehind(workflowId: string): string | undefined {
  const [, subject = workflowId] = /^event-delivery:[^:]*:(payment:.*)$/s.exec(workflowId) ?? [];
  const named = namedByWorkflowId(subject);
  return named?.out_trade_no ? paymentWorkflowId(named.app_id, named.out_trade_no) : undefined;
}
