/** activities/: the gateway's operations as Temporal activities, and the only room through which a workflow reaches the network. */
export { eventActivity, type OnEvent } from './events';
export { type Gateway, type GatewayActivitiesOptions, gatewayActivities, logWarning } from './gateway-activities';
export { type CircuitListener, guarded, type Limits } from './guarded';
export { type PolicySettings, policyActivity } from './policy';
