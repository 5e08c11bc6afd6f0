/** Queries for lists of payments, in the language of Temporal's visibility store. */
import {
  type Attention,
  afterSaleWorkflowId,
  BEGUN_ANEW,
  ENDED_FROM_OUTSIDE,
  eventDeliveryWorkflowId,
  isTemporalAttention,
  NOT_CREATED_YET,
  nameDigest,
  paymentWorkflowId,
  reconciliationWorkflowId,
  SEARCH_ATTRIBUTE,
  STATUSES_WITH_MONEY,
  speiAccountQuantityWorkflowId,
  TEMPORALS_ATTRIBUTE,
  type TemporalAttention,
  WORKFLOW,
} from '../contract';
import { isSayable, NOT_CONTINUED, quoted } from './list-query';

/** Which workflows are looked for. Everything that is given must hold. */
export interface PaymentFilter {
  app_id?: string | undefined;
  /** Those that need a person, or only those for this reason. */
  attention?: true | string | undefined;
  /** Those that have waited for a person since this time or longer. */
  waits_since?: Date | undefined;
  /** Those that should have moved on this long ago, in ms: see {@link stuckQuery}. */
  stuck_ms?: number | undefined;
  taken_by?: string | undefined;
  method?: string | undefined;
  status?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  /** Those that somebody has ended from outside, instead of the open ones. */
  ended?: boolean | undefined;
  /** All open workflows that take the update `recheck`, instead of payments alone: unless it asks for what waits, of any kind. */
  open?: boolean | undefined;
  /** More of the query, as a person writes it. */
  query?: string | undefined;
}

/** Workflows that take the update `recheck`: a delivery tries its events again, each of the others asks the gateway. */
const FOLLOWED = [
  ...[WORKFLOW.payment, WORKFLOW.afterSale, WORKFLOW.eventDelivery],
  ...[WORKFLOW.speiAccount, WORKFLOW.speiAccountQuantity],
];
const RUNNING = "ExecutionStatus = 'Running'";

/** The query for a filter. `now` is what `stuck_ms` counts back from. */
export function paymentQuery(filter: PaymentFilter, now: Date): string {
  const { open = false } = filter;
  const { attentionSince, takenBy, method, status } = SEARCH_ATTRIBUTE;
  return [
    ...(isTrouble(filter) ? [] : [typesQuery(open ? FOLLOWED : [WORKFLOW.payment])]),
    stateQuery(filter, now),
    ...given(filter.ended && filter.attention === true ? ENDED_FROM_OUTSIDE : filter.attention, attentionQuery),
    ...given(filter.waits_since, (time) => `${attentionSince.name} <= ${at(time)}`),
    ...given(filter.stuck_ms, (ms) => `(${stuckQuery(ms, now)})`),
    ...given(filter.taken_by, (person) => `${takenBy.name} = ${quoted(person)}`),
    ...given(filter.method, (name) => `${method.name} = ${quoted(name)}`),
    ...given(filter.status, (name) => `${status.name} = ${quoted(name)}`),
    ...given(filter.since, (time) => `StartTime >= ${at(time)}`),
    ...given(filter.until, (time) => `StartTime < ${at(time)}`),
    ...given(filter.query, (more) => `(${more})`),
    ...given(filter.app_id, (app_id) => `(${ofApp(app_id)})`),
  ].join(' AND ');
}

const given = <T>(value: T | undefined, part: (value: T) => string) => (value === undefined ? [] : [part(value)]);
const at = (time: Date) => quoted(time.toISOString());

/** Whether it asks for open workflows of any kind that wait for something, not for payments alone. */
export const isTrouble = ({ attention, stuck_ms, taken_by }: PaymentFilter): boolean =>
  attention !== undefined || stuck_ms !== undefined || taken_by !== undefined;

function stateQuery(filter: PaymentFilter, now: Date): string {
  const { attention, ended, open = false } = filter;
  if (ended || attention === ENDED_FROM_OUTSIDE) return endedLately(now);
  return isTrouble(filter) || open ? RUNNING : NOT_CONTINUED;
}

/** Workflows that ended longer ago than this, in ms, are not looked for any more. */
const ENDED_WITHIN_MS = 30 * 86_400_000;

/** Somebody, or their parent, has ended them from outside. */
const endedSince = (time: Date) => `ExecutionStatus IN ('Terminated', 'TimedOut') AND CloseTime >= ${at(time)}`;

const endedLately = (now: Date) => endedSince(new Date(now.getTime() - ENDED_WITHIN_MS));

