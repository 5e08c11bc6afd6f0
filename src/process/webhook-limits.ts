/** How many requests the webhook accepts, and the defaults of the settings for it. */

export interface Limits {
  /** Refused requests a minute from one address. Genuine notifications never count, nor do addresses of the allow-list. */
  per_address: number;
  /**
   * Genuine notifications a minute in all; repeated ones within the minute count apart. Forged ones do not count, so
   * strangers cannot use it up.
   */
  overall: number;
  /** How often a minute one and the same notification is taken. The gateway sends it seven times in 14 hours. */
  repeats: number;
  /**
   * Payments a minute and app that notifications may start. Without a limit, somebody with an app's key or with its old
   * notifications could start any number of workflows. Ten a second take about half of one worker core
   * (docs/performance.md). The gateway sends the rest again, up to six times in 14 hours.
   */
  adoptions: number;
  /** Genuine notifications that wait for Temporal at the same time. Unverified ones do not count. */
  in_flight: number;
  /** Connections of one process. Beyond it, the oldest without a genuine notification is closed. */
  connections: number;
  /**
   * Connections of one address, above what may be in flight: a gateway sends many at once after an outage. Beyond it, the
   * oldest without a genuine notification is closed. Trusted proxies and addresses of the allow-list may have any number.
   */
  connections_per_address: number;
}

export const DEFAULT_LIMITS: Limits = {
  per_address: 600,
  overall: 60_000,
  repeats: 60,
  adoptions: 600,
  in_flight: 500,
  connections: 15_000,
  connections_per_address: 1_000,
};
