/** webhook/: the one door to the outside. It verifies a notification, hands it to Temporal, and only then acknowledges it. */
export type { Answer } from './answers';
export { DEFAULT_LIMITS, type Limits } from './limits';
export { type HandlerOptions, webhookHandler, webhookMiddleware, webhookPlugin } from './mounts';
export {
  type Decision,
  type IncomingNotification,
  receive,
  type SignatureSettings,
  type WebhookApp,
} from './receive';
export { type RunningWebhook, runWebhook, startWebhook } from './run';
export { type WebhookServerOptions, webhookServer } from './server';
export { webhookSettings } from './settings';
export { signTestNotification, type TestNotification, type TestNotificationFields } from './test-notification';
export { createWebhook, type Webhook, type WebhookLog, type WebhookOptions, type WebhookRequest } from './webhook';
