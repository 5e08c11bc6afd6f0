/** How much may come, and what holds unless settings say otherwise. */

export interface Limits {
  /** Requests a minute from one address, genuine or not. Addresses of the allow-list are not counted. */
  per_address: number;
  /** Genuine notifications a minute in all. Forged ones do not count, so nobody else can use it up. */
  overall: number;
  /**
   * Payments a minute and app that notifications may start. Whoever holds an app's key, or old notifications of it, could
   * otherwise open workflows without bound. Ten a second take an eighth of one worker core (it does some 85 payments a
   * second), and what is over it the gateway sends again up to six times in 14 hours.
   */
  adoptions: number;
  /** Genuine notifications that wait for Temporal at the same time. Those not yet verified have no place here to take. */
  in_flight: number;
  /** Connections of one process. */
  connections: number;
}

export const DEFAULT_LIMITS: Limits = {
  per_address: 6_000,
  overall: 60_000,
  adoptions: 600,
  in_flight: 500,
  connections: 15_000,
};
