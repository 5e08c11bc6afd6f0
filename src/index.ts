export * from './client';
export { type Config, ConfigError, loadConfig } from './config';
export { PaymentGatewayPlugin } from './plugin';
