/**
 * What the package's code takes from its process — the time, chance, and pauses — comes from the simulation while a world
 * lives: so its days are days for the clients too, and the same story always plays the same.
 */
import { AsyncResource } from 'node:async_hooks';
import timers from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { latePaymentActivities } from '../../../src/activities';
import type { LatePaymentActivities, LatePaymentRefundInput, LatePaymentRefundResult } from '../../../src/contract';
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

/** How often the wait for an activity's call looks whether it has ended, in ms. */
const LOOKS_EVERY_MS = 500;

/**
 * The activity that waits for an answer of the server. In the simulation no time passes while an activity runs, so its
 * call goes on outside of it, as long as the activity is tried again and again.
 */
export function waitingActivities(temporal: SimulatedTemporal): LatePaymentActivities {
  const outside = AsyncResource.bind((act: () => void) => act());
  const calls = new Map<string, { answer?: LatePaymentRefundResult; error?: unknown }>();
  const ask = (input: LatePaymentRefundInput) =>
    new MockActivityEnvironment({}, { client: temporal.client }).run(
      latePaymentActivities['payments.refundLatePayment'],
      input,
    );
  return {
    async 'payments.refundLatePayment'(input) {
      const key = JSON.stringify(input);
      const known = calls.get(key);
      if (known?.answer || known?.error) calls.delete(key);
      if (known?.answer) return known.answer;
      if (known?.error) throw known.error;
      if (!known) {
        const call: { answer?: LatePaymentRefundResult; error?: unknown } = {};
        calls.set(key, call);
        outside(() => {
          ask(input).then(
            (answer) => Object.assign(call, { answer }),
            (error) => Object.assign(call, { error }),
          );
        });
      }
      throw ApplicationFailure.create({ message: 'the call goes on', nextRetryDelay: LOOKS_EVERY_MS });
    },
  };
}
