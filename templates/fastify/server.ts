/** The shop's routes with Fastify. */
import Fastify from 'fastify';
import { connectPayments, EventReader } from 'temporal-payment-gateway/client';
import { answerTo, openShop } from './shop';

async function serve() {
  const { payments } = await connectPayments();
  const shop = openShop(payments, new EventReader());
  const app = Fastify({ logger: true });

  app.setErrorHandler((error, _request, reply) => {
    const answer = answerTo(error);
    if (!answer) throw error;
    return reply.status(answer.status).send(answer.body);
  });
  // A room of its own, without parsers: the signature is over the bytes as they came.
  app.register(async (room) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body);
    room.post<{ Body: Buffer }>('/events', async (request, reply) => {
      shop.hear(request.body, request.headers);
      return reply.status(204).send();
    });
  });
  app.get('/orders', async () => shop.orders());
  app.post('/orders', async (request) => shop.sell(request.body));
  // Only your own people may call this one: put it behind your log-in.
  app.post('/refunds', async (request) => shop.giveBack(request.body));

  await app.listen({ port: Number(process.env.PORT ?? 9000), host: '127.0.0.1' });
}

void serve();