/**
 * Workflows of one app: the kind and the app are the beginning of the id. The id of a delivery begins with its address, so deliveries of
 * every app are found: `listWorkflows` leaves out those of other apps.
 */
function ofApp(app_id: string): string {
  const kinds = ['payment', 'after-sale', 'app-attention', 'stray-notification', 'spei-account', 'reconciliation'];
  const beginnings = [...kinds, 'create-spei-account'].map((kind) => quoted(`${kind}:${app_id}:`));
  return [
    ...beginnings.map((beginning) => `WorkflowId STARTS_WITH ${beginning}`),
    `WorkflowId = ${quoted(speiAccountQuantityWorkflowId(app_id))}`,
    typesQuery([WORKFLOW.eventDelivery]),
  ].join(' OR ');
}

function typesQuery(types: readonly string[]): string {
  return `WorkflowType IN (${types.map(quoted).join(', ')})`;
}

/** The queries for Temporal's own reasons. They name our types, because merchants' own workflows may run in the namespace, too. */
const TEMPORAL_SAYS: Readonly<Record<TemporalAttention, string>> = {
  'failing-tasks': `${typesQuery(Object.values(WORKFLOW))} AND ${TEMPORALS_ATTRIBUTE.problems.name} IS NOT NULL`,
  'ended-from-outside': [
    typesQuery(Object.values(WORKFLOW)),
    ...BEGUN_ANEW.map((kind) => `WorkflowId NOT STARTS_WITH ${quoted(kind)}`),
  ].join(' AND '),
  'paused-activity': `${typesQuery(Object.values(WORKFLOW))} AND ${TEMPORALS_ATTRIBUTE.paused.name} IS NOT NULL`,
};
const HELD_UP = [TEMPORAL_SAYS['failing-tasks'], TEMPORAL_SAYS['paused-activity']].map((one) => `(${one})`);

function attentionQuery(attention: true | string): string {
  const { name } = SEARCH_ATTRIBUTE.attention;
  if (attention === true) return `(${[`${name} IS NOT NULL`, ...HELD_UP].join(' OR ')})`;
  return isTemporalAttention(attention) ? TEMPORAL_SAYS[attention] : `${name} = ${quoted(attention)}`;
}

/** Reconciliations of an app that began at this time or later. */
export function reconciliationsQuery(app_id: string, since: Date): string {
  const its = `WorkflowId STARTS_WITH ${quoted(reconciliationWorkflowId(app_id, ''))}`;
  return `${typesQuery([WORKFLOW.reconciliation])} AND ${its} AND StartTime >= ${at(since)}`;
}

/** Orders that somebody, or their parent, has ended from outside, at this time or later. */
export const terminatedQuery = (since: Date) => `${typesQuery([WORKFLOW.payment])} AND ${endedSince(since)}`;

/**
 * Open payments that should have moved on for at least `ms`: the order's time is over, or the gateway has not taken the
 * order, or no worker has ever taken the payment; and our workflows of which Temporal itself says that they cannot go on.
 */
function stuckQuery(ms: number, now: Date): string {
  const before = at(new Date(now.getTime() - ms));
  const payments = `WorkflowType = '${WORKFLOW.payment}'`;
  const { expiresAt, status } = SEARCH_ATTRIBUTE;
  return [
    `${payments} AND ${expiresAt.name} < ${before}`,
    `${payments} AND ${status.name} = ${quoted(NOT_CREATED_YET)} AND StartTime < ${before}`,
    `${payments} AND ${status.name} IS NULL AND StartTime < ${before}`,
    ...HELD_UP.map((one) => `${one} AND StartTime < ${before}`),
  ]
    .map((one) => `(${one})`)
    .join(' OR ');
}

/** The workflows that handle an order's money: each change of it begins or ends one of these. */
const OF_ORDERS = [WORKFLOW.payment, WORKFLOW.afterSale];

export const ofOrdersQuery = typesQuery(OF_ORDERS);

/** The workflows of orders of any other app than these. */
export function ordersBesideQuery(app_ids: readonly string[]): string {
  const others = app_ids
    .filter(isSayable)
    .flatMap((app_id) => [paymentWorkflowId(app_id, ''), afterSaleWorkflowId(app_id, '')]);
  return [ofOrdersQuery, ...others.map((beginning) => `WorkflowId NOT STARTS_WITH ${quoted(beginning)}`)].join(' AND ');
}

