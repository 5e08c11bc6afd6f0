/**
 * The payment activities of a worker: each is one call of the gateway. An activity fails with a retryable failure only if
 * the call may be made again; every other result is returned, and the workflow decides.
 */
import { activityInfo, log } from '@temporalio/activity';
import type { GatewayActivities } from '../contract';
import type { Warning } from '../gateway';
import { NO_SUCH_ORDER } from '../gateway/refusals';
import { createOrder, type OrderOptions } from './create-order';
import { gatewayOf, type PaymentGateway } from './gateways';
import { type BuyerOf, makeRefund } from './make-refund';
import { forRun } from './own-run';
import { findTrade, lookAtTrade, tradeAtAGlance, watchTrade } from './trade-queries';
import { Unnotified } from './unnotified';

export interface GatewayActivitiesOptions extends OrderOptions {
  gateways: ReadonlyMap<string, PaymentGateway>;
  /** The gateway's codes for "no such order": each a `sub_code`, or a `code` without one. Default {@link NO_SUCH_ORDER}. */
  noSuchOrder?: readonly string[];
  /** Finds what a payment knows about its buyer, for refunds that leave it out. */
  buyerOf?: BuyerOf;
}

export function gatewayActivities(options: GatewayActivitiesOptions): GatewayActivities {
  const { buyerOf = async () => ({}), noSuchOrder = NO_SUCH_ORDER } = options;
  const noSuchOrderWords = new Set(noSuchOrder);
  const unnotified = new Unnotified((message, of) => log.warn(message, of));
  const gatewayFor = (app_id: string) => gatewayOf(options.gateways, app_id);
  const sourceFor = (app_id: string) => ({ gateway: gatewayFor(app_id), noSuchOrderWords });
  return {
    'gateway.create': forRun((payment) => createOrder(() => gatewayFor(payment.app_id), payment, options)),
    'gateway.refund': forRun((refund) =>
      makeRefund(() => gatewayFor(refund.app_id), refund, buyerOf, noSuchOrderWords),
    ),
    'gateway.look': forRun((look) => lookAtTrade(sourceFor(look.app_id), look)),
    'gateway.glance': forRun(async ({ app_id, ...glance }) => {
      const trade = await tradeAtAGlance(sourceFor(app_id), glance);
      unnotified.byLook(app_id, trade?.trade_status);
      return trade;
    }),
    'gateway.find': forRun(({ app_id, ...search }) => findTrade(sourceFor(app_id), search)),
    'gateway.watch': forRun(async ({ app_id, ...watch }) => {
      const trade = await watchTrade(sourceFor(app_id), watch);
      unnotified.byPoll(app_id, trade?.trade_status);
      return trade;
    }),
  };
}

/** Logs, once per activity, what the gateway may refuse in a request: fields and rules, never the values. */
export function logWarning({ operation, out_trade_no, issues }: Warning): void {
  if (activityInfo().attempt > 1) return;
  log.warn('a request looks wrong by the rules of its country or method; it is sent anyway', {
    operation,
    out_trade_no,
    issues: issues.map(({ field, rule }) => `${field}: ${rule}`),
  });
}
