/** The shop's routes with Express. */
import express, { type ErrorRequestHandler } from 'express';
import { connectPayments, EventReader } from 'temporal-payment-gateway/client';
import { answerTo, openShop } from './shop';

async function serve() {
  const { payments } = await connectPayments();
  const shop = openShop(payments, new EventReader());
  const app = express();

  // Before express.json(): the signature is over the bytes as they came.
  app.post('/events', express.raw({ type: '*/*', limit: '1mb' }), (request, response) => {
    shop.hear(request.body, request.headers);
    response.sendStatus(204);
  });
  app.use(express.json());
  app.get('/orders', (_request, response) => void response.json(shop.orders()));
  app.post('/orders', async (request, response) => void response.json(await shop.sell(request.body)));
  // Only your own people may call this one: put it behind your log-in.
  app.post('/refunds', async (request, response) => void response.json(await shop.giveBack(request.body)));
  app.use(refuse);

  const port = Number(process.env.PORT ?? 9000);
  const server = app.listen(port, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
}

const refuse: ErrorRequestHandler = (error, _request, response, next) => {
  const answer = answerTo(error);
  if (answer) response.status(answer.status).json(answer.body);
  else next(error);
};

void serve();
