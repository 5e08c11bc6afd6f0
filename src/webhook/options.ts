/** What the endpoint is made from. */
import type { Client } from '@temporalio/client';
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
  /** Genuine notifications, and what follows from them, in traces. */
  telemetry?: Telemetry | undefined;
}
