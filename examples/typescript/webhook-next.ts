// In Next.js: app/ipn/[app_id]/route.ts
import { Client } from '@temporalio/client';
import pino from 'pino';
import { loadConfig } from 'temporal-payment-gateway';
import { createWebhook, webhookHandler, webhookSettings } from 'temporal-payment-gateway/webhook';

/** Temporal's client needs Node's own runtime, not the edge. */
export const runtime = 'nodejs';

const client = new Client();
const webhook = createWebhook({ ...webhookSettings(loadConfig(process.env)), client, log: pino() });

/** POST /ipn/{app_id}: the notify_url of your orders. Name here the header in which your platform says who sends. */
export const POST = webhookHandler(webhook, { addressOf: (request) => request.headers.get('x-real-ip') ?? undefined });
