import express from 'express';
import { webhookMiddleware } from 'temporal-payment-gateway/webhook';
import { webhook } from './webhook';

export const app = express();

// POST /ipn/{app_id}: the notify_url of your orders. Before express.json(): the signature is over the bytes as they came.
app.use('/ipn', webhookMiddleware(webhook));
app.use(express.json());
