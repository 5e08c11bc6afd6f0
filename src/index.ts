export type { OnEvent } from './activities';
export * from './client';
export { type Config, ConfigError, loadConfig } from './config';
export { PaymentGatewayPlugin } from './plugin';
export type { AccountEvent } from './workflows/account-contract';
export type { PaymentEvent } from './workflows/contract';
export type { MerchantEvent } from './workflows/events';
