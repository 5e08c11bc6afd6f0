import { route } from '../../route';

export const runtime = 'nodejs';

/** Only your own people may call this one: put it behind your log-in. */
export const POST = route(async (shop, request) => shop.giveBack(await request.json()));
