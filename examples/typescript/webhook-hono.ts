import { Client } from '@temporalio/client';
import { Hono } from 'hono';
import pino from 'pino';
import { loadConfig } from 'temporal-payment-gateway';
import { createWebhook, webhookHandler, webhookSettings } from 'temporal-payment-gateway/webhook';

export const app = new Hono();

const client = new Client();
const webhook = createWebhook({ ...webhookSettings(loadConfig(process.env)), client, log: pino() });
const ipn = webhookHandler(webhook);

// POST /ipn/{app_id}: the notify_url of your orders. An allow-list needs addressOf, the second argument of webhookHandler.
app.post('/ipn/:app_id', (context) => ipn(context.req.raw));
