/** What the named schedules of accounts share: a world, and the account A1 in it. */
import { speiAccountWorkflowId } from '../../../../src/contract';
import { MINUTE } from '../../../../src/gateway/pure/durations';
import { APP } from '../../hostile/base-world';
import { PLAIN, type Traits, World } from './world';

export const A1 = speiAccountWorkflowId(APP, 'A1');

/** The world of the test that runs. */
export let world: World;

export async function open(traits: Partial<Traits> = {}): Promise<void> {
  world = await World.create({ ...PLAIN, pick: () => 0, ...traits });
}

export const end = () => world?.close();

/** The account's latest run. */
export function latest() {
  const run = world.temporal.latest(A1);
  if (!run) throw new Error('nobody follows the account');
  return run;
}

/** The account's second run, which began with what the first has handed on. */
export async function secondRun() {
  await open({ continuesAfter: 40 });
  while (world.temporal.latest(A1)?.start.firstRunId === undefined) {
    world.notify(world.gateway.deposit('A1', '1.00'));
    await world.pass(MINUTE);
  }
  return latest();
}
