/**
 * The gateway's operations as activities: the only door from a workflow to the network. Each says what may be repeated:
 * a retryable failure here makes the server call again, at the time that the failure names.
 */
import { activityInfo, heartbeat, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { JWK } from 'jose';
import {
  GatewayError,
  InvalidRequestError,
  open,
  parseCheckout,
  parseDirectPayment,
  type RuleSettings,
  SealingError,
  type Trade,
  type Warning,
} from '../gateway';
import { isDuplicate } from '../gateway/refusals';
import { isSealed, SECRET_FIELDS, type SecretField } from '../gateway/sealing';
import type { CreateResult, FindInput, GatewayActivities, RefundResult, WatchInput } from '../workflows/activities';
import type { NewPayment } from '../workflows/contract';
import { gapBeforeLook } from '../workflows/deadlines';
import { BareSecretError, demandToken, refuseBareSecrets } from './bare-secrets';
import { type BuyerOf, withBuyer } from './buyer';
import { heldBackFor, isAnswer, later, notCreated, refusedHere, tryAgain } from './failures';
import { type Gateway, gatewayOf } from './gateways';
import { HeldBackError } from './guarded';

export interface GatewayActivitiesOptions {
  /** The gateway by app_id. */
  gateways: ReadonlyMap<string, Gateway>;
  /** The private keys that open sealed secrets now; the first one that fits is taken. */
  sealingKeys: () => readonly JWK[];
  /** The webhook's public address: where an order without `notify_url` is notified. */
  notifyUrl: ((app_id: string) => string) | undefined;
  /** How orders are checked; each setting has a default. */
  rules?: Partial<RuleSettings>;
  /** What a payment knows of its buyer, for refunds that leave it out. */
  buyerOf?: BuyerOf;
}

/** Looks for an order that may exist are this far apart at first, and at the most, in ms. */
const LOOK_EVERY_MS = 5_000;
const LOOK_AT_LEAST_EVERY_MS = 30 * 60_000;

/** The gateway's activities of a worker. */
export function gatewayActivities({
  gateways,
  sealingKeys,
  notifyUrl,
  rules = {},
  buyerOf = async () => ({}),
}: GatewayActivitiesOptions): GatewayActivities {
  const gatewayFor = (app_id: string) => gatewayOf(gateways, app_id, 'payment');

  return {
    async 'gateway.create'(input) {
      const gateway = gatewayFor(input.app_id);
      const { attempt } = activityInfo();
      try {
        refuseBareSecrets(input, () => check(withNotifyUrl(input, notifyUrl), rules));
        const order = await openSecrets(withNotifyUrl(input, notifyUrl), sealingKeys(), rules);
        const answer = await (input.kind === 'direct' ? gateway.pay(order) : gateway.createCheckout(order));
        return { is: 'created', answer };
      } catch (error) {
        return creationFailed(error, attempt);
      }
    },

    async 'gateway.refund'(input) {
      const gateway = gatewayFor(input.app_id);
      const { attempt } = activityInfo();
      const { order_amount, method } = input.trade;
      try {
        const request = withBuyer(input.request, await buyerOf(input));
        const answer = await gateway.refund({ ...input.id, ...request }, { order_amount, method: method ?? undefined });
        return { is: 'accepted', answer };
      } catch (error) {
        return refundFailed(error, attempt);
      }
    },

    'gateway.query': ({ app_id, id }) => query(gatewayFor(app_id), id),

    'gateway.find': ({ app_id, id, settling_ms }) => find(gatewayFor(app_id), id, settling_ms),

    'gateway.settle': ({ app_id, id, seen, settling_ms }) => settle(gatewayFor(app_id), id, seen, settling_ms),

    'gateway.watch': ({ app_id, id, seen, schedule }) => watch(gatewayFor(app_id), id, seen, schedule),
  };
}

/** Tells, once an activity, what the gateway may not like of a request: fields and rules, never what the fields hold. */
export function logWarning({ operation, out_trade_no, issues }: Warning): void {
  if (activityInfo().attempt > 1) return;
  log.warn('a request looks wrong to the rules of its country or method; it is sent all the same', {
    operation,
    out_trade_no,
    issues: issues.map(({ field, rule }) => `${field}: ${rule}`),
  });
}

/** What a failed creation means. Throws only where the gateway certainly has no order and may be asked again. */
function creationFailed(error: unknown, attempt: number): CreateResult {
  if (error instanceof SealingError) throw refusedHere(error.message, []);
  if (error instanceof BareSecretError) throw refusedHere(error.message, error.issues, error.attention);
  if (error instanceof InvalidRequestError) throw refusedHere(error.message, error.issues);
  if (!(error instanceof GatewayError)) throw error;
  const { message } = error;
  const fields = error.fields();
  if (isDuplicate(fields)) return { is: 'duplicate', error: fields, message, attempt };
  switch (error.outcome) {
    case 'created-refused':
      return { is: 'created-refused', error: fields, message };
    case 'unknown':
      log.warn('the outcome of a creation is unknown', { ...fields });
      return { is: 'unknown', error: fields, message };
    case 'not-sent':
    case 'not-created':
      return notCreated(error);
  }
}

/** What a failed refund means. Throws only where there certainly is none and it may be asked for again. */
function refundFailed(error: unknown, attempt: number): RefundResult {
  if (error instanceof InvalidRequestError) throw refusedHere(error.message, error.issues);
  if (!(error instanceof GatewayError)) throw error;
  const { message } = error;
  const fields = error.fields();
  if (isDuplicate(fields, 'refund')) return { is: 'duplicate', error: fields, message, attempt };
  if (error.outcome === 'not-sent' || error.outcome === 'not-created') return notCreated(error);
  log.warn('the outcome of a refund is unknown', { ...fields });
  return { is: 'unknown', error: fields, message };
}

/** What the gateway says of a trade, without what no decision needs: it may be the buyer's data, and histories keep it. */
async function ask(gateway: Gateway, id: FindInput['id']): Promise<Trade> {
  const { answer: _whole, ...trade } = await gateway.query(id);
  return trade;
}

async function query(gateway: Gateway, id: FindInput['id']): Promise<Trade> {
  try {
    return await ask(gateway, id);
  } catch (error) {
    throw tryAgain(error);
  }
}

/** A trade that may exist; null once the gateway has kept answering "no such order" for the settling time. */
async function find(gateway: Gateway, id: FindInput['id'], settling_ms: number | undefined): Promise<Trade | null> {
  try {
    return await ask(gateway, id);
  } catch (error) {
    if (!isAnswer(error)) throw tryAgain(error);
    // Kept in the heartbeat, which the next attempt gets: only answers count, not looks that brought none.
    const waited_ms = Number(activityInfo().heartbeatDetails ?? 0);
    if (settling_ms !== undefined && waited_ms >= settling_ms) return null;
    const gap = gapBeforeNextSearch(waited_ms);
    heartbeat(waited_ms + gap);
    throw later(error.message, gap);
  }
}

/** The trade once its status is another than `seen`, or once the gateway has kept answering `seen` for the settling time. */
async function settle(gateway: Gateway, id: FindInput['id'], seen: string, settling_ms: number): Promise<Trade> {
  const trade = await query(gateway, id);
  // As for a search: only answers count.
  const waited_ms = Number(activityInfo().heartbeatDetails ?? 0);
  if (trade.trade_status !== seen || waited_ms >= settling_ms) return trade;
  const gap = Math.min(LOOK_EVERY_MS, settling_ms);
  heartbeat(waited_ms + gap);
  throw later(`still ${seen}`, gap);
}

/** An order is mostly known within seconds of its creation. One that is not found for long is looked for ever less often. */
function gapBeforeNextSearch(waited_ms: number): number {
  return Math.min(Math.max(LOOK_EVERY_MS, waited_ms / 4), LOOK_AT_LEAST_EVERY_MS);
}

/** The trade once its status is another than `seen`; until then the server is told when to ask again. */
async function watch(
  gateway: Gateway,
  id: WatchInput['id'],
  seen: string | null,
  schedule: WatchInput['schedule'],
): Promise<Trade> {
  const { attempt } = activityInfo();
  const delay = gapBeforeLook(attempt - 1, schedule);
  // The first attempt only starts the schedule: what there is to know now has just been asked.
  if (attempt === 1) throw later('watching', delay);
  try {
    const trade = await ask(gateway, id);
    if (trade.trade_status !== seen) return trade;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw ApplicationFailure.create({
      type: 'GatewayUnavailable',
      message,
      nextRetryDelay: error instanceof HeldBackError ? heldBackFor(error) : delay,
    });
  }
  throw later(`still ${seen}`, delay);
}

function withNotifyUrl({ app_id, kind, request }: NewPayment, notifyUrl: GatewayActivitiesOptions['notifyUrl']) {
  const order = { notify_url: notifyUrl?.(app_id), ...request };
  if (order.notify_url === undefined) {
    throw new InvalidRequestError(kind === 'direct' ? '/trade/pay' : '/trade/create', [
      { field: 'notify_url', rule: 'required, because WEBHOOK_PUBLIC_URL is not set' },
    ]);
  }
  return { app_id, kind, order };
}

/** Throws InvalidRequestError naming every fault of the order. */
function check(
  { kind, order }: Pick<ReturnType<typeof withNotifyUrl>, 'kind' | 'order'>,
  rules: Partial<RuleSettings>,
) {
  if (kind === 'checkout') parseCheckout(order, rules);
  else parseDirectPayment(order, rules);
}

/** The order with its secrets bare, in this process's memory only. */
async function openSecrets(
  { app_id, kind, order }: ReturnType<typeof withNotifyUrl>,
  keys: readonly JWK[],
  rules: Partial<RuleSettings>,
): Promise<Record<string, unknown>> {
  if (kind === 'checkout') return parseCheckout(order, rules);
  // Named before anything is opened, so that a wrong order is refused with every one of its faults.
  const parsed = parseDirectPayment(order, rules);
  const opened: Partial<Record<SecretField, string>> = {};
  for (const name of SECRET_FIELDS) {
    const value = parsed[name];
    if (isSealed(value)) opened[name] = await open(value, keys, { app_id, out_trade_no: parsed.out_trade_no });
  }
  demandToken(opened, parsed.out_trade_no);
  return { ...parsed, ...opened };
}
