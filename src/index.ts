import './temporal/requires-worker';

export type { OnEvent } from './activities';
export * from './client';
export type { AccountEvent, MerchantEvent, PaymentEvent, SweepEvent } from './contract';
export { PaymentGatewayPlugin } from './plugin';
export { type Config, ConfigError, loadConfig } from './process/settings';
