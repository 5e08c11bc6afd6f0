/** What others see of an account: its search attributes and details, and the events for the merchant's handler. */
import { workflowInfo } from '@temporalio/workflow';
import type { AccountEvent, AccountPolicy, CarriedAccount, MerchantEvent } from '../../contract';
import { recordMetric } from '../shared/metrics';
import { EventRelay, InlineDelivery } from '../shared/outbox/delivery';
import { OverdueWait } from '../shared/outbox/overdue';
import { shownWait } from '../shared/wait';
import type { DepositLedger } from './deposit-ledger';
import type { AccountRecord } from './record';
import { AccountVisibility } from './visibility';

type NewEvent = AccountEvent extends infer Event
  ? Event extends AccountEvent
    ? Omit<Event, 'time' | 'account'>
    : never
  : never;

type PublishingPolicy = Pick<AccountPolicy, 'overdue_ms' | 'listeners'>;

export class AccountPublisher {
  private readonly visibility = new AccountVisibility();
  private outbox: InlineDelivery | undefined;
  private overdue: OverdueWait | undefined;
  private listeners: readonly string[] = [];
  /** Events from before `open`; null after it. */
  private unpublished: MerchantEvent[] | null = [];
  /** How often this run has published each kind of news. */
  private readonly made = new Map<string, number>();
  /** The events have been handed over. */
  private isClosed = false;

  constructor(
    private readonly app_id: string,
    private readonly record: AccountRecord,
    private readonly ledger: DepositLedger,
    /** What the last events said. */
    public published: CarriedAccount['published'],
  ) {}

  /** Every account publishes its events, even if nobody listens yet: its run may last for years. */
  open(policy: PublishingPolicy): void {
    this.isClosed = false;
    this.follow(policy);
    this.outbox = new InlineDelivery(EventRelay.ofRun(), () => this.listeners);
    this.outbox.put(this.unpublished ?? []);
    this.unpublished = null;
  }

  follow({ overdue_ms, listeners }: PublishingPolicy): void {
    this.listeners = listeners;
    if (this.overdue?.overdue_ms === overdue_ms) return;
    this.overdue?.close();
    const tell = (since: string) => {
      this.publish({ id: `attention.overdue:${since}`, type: 'account-attention.overdue' });
      this.published = { ...this.published, overdue: since };
    };
    this.overdue = new OverdueWait(overdue_ms, tell, (since) => since === this.published.overdue);
  }

  /** Events that no handler has taken yet. */
  get undelivered(): MerchantEvent[] {
    return [...(this.unpublished ?? []), ...(this.outbox?.waiting ?? [])];
  }

  /** Events that an earlier run could not deliver come first. */
  restore(undelivered: readonly MerchantEvent[]): void {
    this.unpublished = [...undelivered, ...(this.unpublished ?? [])];
  }

  get isIdle(): boolean {
    return this.outbox?.isEmpty !== false;
  }

  /** From now on nothing is published: the next run publishes what changes. */
  close(): void {
    this.isClosed = true;
    this.overdue?.close();
    this.overdue = undefined;
  }

  async handOver(): Promise<void> {
    await this.outbox?.handOver();
  }

  show(): void {
    this.record.noteWait(Date.now());
    const { status, attention, account, decided_by, unseen } = this.record;
    const wait = shownWait(this.record.wait);
    // Signals come by the thousand: showing each must not cost as much as building the whole state.
    this.visibility.showAccount({
      account,
      status,
      attention,
      ...wait,
      decided_by,
      unseen,
      deposits: this.ledger.summary,
    });
    if (this.isClosed) return;
    this.overdue?.show(wait.attention_since);
    if (status !== this.published.status) this.publish({ id: this.idOf(status ?? 'null'), type: 'account-status' });
    if (attention !== this.published.attention) {
      const type = attention === null ? 'account-attention.cleared' : 'account-attention';
      this.publish({ id: this.idOf(`attention-${attention ?? 'cleared'}`), type });
    }
    this.published = { ...this.published, status, attention };
  }

  publish({ id, ...event }: NewEvent): void {
    const { app_id, record } = this;
    if (event.type === 'deposit') recordMetric('deposits', 1, { app_id, result: 'counted' }, id);
    if (event.type === 'deposit-set-aside')
      recordMetric('deposits', 1, { app_id, result: event.set_aside.because }, id);
    const { status, attention, account: data } = record;
    const shown = { status, attention, ...shownWait(record.wait) };
    const account = { app_id, account_id: data.account_id, account: { ...data }, ...shown };
    const { count, total } = this.ledger.summary;
    const time = new Date().toISOString();
    const body = { ...event, time, account: { ...account, deposits: { count, total } } };
    const complete = { id: `${workflowInfo().workflowId}:${id}`, ...body };
    if (this.unpublished) this.unpublished.push(complete);
    else this.outbox?.put([complete]);
  }

  /** The id of news that may come more than once in this run. A reset publishes the same news under the same id. */
  idOf(what: string): string {
    const count = (this.made.get(what) ?? 0) + 1;
    this.made.set(what, count);
    return `${workflowInfo().originalExecutionRunId}:${what}:${count}`;
  }
}
