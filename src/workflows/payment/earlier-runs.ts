/** What the runs before this one, under the same workflow id, say of the order. */

import { workflowInfo } from '@temporalio/workflow';
import type {
  AdoptedPayment,
  EarlierEnd,
  EarlierRun,
  NewPayment,
  PaymentData,
  PaymentInput,
  PaymentPolicy,
  PreviousRun,
  Trade,
  TradeId,
} from '../../contract';
import { loadEarlierRun, loadRunBefore } from '../shared/activities';
import type { PaymentFacts } from './context';
import { lastingReasons } from './known-payment';

type Learner = Pick<PaymentFacts, 'known' | 'learn' | 'raise'>;

/**
 * The earlier run that this one goes on from, as soon as Temporal's list of workflows says it: until then a sale of it could be
 * hidden. Meanwhile a person is asked, by `no-answer`.
 */
export async function readRunBefore(thisRun: Learner): Promise<AdoptedPayment | null> {
  return untilRead(loadRunBefore, thisRun);
}

/** What is read, as soon as Temporal answers. Until then a person is asked, by `no-answer`, which may also be the gateway's. */
async function untilRead<Read>(read: () => Promise<Read | 'unread'>, thisRun: Learner): Promise<Read> {
  const isAsked = thisRun.known.reasons.includes('no-answer');
  for (;;) {
    const known = await read();
    if (known !== 'unread' && !isAsked) thisRun.learn({ is: 'cleared', attention: 'no-answer' });
    if (known !== 'unread') return known;
    thisRun.raise('no-answer');
  }
}

/**
 * What a run is to continue as, if an earlier run had an order or, unless `isOfOrder`, a trade; null where it goes on as
 * itself.
 */
export async function nextAfterRunBefore(
  input: PaymentInput,
  thisRun: PaymentFacts,
  isOfOrder: boolean,
): Promise<AdoptedPayment | null> {
  const before = await readRunBefore(thisRun);
  const isSold = before?.previous?.outcome === 'SUCCESS';
  if (!before || (isOfOrder && !before.previous?.order && !isSold)) return null;
  // The input has what the run before knew, but not a sale of a run that was reset.
  if (input.kind === 'adopt' && input.previous !== undefined && !isSold) return null;
  const { trade_no } = input.kind === 'adopt' ? input : before;
  // At the end of an order, the after-sale has them.
  const reasons = isOfOrder ? [] : lastingReasons(thisRun.known);
  return { ...before, ...(trade_no ? { trade_no } : {}), ...(reasons.length > 0 ? { reasons } : {}) };
}

/**
 * The run before. A terminated one has no result, and one that was reset does not know what it sold: what they knew is read from
 * their histories, and from those of the runs before them.
 */
export async function whatItKnew(
  previous: PreviousRun | undefined,
  thisRun: PaymentFacts,
): Promise<PreviousRun | undefined> {
  const earlier = await loadEarlierRun({ order: previous?.order ?? undefined });
  // What was sold is not known: money that comes is before a person, and neither accepted nor refunded.
  if (earlier === 'unread') thisRun.learn({ is: 'unread' });
  if (earlier === null || earlier === 'unread') return previous;
  takeLeft(earlier, thisRun);
  if (!previous || previous.outcome === 'SUCCESS') return previous;
  const { ended, trade_no, payment_data, watched } = earlier;
  if (earlier.is_same_order && ended?.outcome === 'SUCCESS') return { ...previous, ...ended };
  if (!earlier.is_same_order) return watched ? { ...watched, ...knownOf(previous) } : previous;
  const known = { trade_no: trade_no ?? previous.trade_no, payment_data: payment_data ?? previous.payment_data };
  return { ...previous, ...known };
}

/** The fields that have a value, and those that a run always has. */
function knownOf(previous: PreviousRun): Pick<PreviousRun, 'run_id'> & Partial<PreviousRun> {
  const { run_id, ...fields } = previous;
  return {
    run_id,
    order: previous.order,
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
  };
}

/** Runs that somebody ended leave other trades to a person, and what was notified and not read to this run. */
function takeLeft({ other_trades, untaken }: EarlierRun, { learn }: PaymentFacts): void {
  learn({ is: 'left', others: other_trades }, ...untaken.map((signal) => ({ is: 'carried', signal }) as const));
}

/**
 * Whether there may be earlier runs, which may have sold the order: it was started a second time, or this run is a reset of
 * one.
 */
export function mayFollowAnother(order: PaymentInput, isFirst: boolean): boolean {
  const { runId, originalExecutionRunId } = workflowInfo();
  return order.kind !== 'adopt' && (!isFirst || runId !== originalExecutionRunId);
}

/**
 * Whether the run is a reset of the one that was started. Its history says so: a run that is reset after this was recorded has to
 * replay what it did.
 */
export const wasReset = ({ run_id }: Pick<PaymentPolicy, 'run_id'>) => run_id !== workflowInfo().originalExecutionRunId;

export class EarlierRuns {
  private known: EarlierRun | null = null;
  private isRead: boolean;
  /** Whether they were read at least once. */
  hasRead = false;

  constructor(
    private readonly order: NewPayment,
    private readonly thisRun: PaymentFacts,
    isFirst: boolean,
  ) {
    this.isRead = isFirst;
  }

  /** Whether earlier runs were read and none may have made the order. */
  get isNone(): boolean {
    return this.isRead && this.known === null;
  }

  /** After a reset there is one more earlier run, so they are read again. */
  onReset(): void {
    this.isRead = false;
  }

  /** The latest that may have made the order. "None" is asked again each time. */
  async latest(): Promise<EarlierRun | null> {
    const { kind, request } = this.order;
    if (this.known === null) {
      const read = () => loadEarlierRun({ order: { kind, request } });
      // One of them may have sent the order, so nothing is sent before they are read.
      this.known = await untilRead(read, this.thisRun);
      if (this.known) takeLeft(this.known, this.thisRun);
    }
    this.isRead = true;
    this.hasRead = true;
    return this.known;
  }

  /** How one of them has ended. */
  get ended(): EarlierEnd | null {
    return this.known?.ended ?? null;
  }

  /** What the gateway answered when one of them created the same order: the order exists, whatever a query shows. */
  get creationAnswer(): PaymentData | null {
    const { is_same_order = false, payment_data = null } = this.known ?? {};
    return is_same_order && payment_data?.recovered === false ? payment_data : null;
  }

  /** Whether the gateway's answer to one of them named this trade. */
  isProven(trade_no: string | undefined): boolean {
    return this.known?.is_proven === true && trade_no === this.trade_no;
  }

  /** What an earlier run answered to callers. It stands, unless it named another trade. */
  answerFor({ trade_no }: Pick<Trade, 'trade_no'>): PaymentData | null {
    const { payment_data = null } = this.known ?? {};
    return !payment_data?.trade_no || payment_data.trade_no === trade_no ? payment_data : null;
  }

  /** The ids to find the order's trade by, the surest first. */
  get ids(): TradeId[] {
    const { trade_no } = this;
    const { out_trade_no } = this.order.request;
    return [...(trade_no === undefined ? [] : [{ trade_no }]), { out_trade_no }];
  }

  /** The number of the trade that one of them had. */
  get trade_no(): string | undefined {
    return this.known?.trade_no ?? undefined;
  }
}
