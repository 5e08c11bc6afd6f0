/** The options of the endpoint, and those of them that come from the settings. */
import type { Client } from '@temporalio/client';
import type { Config } from '../process/settings';
import type { Limits } from '../process/webhook-limits';
import type { Telemetry } from '../temporal/telemetry/telemetry';
import type { SignatureSettings, WebhookApp } from './verify-notification';

/** The part of a log that the endpoint uses: pino's, Fastify's, or three functions around `console`. */
export interface WebhookLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface WebhookOptions {
  client: Client;
  taskQueue: string;
  apps: readonly WebhookApp[];
  signature: SignatureSettings;
  log: WebhookLog;
  /** Networks that may send, in CIDR notation. Without them every address may send; the signature is always checked. */
  allowedIps?: readonly string[] | undefined;
  /** Networks of proxies whose `X-Forwarded-For` is believed. Default: none. */
  trustedProxies?: readonly string[] | undefined;
  /** The longest time until a notification is answered, in ms, even if Temporal is slower. Default: 5,000. */
  ackTimeout?: number | undefined;
  limits?: Partial<Limits> | undefined;
  /** Traces genuine notifications and what follows from them. */
  telemetry?: Telemetry | undefined;
}

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
