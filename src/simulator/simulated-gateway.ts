import { Accounts } from './accounts/accounts';
import type { SimulatorClock } from './clock';
import { Faults } from './faults/faults';
import { NotificationQueue } from './notifications/queue';
import type { Context, Log, SimulatorApp, SimulatorOptions } from './options';
import type { RequestRecord } from './records';
import { Refunds } from './refunds/refunds';
import { defaultSettings, withChange } from './settings';
import type { Store } from './store';
import { Lifecycle } from './trades/lifecycle';

// Old requests are forgotten, so a simulator can run for months.
const LONGEST_LOG = 50_000;

/** All parts of a simulated gateway: what the operations, the pages and the control API work with. */
export class SimulatedGateway implements Context {
  readonly apps: readonly SimulatorApp[];
  readonly store: Store;
  readonly clock: SimulatorClock;
  readonly log: Log;
  readonly faults = new Faults();
  /** The latest requests, oldest first. */
  readonly requests: RequestRecord[] = [];
  readonly notifications: NotificationQueue;
  readonly lifecycle: Lifecycle;
  readonly refunds: Refunds;
  readonly accounts: Accounts;
  settings = defaultSettings;
  /** The address that it listens on; empty until it listens. */
  url = '';
  readonly #publicUrl: string | undefined;

  constructor(options: SimulatorOptions, clock: SimulatorClock, store: Store) {
    const { apps, publicUrl, log = () => undefined } = options;
    this.apps = apps;
    this.store = store;
    this.clock = clock;
    this.log = log;
    this.settings = withChange(defaultSettings, options);
    this.#publicUrl = publicUrl?.replace(/\/+$/, '');
    this.notifications = new NotificationQueue(this);
    this.lifecycle = new Lifecycle(this, (trade, refundNo) => this.notifications.announce(trade, refundNo));
    this.refunds = new Refunds(this, this.lifecycle);
    this.accounts = new Accounts(this, this.lifecycle);
  }

  get publicUrl(): string {
    return this.#publicUrl ?? this.url;
  }

  logRequest(request: RequestRecord): void {
    this.requests.push(request);
    if (this.requests.length > LONGEST_LOG) this.requests.splice(0, LONGEST_LOG / 10);
  }

  /** Starts deadlines and deliveries. Payment data contains addresses, so call it when the server listens. */
  resume(url: string): void {
    this.url = url;
    this.lifecycle.resume();
    this.refunds.resume();
    this.notifications.resume();
  }

  /** Stops deadlines and deliveries. */
  async stop(): Promise<void> {
    this.lifecycle.close();
    this.refunds.close();
    await this.notifications.close();
  }
}
