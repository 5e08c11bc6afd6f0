import { connectPayments } from 'temporal-payment-gateway/client';

const { client, app_id, close } = await connectPayments(); // its client encrypts as the worker does
const out_trade_no = process.argv[2] ?? 'tickets-1';
const price = { method: 'PIX', order_currency: 'BRL', order_amount: '150.00', timeout_express: '90m' };
const buyer = { buyer_id: 'buyer-1', customer: { name: 'Mariana Souza Lima' } };

const sold = await client.workflow.execute('sellTickets', {
  taskQueue: 'shop',
  workflowId: `tickets:${out_trade_no}`,
  workflowIdConflictPolicy: 'USE_EXISTING', // the same number again waits for the same sale
  args: [{ app_id, out_trade_no, subject: 'Two tickets', ...price, ...buyer }],
});
console.log(sold); // once the buyer has paid, or the time is over
await close();
