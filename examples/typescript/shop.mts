/** A shop: it sells, hears what becomes of its orders, and gives money back. PORT=9000 node shop.mts */
import { createServer, type IncomingMessage } from 'node:http';
import { connectPayments, EventError, EventReader, isPaymentFailure } from 'temporal-payment-gateway/client';

const { payments } = await connectPayments();
const events = new EventReader();
const orders = new Map<string, string>(); // your database: what became of each order,
const taken = new Set<string>(); // and the ids of the events that it has taken: one may come again

async function sell({ number }: { number: string }) {
  const price = { method: 'PIX', order_currency: 'BRL', order_amount: '150.00', timeout_express: '90m' };
  const customer = {
    name: 'Mariana Souza Lima',
    email: 'mariana@example.com',
    identify: { number: '71493180072', type: 'CPF' },
  };
  const order = { out_trade_no: number, subject: 'Two tickets', ...price, buyer_id: 'buyer-1', customer };
  const { pay_url = null } = await payments.pay(order); // the same order again gets the same answer
  return { pay_url }; // null: it was refused or lost. Let it end, and sell under a new number
}

function hear(body: Buffer, headers: IncomingMessage['headers']) {
  const event = events.read(body, headers); // throws where it is not ours
  if (taken.has(event.id) || !('payment' in event)) return;
  const { out_trade_no, outcome, attention, late_payment_refund } = event.payment;
  const isSold = outcome === 'SUCCESS' && !attention && !late_payment_refund;
  if (outcome) orders.set(out_trade_no ?? '', isSold ? 'deliver' : 'do not deliver');
  taken.add(event.id); // in one transaction with what it changes
}

const giveBack = async ({ number, amount }: { number: string; amount?: string }) =>
  payments.refund(number, amount === undefined ? {} : { amount }); // without an amount, all that is left

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  const asked = () => JSON.parse(body.toString());
  const routes: Record<string, () => unknown> = {
    'POST /orders': () => sell(asked()),
    'POST /refunds': () => giveBack(asked()),
    'GET /orders': () => Object.fromEntries(orders),
    'POST /events': () => hear(body, request.headers),
  };
  try {
    const answer = await routes[`${request.method} ${request.url}`]?.();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  } catch (error) {
    const said = isPaymentFailure(error) ? error.toJSON() : { message: String(error) };
    response.writeHead(error instanceof EventError ? 401 : 422).end(JSON.stringify(said));
  }
});
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => console.log(JSON.stringify(server.address())));
