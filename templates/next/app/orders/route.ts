import { route } from '../../route';

/** Temporal's client needs Node, and each answer is of this moment. */
export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

export const GET = route((shop) => shop.orders());
export const POST = route(async (shop, request) => shop.sell(await request.json()));
