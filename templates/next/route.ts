/** What all routes of the shop have in common: one shop for this process, and one answer to each failure. */
import { connectPayments, EventReader } from 'temporal-payment-gateway/client';
import { answerTo, openShop, type Shop } from './shop';

declare global {
  // Next loads each route by itself: what all of them share stands here.
  var shop: Promise<Shop> | undefined;
}

async function open(): Promise<Shop> {
  const { payments } = await connectPayments();
  return openShop(payments, new EventReader());
}

/** A failed start is forgotten: the next request tries again. */
function theShop(): Promise<Shop> {
  globalThis.shop ??= open().catch((error) => {
    globalThis.shop = undefined;
    throw error;
  });
  return globalThis.shop;
}

/** A route handler: what `handle` returns is the answer, and what it throws is told. */
export const route = (handle: (shop: Shop, request: Request) => unknown) => async (request: Request) => {
  try {
    return Response.json((await handle(await theShop(), request)) ?? {});
  } catch (error) {
    const answer = answerTo(error);
    if (!answer) throw error;
    return Response.json(answer.body, { status: answer.status });
  }
};
