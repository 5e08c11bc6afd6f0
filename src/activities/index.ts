/** activities/: the gateway's operations as Temporal activities, and the only room through which a workflow reaches the network. */
export { type AccountActivitiesOptions, accountActivities } from './account-activities';
export { type BuyerOf, withBuyer } from './buyer';
export { eventActivity, type OnEvent } from './events';
export { type GatewayActivitiesOptions, gatewayActivities, logWarning } from './gateway-activities';
export type { AccountGateway, Gateway } from './gateways';
export { type CircuitListener, type Guard, guard, guarded, guardedAccounts, guardedBy, type Limits } from './guarded';
export { lateMoneyActivities } from './late-money';
export { buyerOfPayment, memoryActivities } from './memory';
export { type AccountPolicySettings, accountPolicyActivity, type PolicySettings, policyActivity } from './policy';
export { sealingKeys } from './sealing-keys';
