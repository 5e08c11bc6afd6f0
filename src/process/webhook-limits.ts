/** How many requests the webhook accepts, and the defaults of the settings for it. */

export interface Limits {
  /** Requests a minute from one address, genuine or not. Addresses of the allow-list are not counted. */
  per_address: number;
  /** Genuine notifications a minute in all. Forged ones do not count, so strangers cannot use it up. */
  overall: number;
  /**
   * Payments a minute and app that notifications may start. Without a limit, somebody with an app's key or with its old
   * notifications could start any number of workflows. Ten a second take an eighth of one worker core, which does about 85
   * payments a second. The gateway sends the rest again, up to six times in 14 hours.
   */
  adoptions: number;
  /** Genuine notifications that wait for Temporal at the same time. Unverified ones do not count. */
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
