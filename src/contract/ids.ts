/** The ids of workflows. No other file makes them. */
import type { Attention } from './attention';
import type { TradeId } from './gateway';

/** The workflow id is the idempotency key: one order, one workflow. */
export const paymentWorkflowId = (app_id: string, out_trade_no: string) => `payment:${app_id}:${out_trade_no}`;
export const afterSaleWorkflowId = (app_id: string, out_trade_no: string) => `after-sale:${app_id}:${out_trade_no}`;
/** One for all orders of the app that failed by the same reason. */
export const appAttentionWorkflowId = (app_id: string, attention: Attention) => `app-attention:${app_id}:${attention}`;
export const strayNotificationWorkflowId = (app_id: string, digest: string) => `stray-notification:${app_id}:${digest}`;

export const speiAccountWorkflowId = (app_id: string, account_id: string) => `spei-account:${app_id}:${account_id}`;
/** `key` is the merchant's own name for the account: one key, one account. */
export const createSpeiAccountWorkflowId = (app_id: string, key: string) => `create-spei-account:${app_id}:${key}`;
export const speiAccountQuantityWorkflowId = (app_id: string) => `spei-account-quantity:${app_id}`;

/** `part` tells questions of one kind apart; those with the same one are the same question. */
export const lookupWorkflowId = (app_id: string, type: string, part: string) => `lookup:${app_id}:${type}:${part}`;

/** `period` tells the reconciliations of an app apart; the one that a Schedule starts has its time. */
export const reconciliationWorkflowId = (app_id: string, period: string) => `reconciliation:${app_id}:${period}`;

/** One sweep looks at all payments of a namespace. */
export const STUCK_SWEEP_WORKFLOW_ID = 'stuck-sweep';

/** The types of our workflows as their ids begin. */
const PREFIXES = [
  ...['payment', 'after-sale', 'app-attention', 'stray-notification', 'event-delivery', 'lookup'],
  ...['spei-account', 'create-spei-account', 'spei-account-quantity', 'reconciliation'],
];

/** Whether a workflow of this id is one of ours. */
export const isOurWorkflow = (workflowId: string) =>
  workflowId.startsWith(STUCK_SWEEP_WORKFLOW_ID) || PREFIXES.includes(workflowId.split(':', 1)[0] ?? '');

/** What Temporal puts after the id of a workflow that a schedule starts: the time that it was due, in UTC. */
const DUE_TIME = /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;

/** The id that a schedule was given for what it starts, and when this run was due; undefined where no schedule started it. */
export function scheduledRun(workflowId: string): { base_id: string; due: string } | undefined {
  const [suffix, due] = DUE_TIME.exec(workflowId) ?? [];
  return suffix === undefined || due === undefined ? undefined : { base_id: workflowId.slice(0, -suffix.length), due };
}

/** Whether a workflow is one of our own that a schedule starts. No order, refund or account has such an id. */
export const isScheduledJob = (workflowId: string) =>
  scheduledRun(workflowId) !== undefined && SCHEDULED_KINDS.includes(namedByWorkflowId(workflowId)?.kind ?? '');

const SCHEDULED_KINDS = [STUCK_SWEEP_WORKFLOW_ID, 'reconciliation'];

/** What one address, or the handler, gets of one stream of events: those of a payment, or of one run. */
export const eventDeliveryWorkflowId = (endpoint: string, stream: string) => `event-delivery:${endpoint}:${stream}`;

/** The stream of a delivery, by its workflow id; undefined where that is of another kind. */
export const deliveredStream = (workflowId: string) => /^event-delivery:[^:]*:(.+)$/su.exec(workflowId)?.[1];

/** The stream of what one run tells: its events need no order among those of other runs. */
export const runStream = ({ workflowId, runId }: { workflowId: string; runId: string }) => `${workflowId}:${runId}`;

/** The ids of a trade that are known, as the gateway is asked for it. */
export function knownIds({ trade_no, out_trade_no }: KnownIds): TradeId {
  return { ...(trade_no === null ? {} : { trade_no }), ...(out_trade_no === null ? {} : { out_trade_no }) };
}

interface KnownIds {
  readonly trade_no: string | null;
  readonly out_trade_no: string | null;
}

/** What the id of one of our workflows names. `part` is what follows the order's number, where something does. */
export interface NamedByWorkflowId {
  kind: string;
  app_id: string;
  out_trade_no: string | null;
  part: string | null;
}

/** Reads the id of a workflow; undefined for one that is not made here. An order's number may hold colons. */
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

/** What a workflow is started with, so that a task queue serves the apps by turns: a flood of one app's orders holds up no other's. */
export const priorityOf = (workflowId: string) => ({ fairnessKey: namedByWorkflowId(workflowId)?.app_id ?? '' });

/** What people call a workflow's kind, such as `after-sale`; its type where it is not one of ours. */
export const kindOfWorkflow = ({ workflow_id, type }: { workflow_id: string; type: string }): string =>
  namedByWorkflowId(workflow_id)?.kind ?? type;

/** The payment of the order that a workflow works for, whichever of the order's workflows it is; undefined for one of no order. */
export function paymentBehind(workflowId: string): string | undefined {
  const [, subject = workflowId] = /^event-delivery:[^:]*:(payment:.*)$/s.exec(workflowId) ?? [];
  const named = namedByWorkflowId(subject);
  return named?.out_trade_no ? paymentWorkflowId(named.app_id, named.out_trade_no) : undefined;
}
