/**
 * What the package's code takes from its process — the time, chance, and pauses — comes from the simulation while a world
 * lives: so its days are days for the clients too, and the same story always plays the same.
 */
import timers from 'node:timers/promises';
import type { SimulatedTemporal } from '../../../src/testing/simulated-temporal/simulated-temporal';

const { now } = Date;
const { random } = Math;
const pause = timers.setTimeout;

function giveBack(): void {
  Date.now = now;
  Math.random = random;
  // All test files of a process share Node's own modules.
  Object.assign(timers, { setTimeout: pause });
}

// A world that a failing test leaves open must not take the time of other files.
afterAll(giveBack);

let current: SimulatedTemporal | undefined;

/** Gives this process the simulation's time, chance and pauses. Returns what takes them back. */
export function takeOver(temporal: SimulatedTemporal): () => void {
  const { clock } = temporal;
  current = temporal;
  Date.now = () => clock.now;
  Math.random = () => clock.random(1_000_000) / 1_000_000;
  Object.assign(timers, { setTimeout: (ms: number) => clock.pass(ms) });
  return () => {
    if (current === temporal) giveBack();
  };
}
