/** The promises of the design as an oracle: what must be so at the end of every story, whatever happened in it. */
import { HOUR, MINUTE } from '../../src/gateway/durations';
import type { PaymentState } from '../../src/workflows';
import { outcomeOf } from '../../src/workflows/transitions';
import { AMOUNT, type World } from './world';

/** Looks, 5 s apart, that fill the settling time of 30 s. */
const SETTLING_LOOKS = 6;
const GRACE = 90 * MINUTE + 850 * MINUTE;
/** The longest gap between two polls, and what a machine may take beside. */
const NOTICED_WITHIN = HOUR + MINUTE;

export interface Ending {
  /** Each run's final state, oldest first; none where the order was never created. */
  runs: PaymentState[];
  /** Whether the gateway could be asked all the time, so that nothing excuses a delay. */
  alwaysUp: boolean;
}

export function keepsItsPromises(world: World, { runs, alwaysUp }: Ending): void {
  neverTwoCharges(world);
  neverRepeatedBlindly(world);
  for (const run of runs) {
    onlyTheTruth(world, run);
    neverBackwards(run);
  }
  const [first] = runs;
  if (first) rightOutcome(world, first, alwaysUp);
  else expect(world.charges).toBe(0);
}

/** 1. Never two charges for one out_trade_no. */
function neverTwoCharges({ charges }: World): void {
  expect(charges).toBeLessThanOrEqual(1);
}

/** 2. A creation whose outcome is unknown is made again only after the gateway kept saying that it has no such order. */
function neverRepeatedBlindly({ calls }: World): void {
  let looks = Number.POSITIVE_INFINITY;
  for (const call of calls) {
    if (call.is === 'query') looks += call.answered === 'no such order' ? 1 : 0;
    else {
      expect(looks).toBeGreaterThanOrEqual(SETTLING_LOOKS);
      looks = call.answered === 'nothing' ? 0 : Number.POSITIVE_INFINITY;
    }
  }
}

/** 4. What a notification claims is believed only where the gateway's own answer says it too, with the ordered amount. */
function onlyTheTruth({ truth }: World, { history, outcome, confirmed_by, trade_status }: PaymentState): void {
  for (const { to, time, source } of history) {
    if (source === 'operator' || source === 'deadline') continue;
    const fact = truth.find(({ status, at }) => status === to && at <= Date.parse(time) + 1_000);
    expect({ to, was: fact !== undefined }).toEqual({ to, was: true });
  }
  if (confirmed_by === 'operator' || history.at(-1)?.source === 'deadline') return;
  expect(outcome).toBe(outcomeOf(trade_status ?? ''));
  if (outcome === 'SUCCESS')
    expect(truth.some(({ status, amount }) => status === 'SUCCESS' && amount === AMOUNT)).toBe(true);
}

/** 6. A state never moves backwards. */
function neverBackwards({ history }: PaymentState): void {
  const order = ['PROCESSING', 'SUCCESS', 'REFUSED', 'CANCEL', 'EXPIRED'];
  const places = history.map(({ to }) => Math.min(order.indexOf(to), 1));
  expect(places).toEqual([...places].sort());
  for (const [i, { from }] of history.entries()) expect(from).toBe(i === 0 ? null : history[i - 1]?.to);
}

/** 5. No notification is needed: the outcome is the gateway's, and it is learned in time. */
function rightOutcome({ truth }: World, state: PaymentState, alwaysUp: boolean): void {
  const ended = Date.parse(state.history.at(-1)?.time ?? '');
  const final = truth.find(
    ({ status, amount }) => outcomeOf(status) !== null && (status !== 'SUCCESS' || amount === AMOUNT),
  );
  if (state.confirmed_by === 'operator') return;
  if (final && final.at <= ended) {
    expect(state.outcome).toBe(outcomeOf(final.status));
    if (alwaysUp) expect(ended - final.at).toBeLessThan(NOTICED_WITHIN);
  } else {
    expect(state).toMatchObject({ outcome: 'EXPIRED', attention: expect.any(String) });
    const began = Date.parse(state.history[0]?.time ?? '');
    expect(ended - began).toBeGreaterThanOrEqual(GRACE);
  }
}
