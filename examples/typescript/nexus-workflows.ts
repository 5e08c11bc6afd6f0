import { defineQuery, setHandler } from '@temporalio/workflow';
import { isSold, type NexusOrder, nexusPayments } from 'temporal-payment-gateway/calls';

export const payUrl = defineQuery<string | undefined>('payUrl');

/** Runs in the shop's namespace. The payment runs in another one, behind the Nexus endpoint. */
export async function sellOverNexus(endpoint: string, { app_id, request }: NexusOrder): Promise<'sold' | 'not sold'> {
  const payments = nexusPayments({ endpoint, app_id });
  const { pay_url } = await payments.pay(request); // waits until the gateway has answered
  setHandler(payUrl, () => (typeof pay_url === 'string' ? pay_url : undefined)); // tell the buyer, by an activity of yours
  return isSold(await payments.outcome(request.out_trade_no)) ? 'sold' : 'not sold'; // minutes or days later
}
