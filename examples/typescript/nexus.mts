import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, Worker } from '@temporalio/worker';
import { dataConverter, loadConfig } from 'temporal-payment-gateway/client';

// A shop in a namespace of its own. It has no key of the gateway; the payments run in another namespace.
const { connectionOptions } = loadClientConnectConfig();
const connection = await NativeConnection.connect(connectionOptions);
const shop = { namespace: 'shop', dataConverter: dataConverter(loadConfig(process.env)) };
const worker = await Worker.create({
  ...shop,
  connection,
  taskQueue: 'shop',
  workflowsPath: fileURLToPath(new URL('./nexus-workflows.ts', import.meta.url)),
});

const out_trade_no = process.argv[2] ?? 'nexus-1';
const price = { method: 'PIX', order_currency: 'BRL', order_amount: '150.00', timeout_express: '90m' };
const buyer = { buyer_id: 'buyer-1', customer: { name: 'Mariana Souza Lima' } };
const order = {
  app_id: process.env.GATEWAY_APP_ID ?? 'demo-app',
  request: { out_trade_no, subject: 'Two tickets', ...price, ...buyer },
};

const sold = await worker.runUntil(
  new Client({ connection, ...shop }).workflow.execute('sellOverNexus', {
    taskQueue: 'shop',
    workflowId: `shop:${out_trade_no}`,
    args: ['payments', order],
  }),
);
console.log(sold === 'sold' ? 'Paid: deliver the tickets.' : 'Not sold: deliver nothing.');
await connection.close();
