import { route } from '../../route';

export const runtime = 'nodejs';

/** The signature is over the bytes as they came: they are read before any parser. */
export const POST = route(async (shop, request) =>
  shop.hear(Buffer.from(await request.arrayBuffer()), Object.fromEntries(request.headers)),
);
