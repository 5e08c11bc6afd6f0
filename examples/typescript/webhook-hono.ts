import { Hono } from 'hono';
import { webhookHandler } from 'temporal-payment-gateway/webhook';
import { webhook } from './webhook';

export const app = new Hono();

// POST /ipn/{app_id}: the notify_url of your orders. An allow-list needs addressOf, the second argument of webhookHandler.
const ipn = webhookHandler(webhook);
app.post('/ipn/:app_id', (context) => ipn(context.req.raw));
