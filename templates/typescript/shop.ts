/** A shop: it sells, hears what becomes of its orders, and gives money back. Its routes are in the files beside it. */
import {
  EventError,
  type EventReader,
  isPaymentFailure,
  isSold,
  type MerchantEvent,
  type PaymentsClient,
} from 'temporal-payment-gateway/client';
import { z } from 'zod';

const newOrder = z.object({ number: z.string() });
const newRefund = z.object({
  number: z.string(),
  amount: z.string().exactOptional(),
  out_request_no: z.string().exactOptional(),
  bank_info: z.record(z.string(), z.string()).exactOptional(), // where it goes: a method such as PIX has to know
});

interface Order {
  status: 'open' | 'deliver' | 'do not deliver';
  refunded: string; // with what the gateway has taken and may still wait for its buyer
}

export type Shop = ReturnType<typeof openShop>;

export function openShop(payments: PaymentsClient, events: EventReader) {
  const orders = new Map<string, Order>(); // your database: what became of each order,
  const taken = new Set<string>(); // and the ids of the events that it has taken: one may come again

  async function sell(asked: unknown) {
    const { number } = newOrder.parse(asked);
    if (!orders.has(number)) orders.set(number, { status: 'open', refunded: '0.00' }); // kept before the call
    const price = { method: 'PIX', order_currency: 'BRL', order_amount: '150.00', timeout_express: '90m' } as const;
    const customer = {
      name: 'Mariana Souza Lima',
      email: 'mariana@example.com',
      identify: { number: '71493180072', type: 'CPF' },
    };
    const order = { out_trade_no: number, subject: 'Two tickets', ...price, buyer_id: 'buyer-1', customer };
    const { pay_url = null, qr_code = null } = await payments.pay(order); // the same order again gets the same answer
    return { pay_url, qr_code }; // null: refused, or its answer got lost. Once it ends unsold, sell under a new number
  }

  function take(event: MerchantEvent) {
    if (taken.has(event.id) || !('payment' in event)) return;
    const { out_trade_no, outcome } = event.payment;
    const status = isSold(event.payment) ? 'deliver' : 'do not deliver';
    const refunded = event.after_sale?.refunded_amount ?? '0.00';
    if (outcome) orders.set(out_trade_no ?? '', { status, refunded });
    taken.add(event.id); // in one transaction with what it changes
  }

  /** `body` byte by byte, before any parser. Throws EventError where it is not ours. */
  const hear = (body: Buffer, headers: Parameters<EventReader['read']>[1]) => take(events.read(body, headers));

  /** Without an amount, all that is left. */
  async function giveBack(asked: unknown) {
    const { number, ...refund } = newRefund.parse(asked);
    return payments.refund(number, refund);
  }

  return { sell, take, hear, giveBack, orders: () => Object.fromEntries(orders) };
}

/** What a caller is told of a failure: its type, and whether the same call may help later. Undefined for an unknown one. */
export function answerTo(error: unknown): { status: number; body: object } | undefined {
  if (isPaymentFailure(error)) return { status: error.retryable ? 503 : 422, body: error.toJSON() };
  if (error instanceof EventError) return { status: 401, body: { message: error.message } };
  if (error instanceof z.ZodError) return { status: 400, body: { message: z.prettifyError(error) } };
  return undefined;
}
