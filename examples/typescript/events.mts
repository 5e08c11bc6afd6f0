/** Receives events, checks that they are genuine, and prints them: PORT=9000 PAYMENTS_EVENTS_SECRETS=whsec_… node events.mts */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { MerchantEvent } from 'temporal-payment-gateway';

const secret = process.env.PAYMENTS_EVENTS_SECRETS;
if (!secret) {
  console.error(
    'PAYMENTS_EVENTS_SECRETS is not set. It signs the events, and the worker has it; with npm start it stands in .payments/dev.env.',
  );
  process.exit(2);
}
const webhook = new Webhook(secret);
const taken = new Set<string>(); // keep them in your database: an event may come again

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  try {
    const event = webhook.verify(Buffer.concat(parts), request.headers as Record<string, string>) as MerchantEvent;
    if (!taken.has(event.id)) console.log(JSON.stringify(event));
    taken.add(event.id);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
});
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => console.log(JSON.stringify(server.address())));
