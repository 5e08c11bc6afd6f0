import { isSold } from 'temporal-payment-gateway/calls';
import { type AppOrder, startPayment } from 'temporal-payment-gateway/workflows';

export * from 'temporal-payment-gateway/workflows';

export async function sellTickets(order: AppOrder): Promise<'delivered' | 'not sold'> {
  const payment = await startPayment(order); // the payment goes on if somebody ends this workflow
  const { pay_url } = payment.data; // tell the buyer, by an activity of yours
  const end = await payment.outcome(); // minutes or days later
  return isSold(end) && pay_url ? 'delivered' : 'not sold'; // deliver, by another one
}
