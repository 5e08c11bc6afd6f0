import { Client } from '@temporalio/client';
import { PaymentsClient } from 'temporal-payment-gateway/client';

const payments = new PaymentsClient({ client: new Client(), app_id: 'demo-app' });

/** Whether the order was paid in the end: minutes or days later, whatever was restarted in between. */
export async function sell(out_trade_no: string): Promise<boolean> {
  const price = { method: 'PIX', order_currency: 'BRL', order_amount: '150.00', timeout_express: '90m' };
  const buyer = { buyer_id: 'buyer-1', customer: { name: 'Mariana Souza Lima' } };
  const { qr_code } = await payments.pay({ out_trade_no, subject: 'Two tickets', ...price, ...buyer });
  console.log(`Show this to the buyer: ${qr_code}`);
  const { outcome } = await payments.outcome(out_trade_no);
  return outcome === 'SUCCESS';
}