/**
 * Orders that ended without a sale and wait for no person, if the trade shows money or a person decided the end; and orders that were perhaps
 * paid twice.
 */
export function owedQuery(app_id?: string): string {
  const { outcome, status, attention, decidedBy } = SEARCH_ATTRIBUTE;
  const isPaid = `(${status.name} IN (${STATUSES_WITH_MONEY.map(quoted).join(', ')}) OR ${decidedBy.name} IS NOT NULL)`;
  const isUnsold = `${outcome.name} IS NOT NULL AND ${outcome.name} != 'SUCCESS'`;
  const isCanceled = `${isUnsold} AND ${isPaid} AND ${attention.name} IS NULL`;
  const isTwice = `${RUNNING} AND ${attentionQuery('second-trade' satisfies Attention)}`;
  const owed = `${ofOrdersQuery} AND ${NOT_CONTINUED} AND ((${isCanceled}) OR (${isTwice}))`;
  return app_id === undefined ? owed : `${owed} AND (${ofApp(app_id)})`;
}

/** A period: from `since` until before `until`. */
export interface Period {
  since: Date;
  until: Date;
}

const openWithin = ({ since, until }: Period) =>
  `StartTime < ${at(until)} AND (${RUNNING} OR CloseTime >= ${at(since)})`;

/** The workflows of an app's orders that were open at a time in the period. */
export const openWithinQuery = ({ app_id, ...period }: Period & { app_id: string }) =>
  `${ofOrdersQuery} AND ${openWithin(period)} AND (${ofApp(app_id)})`;

export const begunWithinQuery = ({ app_id, since, until }: Period & { app_id: string }) =>
  `${ofOrdersQuery} AND StartTime >= ${at(since)} AND StartTime < ${at(until)} AND (${ofApp(app_id)})`;

/** Workflows whose search attributes show who has decided on them or taken them on. */
const SHOWS_WHO = [...OF_ORDERS, ...[WORKFLOW.speiAccount, WORKFLOW.createSpeiAccount, WORKFLOW.speiAccountQuantity]];

const DECIDED_ON = [WORKFLOW.appAttention, WORKFLOW.strayNotification, WORKFLOW.reconciliation];

/** Workflows that were open in the period and that a person may have taken on, resolved, canceled or terminated. A canceled order was not made. */
export function decidedQuery(period: Period): string {
  const { decidedBy, takenBy } = SEARCH_ATTRIBUTE;
  const isDecided = `${decidedBy.name} IS NOT NULL OR ${takenBy.name} IS NOT NULL OR ExecutionStatus IN ('Terminated', 'Failed')`;
  return `${openWithin(period)} AND ((${typesQuery(SHOWS_WHO)} AND (${isDecided})) OR ${typesQuery(DECIDED_ON)})`;
}

/** Every run of a payment and of what belongs to its order. Callers check the id of what is found. */
export function orderQuery(app_id: string, out_trade_no: string): string {
  const odd = out_trade_no.search(/[\\"']/);
  const number = odd < 0 ? out_trade_no : out_trade_no.slice(0, odd);
  return ['payment', 'after-sale']
    .map((kind) => `WorkflowId STARTS_WITH ${quoted(`${kind}:${app_id}:${number}`)}`)
    .join(' OR ');
}

/** All deliveries of events that are open. */
export const openDeliveriesQuery = `${typesQuery([WORKFLOW.eventDelivery])} AND ${RUNNING}`;

/** The deliveries to this address that it has taken events of: a delivery ends, or goes on in a next run, only after that. */
export const takenQuery = (endpoint: string) =>
  `${typesQuery([WORKFLOW.eventDelivery])} AND WorkflowId STARTS_WITH ${quoted(eventDeliveryWorkflowId(endpoint, ''))} AND ExecutionStatus IN ('Completed', 'ContinuedAsNew')`;

/** The deliveries of the events of this payment or account, and of its after-sale, that are open or were ended from outside. */
export function deliveriesQuery(subject: string, now: Date): string {
  const its = `${SEARCH_ATTRIBUTE.names.name} = ${quoted(nameDigest('subject', subject))}`;
  return `${typesQuery([WORKFLOW.eventDelivery])} AND ${its} AND (${RUNNING} OR (${endedLately(now)}))`;
}

/** The workflows of orders that have this trade at the gateway. Callers check the app. */
export function tradeQuery(trade_no: string): string {
  return `${ofOrdersQuery} AND ${SEARCH_ATTRIBUTE.tradeNo.name} = ${quoted(trade_no)}`;
}
