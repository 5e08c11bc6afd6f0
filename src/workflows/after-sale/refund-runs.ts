/** The workflows of an after-sale's refunds: how each is started, told what comes, and found to be lost. */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ChildWorkflowFailure,
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AfterSaleResolution,
  knownIds,
  type NotificationSignal,
  type RefundChange,
  type RefundInput,
  type RefundOrder,
  type RefundRun,
  type RefundState,
  refundWorkflowId,
  SIGNAL,
} from '../../contract';
import type { RefundFailure } from '../order/refusals';
import { loadRefundRun } from '../shared/activities';
import { uncancelled } from '../shared/cancellable';
import type { AfterSaleRecord } from './record';
import { makesFree, ON_ITS_WAY_MS, type PersonsDecision } from './refund/record';
import { refund } from './refund/workflow';
import { declinedDecision, obstacleTo, onItsWay } from './requests';

/** A refund that an earlier after-sale started is asked how it stands. It answers within this time, or is lost. */
const ANSWERS_WITHIN_MS = 5 * 60_000;
/** So often a refund that an earlier after-sale started is asked whether it still runs. */
const ASKED_EVERY_MS = 60 * 60_000;
/** The workflow of a refund takes a person's decision within this time. */
const DECIDES_WITHIN_MS = 30_000;
/** A try whose number was used before waits for the end of the workflow before it. */
const CLOSES_WITHIN_MS = 1_000;
const STARTS = 30;

type Reuse = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';

/** What the after-sale hears of its refunds. */
export interface RefundListener {
  onEnd(refund: RefundState): void;
  /** An earlier after-sale made it, and it has ended. */
  onFound(refund: RefundState): void;
  /** The refund's workflow has gone, and nobody knows its outcome. */
  onLost(refund: RefundState): void;
}

export class RefundRuns {
  /** The tries that this run follows, by number and try. */
  private readonly followed = new Set<string>();
  private readonly heardOf = new Set<string>();
  private readonly heldBack = new Set<string>();
  /** Those that certainly no workflow makes any more, and since when that is known. One that does not answer may still send. */
  private readonly gone = new Map<string, number>();
  /** Those that were sent before a person's decision reached them. */
  private readonly declined = new Set<string>();

  constructor(
    private readonly app_id: string,
    private readonly record: AfterSaleRecord,
    private readonly listener: RefundListener,
  ) {}

  isFollowed(entry: RefundState): boolean {
    return this.followed.has(nameOf(entry));
  }

  /** Tells a refund that the gateway has not taken why it may not be sent any more. */
  holdBack(entry: RefundState): void {
    if (!this.isFollowed(entry) || entry.answer !== null || this.heldBack.has(nameOf(entry))) return;
    const obstacle = this.obstacleTo(entry);
    if (obstacle === undefined) return;
    this.heldBack.add(nameOf(entry));
    this.signal(entry, SIGNAL.holdBack, obstacle);
  }

  private obstacleTo(entry: RefundState): RefundFailure | undefined {
    return obstacleTo(this.record, entry);
  }

  /** The refund's workflow has reported. */
  noteNews({ refund: reported, declined = false }: RefundChange): void {
    this.heardOf.add(nameOf(reported));
    if (this.gone.delete(nameOf(reported))) this.followAgain(reported);
    if (declined) this.declined.add(nameOf(reported));
  }

  /** It had gone, and somebody has reset it: nobody waits for its end any more. */
  private followAgain({ out_request_no, attempt }: RefundState): void {
    const entry = this.record.ledger.find(out_request_no);
    if (entry?.attempt === attempt) void uncancelled(() => this.askOn(entry));
  }

  /** Starts the refund, or asks the one that an earlier after-sale has started. */
  async follow(entry: RefundState): Promise<void> {
    const { ledger } = this.record;
    this.followed.add(nameOf(entry));
    // What was granted before this was known is not sent.
    const obstacle = entry.started_at === null ? this.obstacleTo(entry) : undefined;
    if (obstacle) {
      this.listener.onEnd({ ...entry, outcome: 'NOT_CREATED', failure: obstacle });
      return;
    }
    const request = ledger.requestOf(entry);
    ledger.markStarted(entry, Date.now());
    if (request === undefined) void uncancelled(() => this.askOn(entry));
    else await this.start(entry, request);
  }

  tell(entry: RefundState, notification: NotificationSignal): void {
    this.signal(entry, SIGNAL.notification, notification, () => this.lose(entry));
  }

  /**
   * Carries out a person's decision. Where the refund's workflow runs, it is the one that takes it: it may have sent the refund
   * a moment ago. Throws `InvalidRequest` where the decision does not count.
   */
  async decide(entry: RefundState, resolution: AfterSaleResolution): Promise<void> {
    const { outcome, by, reason } = resolution;
    if (outcome === undefined) return;
    const name = nameOf(entry);
    let isGone = entry.outcome !== null || entry.started_at === null || this.gone.has(name);
    if (!isGone) {
      this.declined.delete(name);
      const decision: PersonsDecision = { ...resolution, sent_at: entry.sent_at };
      this.signal(entry, SIGNAL.resolve, decision, () => {
        isGone = true;
        this.noteGone(name);
      });
      const isHeard = () => isGone || entry.outcome !== null || this.declined.has(name);
      await condition(isHeard, DECIDES_WITHIN_MS, { summary: 'until the refund has taken the decision' });
    }
    if (isGone && makesFree(outcome) && this.isOnItsWay(entry)) throw onItsWay();
    if (isGone && entry.attention !== null) this.record.decide(entry, outcome, { by, reason });
    const { resolved } = entry;
    if (entry.outcome !== outcome || resolved?.by !== by || resolved.reason !== reason) throw declinedDecision();
  }

