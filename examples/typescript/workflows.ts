import { type AppOrder, startPayment } from 'temporal-payment-gateway/workflows';

export * from 'temporal-payment-gateway/workflows';

export async function sellTickets(order: AppOrder): Promise<'delivered' | 'not paid'> {
  const payment = await startPayment(order); // the payment goes on if somebody ends this workflow
  const { pay_url } = payment.data; // tell the buyer, by an activity of yours
  const { outcome } = await payment.outcome(); // minutes or days later
  return outcome === 'SUCCESS' && pay_url ? 'delivered' : 'not paid'; // deliver, by another one
}
