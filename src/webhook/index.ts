/** webhook/: the one door to the outside. It verifies a notification, hands it to Temporal, and only then acknowledges it. */
export { type Decision, type IncomingNotification, receive, type WebhookApp } from './receive';
export { type RunningWebhook, runWebhook, startWebhook } from './run';
export { type WebhookOptions, webhookServer } from './server';
