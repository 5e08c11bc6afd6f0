import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { loadConfig, PaymentGatewayPlugin } from 'temporal-payment-gateway';
import { createWebhook, webhookSettings } from 'temporal-payment-gateway/webhook';

// Settings from the environment, as `payment-gateway webhook` takes them. The plugin encrypts what goes to Temporal, and its
// connection can be closed at any time.
// `log` may be one of yours, such as pino's.
const config = loadConfig(process.env);
const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
const connection = Connection.lazy({ ...connectionOptions, plugins: [new PaymentGatewayPlugin(config)] });

export const client = new Client({ connection, namespace });
export const webhook = createWebhook({ ...webhookSettings(config), client, log: console });
