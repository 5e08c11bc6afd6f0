/**
 * The worker as it was at f5cf10f, for comparison: one limiter without priority, a call that was held back repeated after
 * at most 15 s and up to 30 s more, and counted as a look. A model: at a million payments it makes 68,000 attempts a second.
 */
import { delayBeforePoll, type PollSchedule } from '../../src/contract';
import { type Gateway, type Limits, type Outcome, PATIENCE_MS, type Worker } from './activity';

const WINDOW_MS = 1_000;

export function formerWorker(gateway: Gateway, limits: Limits, schedule: PollSchedule): Worker {
  let window = { ends: 0, calls: 0 };
  let failures = 0;
  let openUntil = 0;

  /** Ms that a call is held back for; 0: it may be made. */
  const heldBackFor = (now: number) => {
    if (now >= window.ends) window = { ends: now + WINDOW_MS, calls: 0 };
    window.calls += 1;
    if (window.calls > limits.calls_per_second) return window.ends - now;
    return now < openUntil ? limits.circuit_pause_ms : 0;
  };

  /** False where the gateway failed. */
  const isTaken = (now: number) => {
    try {
      gateway();
      failures = 0;
      return true;
    } catch {
      failures += 1;
      if (failures >= limits.circuit_failures) openUntil = now + limits.circuit_pause_ms;
      return false;
    }
  };

  return {
    attempt(activity, now): Outcome {
      activity.attempt += 1;
      const { kind, attempt, since, send_before } = activity;
      if (kind === 'create' && now >= send_before) return 'given-up';
      const gap = kind === 'watch' ? delayBeforePoll(attempt - 1, schedule) : 0;
      if (kind === 'watch' && attempt === 1) return gap;
      const held = heldBackFor(now);
      const isAnswered = held === 0 && isTaken(now);
      if (isAnswered) return kind === 'watch' ? gap : 'done';
      if (kind === 'look' && now - since >= PATIENCE_MS) return 'given-up';
      if (held > 0) return held + Math.random() * 1_000 * Math.min(attempt, 30);
      return kind === 'watch' ? gap : Math.min(1_000 * 2 ** (attempt - 1), 120_000);
    },
  };
}
