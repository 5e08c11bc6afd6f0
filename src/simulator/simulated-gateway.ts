import { Accounts } from './accounts/accounts';
import { Context } from './context';
import { NotificationQueue } from './notifications/queue';
import type { RequestRecord } from './records';
import { Refunds } from './refunds/refunds';
import { Lifecycle } from './trades/lifecycle';

// Old requests are forgotten, so a simulator can run for months.
const LONGEST_LOG = 50_000;

/** All parts of a simulated gateway: what the operations, the pages and the control API work with. */
export class SimulatedGateway extends Context {
  /** The latest requests, oldest first. */
  readonly requests: RequestRecord[] = [];
  readonly notifications = new NotificationQueue(this);
  readonly lifecycle = new Lifecycle(this, this.notifications);
  readonly refunds = new Refunds(this, this.lifecycle);
  readonly accounts = new Accounts(this, this.lifecycle);

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

  /** Stops deadlines, deliveries and answers that are delayed. */
  async stop(): Promise<void> {
    this.closing.abort();
    await this.notifications.close();
  }
}
