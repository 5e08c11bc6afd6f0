/** The activities of payments and after-sales, with their retry options. */

import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { GatewayActivities, LatePaymentActivities, LocalActivities, PreviousRunActivities } from '../../contract';
import { CREATING, QUERYING, WATCHING } from './activity-options';

/** A request that is under way is waited for, even if nobody wants it any more: only its end tells whether it was sent. */
const sending = proxyActivities<GatewayActivities>({
  ...CREATING,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
const creating = proxyActivities<GatewayActivities>(CREATING);
const querying = proxyActivities<GatewayActivities>(QUERYING);
const watching = proxyActivities<GatewayActivities>(WATCHING);

/** The gateway's operations on a trade. */
export const gateway = {
  createOrder: sending['gateway.create'],
  requestRefund: creating['gateway.refund'],
  lookAtTrade: querying['gateway.look'],
  queryTrade: querying['gateway.query'],
  searchTrade: querying['gateway.find'],
  settleTrade: querying['gateway.settle'],
  watchTrade: watching['gateway.watch'],
};

export const {
  'payments.knownBefore': loadPreviousRun,
  'payments.earlierRun': loadEarlierRun,
  'payments.latestRun': loadLatestRun,
  'payments.orderBefore': loadOrderBefore,
} = proxyActivities<PreviousRunActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

export const { 'payments.refundLate': requestLatePaymentRefund } = proxyActivities<LatePaymentActivities>({
  startToCloseTimeout: '2 minutes',
  scheduleToCloseTimeout: '1 day',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '2 minutes' },
});

export const { 'gateway.policy': loadPolicy } = proxyLocalActivities<LocalActivities>({
  startToCloseTimeout: '10 seconds',
});
