/**
 * webhook/: verifies the gateway's notifications, delivers them to Temporal, and only then acknowledges them. It may import
 * contract/, gateway/, process/ and temporal/.
 */
export { DEFAULT_LIMITS, type Limits } from '../process/webhook-limits';
export type { Answer } from './answers';
export { type HandlerOptions, webhookHandler, webhookMiddleware, webhookPlugin } from './mounts';
export { type WebhookLog, type WebhookOptions, webhookSettings } from './options';
export type { WebhookRequest } from './request';
export { type RunningWebhook, runWebhook, startWebhook } from './run';
export { type WebhookServerOptions, webhookServer } from './server';
export {
  type Decision,
  type IncomingNotification,
  type SignatureSettings,
  verifyNotification,
  type WebhookApp,
} from './verify-notification';
export { createWebhook, type Webhook } from './webhook';
