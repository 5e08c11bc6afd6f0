import { Client } from '@temporalio/client';
import Fastify from 'fastify';
import { loadConfig } from 'temporal-payment-gateway';
import { createWebhook, webhookPlugin, webhookSettings } from 'temporal-payment-gateway/webhook';

export const app = Fastify({ logger: true });

const client = new Client();
const webhook = createWebhook({ ...webhookSettings(loadConfig(process.env)), client, log: app.log });

// POST /payments/ipn/{app_id}: the notify_url of your orders. Your own routes keep their own parsers.
app.register(webhookPlugin(webhook), { prefix: '/payments' });
