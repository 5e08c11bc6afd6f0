// In Next.js: app/ipn/[app_id]/route.ts
import { webhookHandler } from 'temporal-payment-gateway/webhook';
import { webhook } from './webhook';

/** Temporal's client needs Node's own runtime, not the edge. */
export const runtime = 'nodejs';

/** POST /ipn/{app_id}: the notify_url of your orders. Name here the header in which your platform says who sends. */
export const POST = webhookHandler(webhook, { addressOf: (request) => request.headers.get('x-real-ip') ?? undefined });
