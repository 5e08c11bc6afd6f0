/**
 * activities/: the gateway's operations as Temporal activities. Workflows reach the network only through this room. It
 * imports contract/, gateway/, temporal/ and the settings of process/.
 */
export { accountActivities } from './account';
export { starterActivities } from './created';
export { type EventEndpoints, endpointActivities } from './event-endpoints';
export type { AccountGateway, PaymentGateway } from './gateways';
export { lookupActivities } from './lookups';
export { eventActivity, listenersOf, type OnEvent, saidOfListeners } from './on-event';
export { gatewayActivities, logWarning } from './payment';
export { accountPolicyOf, notAtOnce, policyActivity } from './policy';
export { buyerOfPayment, previousRunActivities } from './previous-run';
export { reconciliationActivities } from './reconcile';
export { MeasuredActivities } from './recorder';
export { sealingKeys } from './sealing-keys';
export { SendingBorder, SendingCodec } from './send-once';
export { stuckSweepActivities } from './stuck-sweep';
export { type ThrottleListener, throttled } from './throttle';
export { atSimulatedTime } from './time';
export { tracedExchange } from './traced-gateway';
export { urgencyOfActivity } from './urgency';
