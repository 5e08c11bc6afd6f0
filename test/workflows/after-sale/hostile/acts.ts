/** What happens after a sale, and what people and the gateway know then. The named schedules are written in these words. */

import { HOUR } from '../../../../src/gateway/pure/durations';
import { PLAIN, type Traits, World } from './world';

export let world: World;
export const open = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
};
export const openWatched = async (traits: Partial<Traits> = {}) => {
  world = await World.create({ ...PLAIN, pick: () => 0, watchWindow: '3d', ...traits });
};
export const DONE = { takes_ms: 0, ends: 'done' } as const;
export const SECOND = 1_000;
export const LONG = { takes_ms: 5 * HOUR, ends: 'done' } as const;
export const REVOKED = { takes_ms: 0, ends: 'revoked' } as const;
export const goneBack = () => world.gateway.gone().toFixed(2);
export const amountGoneBack = () => Number(world.gateway.gone().toFixed(2));
export const refundOf = async (number: string) =>
  (await world.state())?.refunds.find(({ out_request_no }) => out_request_no === number);
export const tell = (status: string, number?: string) => world.deliver({ at: world.now, status, number });
export const numbersMade = () => world.gateway.refunds.map(({ number }) => number);
