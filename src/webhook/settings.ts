import type { Config } from '../process/settings';
import type { WebhookOptions } from './options';

/** The options of `createWebhook` that come from the settings. The caller adds a client and a log. */
export function webhookSettings(config: Config): Omit<WebhookOptions, 'client' | 'log'> {
  return {
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    apps: config.apps,
    signature: { header: config.GATEWAY_SIGNATURE_HEADER, scheme: config.GATEWAY_SIGNATURE_SCHEME },
    allowedIps: config.WEBHOOK_ALLOWED_IPS,
    trustedProxies: config.WEBHOOK_TRUSTED_PROXIES,
    ackTimeout: config.WEBHOOK_ACK_TIMEOUT,
    limits: {
      per_address: config.WEBHOOK_LIMIT_PER_ADDRESS,
      overall: config.WEBHOOK_LIMIT_OVERALL,
      adoptions: config.WEBHOOK_LIMIT_ADOPTIONS,
      in_flight: config.WEBHOOK_LIMIT_IN_FLIGHT,
      connections: config.WEBHOOK_LIMIT_CONNECTIONS,
      connections_per_address: config.WEBHOOK_LIMIT_CONNECTIONS_PER_ADDRESS,
    },
  };
}
