/** The form of schedules: stories that somebody writes down, with the traits that are not plain. */

import { timelineOf } from '../../hostile/timeline';
import { play, type Step, type Story } from './stories';
import type { World } from './world';

/** `chance`: the seed of what the world draws itself, where a story needs a certain one. */
export type Schedule = [title: string, steps: readonly Step[], traits?: Partial<Story['traits']>, chance?: number];

export const SECOND = 1_000;

export const story = (steps: readonly Step[], traits: Partial<Story['traits']> = {}, chance = 7): Story => ({
  chance,
  steps,
  traits,
});
export const wait = (ms: number): Step => ({ do: 'wait', ms });
export const notify: Step = { do: 'notify', times: 1 };
export const paid: Step = { do: 'paid' };
export const resolve = (outcome: 'CANCEL' | 'SUCCESS'): Step => ({ do: 'resolve', outcome });
export const another = (isPaid: boolean, silently = false): Step => ({ do: 'another trade', paid: isPaid, silently });
/** Creations that never reach the gateway. */
export const neverSent = { creations: Array.from({ length: 200 }, () => 'unreachable' as const) };
/** Money that a gateway sends back without a person's help. */
export const refunding = { late: 'refund', method: 'Wallet' } as const;
export const unanswered: Step = { do: 'outage', kind: '429' };

/** Plays a story, and answers with what it breaks. HOSTILE_TIMELINE prints what happened. */
export async function brokenIn(told: Story): Promise<{ promise: number; what: string }[]> {
  let world: World | undefined;
  const broken = await play(told, (one) => {
    world = one;
  });
  if (process.env.HOSTILE_TIMELINE !== undefined && world) process.stderr.write(`${timelineOf(world)}\n`);
  return broken;
}
