import type { Config } from '../config';
import type { WebhookOptions } from './webhook';

/** What the settings say of the endpoint; a client and a log make it whole for {@link createWebhook}. */
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
    },
  };
}
