/** A simulator whose clock stands still, and a merchant's endpoint, for each test of the file that imports this. */
import type { Simulator } from '../../src/simulator';
import { app, call, type Json, Merchant, order, start } from './support';

export let simulator: Simulator;
export let merchant: Merchant;
beforeEach(async () => {
  [simulator, merchant] = await Promise.all([start(), Merchant.start()]);
});
afterEach(async () => {
  await simulator.close();
  await merchant.close();
});

/** Sends a published order, which notifies the merchant; answers with what the simulator says. */
export async function create(file: string, changes: Json = {}, as = app): Promise<Json> {
  const path = file.startsWith('checkout') ? '/trade/create' : '/trade/pay';
  return (await call(simulator, path, order(file, { notify_url: merchant.url, ...changes }), { as })).body;
}

/** The same, which is taken; answers with its trade_no. */
export async function created(file: string, changes: Json = {}, as = app): Promise<string> {
  const { code, trade_no } = await create(file, changes, as);
  expect(code).toBe('10000');
  return String(trade_no);
}
