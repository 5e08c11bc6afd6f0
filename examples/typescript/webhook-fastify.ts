import Fastify from 'fastify';
import { webhookPlugin } from 'temporal-payment-gateway/webhook';
import { webhook } from './webhook';

export const app = Fastify();

// POST /payments/ipn/{app_id}: the notify_url of your orders. Your own routes keep their own parsers.
app.register(webhookPlugin(webhook), { prefix: '/payments' });