  private async start(entry: RefundState, request: RefundOrder): Promise<void> {
    let reuse: Reuse = 'REJECT_DUPLICATE';
    for (let tries = 1; !(await this.hasStarted(entry, request, reuse)); tries += 1) {
      const isDecided = this.record.ledger.isAfterDecision(entry);
      const from = isDecided ? { from_attempt: entry.attempt } : {};
      const found = await loadRefundRun({ workflow_id: this.idOf(entry), ...from });
      if (found !== null && isThisTry(found, entry, isDecided)) return this.adopt(entry, found);
      if (tries === STARTS) return this.lose(entry);
      // The try before certainly made no refund.
      if (found?.is === 'closed') reuse = 'ALLOW_DUPLICATE';
      else await sleep(CLOSES_WITHIN_MS, { summary: 'until the try before has ended' });
    }
  }

  /** An earlier after-sale, or this one before a reset, started the refund: it is not made once more. */
  private adopt(entry: RefundState, { is, refund }: RefundRun): void {
    // Somebody else's workflow says nothing of this refund.
    if (refund?.out_request_no !== entry.out_request_no) {
      this.lose(entry);
      return;
    }
    this.record.adopt(entry, refund);
    this.followed.add(nameOf(entry));
    if (is === 'running') void uncancelled(() => this.askOn(entry));
    else if (refund.outcome === null) this.lose(entry);
    else this.listener.onFound(refund);
  }

  private async hasStarted(entry: RefundState, request: RefundOrder, reuse: Reuse): Promise<boolean> {
    try {
      const child = await startChild(refund, {
        workflowId: this.idOf(entry),
        args: [this.inputOf(entry, request)],
        workflowIdReusePolicy: reuse,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `${entry.refund_amount} ${entry.refund_currency}`,
      });
      child.result().then(
        (state) => this.listener.onEnd(state),
        (error: unknown) => {
          if (error instanceof ChildWorkflowFailure) this.lose(entry);
        },
      );
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }

  private inputOf(entry: RefundState, request: RefundOrder): RefundInput {
    const { app_id, trade_no, out_trade_no, order_amount, method } = this.record.snapshot();
    const { explainedStatuses: explained } = this.record;
    const bank_said = this.record.bank.saidLately(Date.now());
    return {
      app_id,
      after_sale_id: workflowInfo().workflowId,
      ...knownIds({ trade_no, out_trade_no }),
      trade: {
        ...{ order_amount: order_amount ?? request.refund_amount, method, explained, bank_said },
        earlier_statuses: this.record.earlierStatuses,
      },
      request,
      state: { ...entry },
    };
  }

  /** Asks a refund that an earlier after-sale started again and again: its end by others sends no news. */
  private async askOn(entry: RefundState): Promise<void> {
    const isOver = () => entry.outcome !== null || this.gone.has(nameOf(entry));
    do this.ask(entry);
    while (!(await condition(isOver, ASKED_EVERY_MS, { summary: 'until the refund is asked again' })));
  }

  /** Asks a refund for its state. Does not wait: test servers never answer a signal to a missing workflow. */
  private ask(entry: RefundState): void {
    const name = nameOf(entry);
    this.signal(entry, SIGNAL.notification, {}, () => this.lose(entry));
    condition(() => this.heardOf.has(name), ANSWERS_WITHIN_MS, { summary: 'how long the answer may take' }).then(
      (isHeard) => {
        // It may only be slow: it is before a person, and what that person decides is its workflow's to take.
        if (!isHeard) this.listener.onLost(entry);
      },
      () => undefined,
    );
  }

  private lose(entry: RefundState): void {
    this.noteGone(nameOf(entry));
    this.listener.onLost(entry);
  }

  private noteGone(name: string): void {
    if (!this.gone.has(name)) this.gone.set(name, Date.now());
  }

  private isOnItsWay(entry: RefundState): boolean {
    const gone_at = this.gone.get(nameOf(entry));
    return entry.outcome === null && gone_at !== undefined && Date.now() - gone_at < ON_ITS_WAY_MS;
  }

  private signal(entry: RefundState, name: string, arg: unknown, ifGone: () => void = () => undefined): void {
    // A signal that a cancellation has stopped says nothing of the refund's workflow.
    uncancelled(() => getExternalWorkflowHandle(this.idOf(entry)).signal(name, arg)).catch(ifGone);
  }

  private idOf({ out_request_no }: RefundState): string {
    const { app_id, record } = this;
    const { out_trade_no, trade_no } = record.snapshot();
    return refundWorkflowId(app_id, out_trade_no ?? trade_no ?? '', out_request_no);
  }
}

/**
 * Whether the workflow under a refund's id is this try, a later one, or one that made a refund under the number, unless a person
 * has decided that it made none.
 */
function isThisTry({ is, refund }: RefundRun, { attempt }: RefundState, isDecided: boolean): boolean {
  if (refund === null || refund.attempt >= attempt) return true;
  if (isDecided) return false;
  return is === 'closed' && refund.outcome !== null && refund.outcome !== 'NOT_CREATED';
}

const nameOf = ({ out_request_no, attempt }: RefundState) => `${attempt}:${out_request_no}`;
