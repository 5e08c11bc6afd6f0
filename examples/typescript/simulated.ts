/** A test of your own: three days of a payment in a moment, on a simulated Temporal and a gateway that says what you want. */
import { type Simulation, simulate } from 'temporal-payment-gateway/testing';

const HOUR = 3_600_000;

/** A PIX order that may be paid for three days. */
export const ORDER = {
  out_trade_no: 'order-1',
  method: 'PIX',
  order_currency: 'BRL',
  order_amount: '150.00',
  subject: 'Order 1',
  buyer_id: 'buyer-1',
  timeout_express: '3d',
  customer: { name: 'Mariana Souza Lima' },
};

/** The buyer pays on the third day, and no notification tells of it. Returns how it ended, and when. */
export async function paidOnTheThirdDay() {
  const simulation: Simulation = await simulate();
  const { gateway, payments, temporal } = simulation;
  try {
    gateway.statusAt = (elapsed) => (elapsed < 60 * HOUR ? 'PROCESSING' : 'SUCCESS');
    const began = await temporal.currentTimeMs();
    const data = await payments.pay(ORDER);
    const state = await payments.outcome('order-1');
    return { data, state, hours: ((await temporal.currentTimeMs()) - began) / HOUR };
  } finally {
    await simulation.close();
  }
}
