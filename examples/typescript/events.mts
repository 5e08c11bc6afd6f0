/** Receives events, checks that they are genuine, and prints them: PORT=9000 npx --yes tsx events.mts (from Node 22.18 on, `node`) */
import { createServer } from 'node:http';
import { EventReader } from 'temporal-payment-gateway/client';

function reader(): EventReader {
  try {
    return new EventReader();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

const events = reader();
const taken = new Set<string>(); // keep them in your database: an event may come again

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  try {
    const event = events.read(Buffer.concat(parts), request.headers);
    if (!taken.has(event.id)) console.log(JSON.stringify(event));
    taken.add(event.id);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
});
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => console.log(JSON.stringify(server.address())));
