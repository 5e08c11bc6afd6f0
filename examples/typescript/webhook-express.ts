import { Client } from '@temporalio/client';
import express from 'express';
import pino from 'pino';
import { loadConfig } from 'temporal-payment-gateway';
import { createWebhook, webhookMiddleware, webhookSettings } from 'temporal-payment-gateway/webhook';

export const app = express();

const client = new Client();
const webhook = createWebhook({ ...webhookSettings(loadConfig(process.env)), client, log: pino() });

// POST /ipn/{app_id}: the notify_url of your orders. Before express.json(): the signature is over the bytes as they came.
app.use('/ipn', webhookMiddleware(webhook));
app.use(express.json());
