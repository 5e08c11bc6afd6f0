/** An activity of the simulation, and the two workers that can make its attempts. */

/** `create`: an order; `look`: a confirmation, or what a deadline asks for; `watch`: the polls of a payment. */
export type Kind = 'create' | 'look' | 'watch';

export interface Activity {
  readonly kind: Kind;
  /** When the workflow asked for it, in ms from the start. */
  readonly since: number;
  /** A creation is not sent from this time on. */
  readonly send_before: number;
  attempt: number;
  heartbeatDetails: unknown;
}

/** `done`: the gateway answered. `given-up`: nothing was sent in time, or nobody answered. */
export type End = 'done' | 'given-up';

/** An attempt ended its activity, or is repeated after so many ms. */
export type Outcome = End | number;

export interface Worker {
  /** Makes an attempt at `now`, in ms from the start. */
  attempt(activity: Activity, now: number): Outcome | Promise<Outcome>;
}

/** Called at each request of the gateway. Throws while the gateway is down. */
export type Gateway = () => void;

/** So many calls a second, and the circuit: the defaults of the settings. */
export interface Limits {
  calls_per_second: number;
  circuit_failures: number;
  circuit_pause_ms: number;
}

/** A look ends without an answer after this long, in ms. */
export const PATIENCE_MS = 10 * 60_000;
