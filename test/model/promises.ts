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

/** One run of the payment at the end of its story. */
export interface Ending {
  runId: string;
  state: PaymentState;
  /** What operators can search for. */
  attributes: Readonly<Record<string, unknown>> | undefined;
}

export function keepsItsPromises(world: World, endings: readonly Ending[]): void {
  neverTwoCharges(world);
  neverRepeatedBlindly(world);
  for (const { runId, state, attributes } of endings) {
    onlyTheTruth(world, state);
    wrongMoneyIsTold(world, runId, state);
    expect({ runId, outcome: state.outcome }).toEqual({ runId, outcome: world.resolved.get(runId) ?? state.outcome });
    neverBackwards(state);
    if (attributes) shownAsItIs(state, attributes);
  }
  const runs = endings.map(({ state }) => state);
  const [first] = runs;
  if (first) rightOutcome(world, first);
  else expect(world.charges).toBe(0);
  lateMoneyIsTold(world, runs);
  merchantHeardAll(world, runs);
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
      // The answer may be lost on its way, as an order may.
      looks = call.answered === 'refusal' ? Number.POSITIVE_INFINITY : 0;
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

/** 4. Money other than ordered is before a person. */
function wrongMoneyIsTold({ truth, heard }: World, runId: string, { history }: PaymentState): void {
  const seen = history.find(({ to, source }) => to === 'SUCCESS' && source !== 'operator');
  const right = truth.some(({ status, amount }) => status === 'SUCCESS' && amount === AMOUNT);
  if (!seen || right) return;
  const told = heard.filter(({ id, type }) => type === 'attention' && id.includes(`:${runId}:`));
  expect(told).toContainEqual(
    expect.objectContaining({ payment: expect.objectContaining({ attention: 'amount-mismatch' }) }),
  );
}

/** 6. A state never moves backwards. */
function neverBackwards({ history }: PaymentState): void {
  const order = ['PROCESSING', 'SUCCESS', 'REFUSED', 'CANCEL', 'EXPIRED'];
  const places = history.map(({ to }) => Math.min(order.indexOf(to), 1));
  expect(places).toEqual([...places].sort());
  for (const [i, { from }] of history.entries()) expect(from).toBe(i === 0 ? null : history[i - 1]?.to);
}

/** 5. No notification is needed: the outcome is the gateway's, and it is learned in time. */
function rightOutcome({ truth, calls }: World, state: PaymentState): void {
  if (state.confirmed_by === 'operator') return;
  const ended = Date.parse(state.history.at(-1)?.time ?? '');
  const finals = truth.filter(({ status, amount, at }) => at <= ended && isEnd(status, amount));
  const [final] = finals;
  if (final) {
    expect(finals.map(({ status }) => outcomeOf(status))).toContain(state.outcome);
    // A gateway that does not answer excuses a delay, for as long as it does not.
    const unanswered = calls.filter(({ answered, at }) => answered !== 'order' && at <= ended).map(({ at }) => at);
    expect(ended - Math.max(final.at, ...unanswered)).toBeLessThan(NOTICED_WITHIN);
  } else {
    expect(state).toMatchObject({ outcome: 'EXPIRED', attention: expect.any(String) });
    const began = Date.parse(state.history[0]?.time ?? '');
    expect(ended - began).toBeGreaterThanOrEqual(GRACE);
  }
}

const isEnd = (status: string, amount: string) =>
  outcomeOf(status) !== null && (status !== 'SUCCESS' || amount === AMOUNT);

/** Money that came, and that the gateway told of, is known, whatever had been the payment's outcome before. */
function lateMoneyIsTold({ truth, notified }: World, runs: readonly PaymentState[]): void {
  const last = truth.at(-1);
  if (last?.status !== 'SUCCESS' || !notified.some(({ status, at }) => status === 'SUCCESS' && at >= last.at)) return;
  const knows = (run: PaymentState) => run.trade_status === 'SUCCESS' || run.confirmed_by === 'operator';
  expect(runs.filter(knows)).not.toEqual([]);
  // Where the payment had ended without it, a person is told.
  for (const { outcome, confirmed_by, previous, attention } of runs) {
    if (outcome !== 'SUCCESS' || confirmed_by === 'operator' || !previous?.outcome) continue;
    expect(attention).toBe(previous.outcome === 'SUCCESS' ? null : 'late-payment');
  }
}

/** 8. The merchant's handler hears every step at least once, and in order, also where one run follows another. */
function merchantHeardAll({ heard, workflowId }: World, runs: readonly PaymentState[]): void {
  const steps = heard.flatMap(({ id, type, ...event }) =>
    type === 'transition' && id.startsWith(workflowId)
      ? [[id, 'transition' in event && event.transition] as const]
      : [],
  );
  expect([...new Map(steps).values()]).toEqual(runs.flatMap(({ history }) => history));
}

/** Operators find a payment by what it is. */
function shownAsItIs(
  state: PaymentState,
  { PaymentStatus, PaymentAttention }: Readonly<Record<string, unknown>>,
): void {
  expect({ PaymentStatus, PaymentAttention: PaymentAttention ?? null }).toEqual({
    PaymentStatus: state.trade_status ?? state.outcome,
    PaymentAttention: state.attention,
  });
}
