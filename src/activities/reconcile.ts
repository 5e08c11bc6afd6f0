/**
 * Compares orders here, at the gateway and in the merchant's list, one by one. One attempt may take hours: its heartbeat says
 * how far it is, so that after a worker has died the next attempt goes on from there.
 */
import { createHash } from 'node:crypto';
import { activityInfo, cancelled, getClient, heartbeat, sleep } from '@temporalio/activity';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { z } from 'zod';
import {
  type AdoptedPayment,
  type AfterSaleState,
  afterSaleWorkflowId,
  type Difference,
  differencesOf,
  isInRange,
  type MerchantRow,
  moneyToSendBack,
  outcomeOf,
  type PaymentState,
  type PaymentWorkflow,
  paymentAfterEnd,
  paymentWorkflowId,
  priorityOf,
  type ReconciledSlice,
  type ReconcileSlice,
  type ReconciliationActivities,
  type RefundMeaning,
  refundMeaningOf,
  startSummary,
  telling,
  WORKFLOW,
  type Word,
  waitsForBuyer,
} from '../contract';
import { DAY, HOUR } from '../gateway/pure/durations';
import { isMore, sumOf } from '../gateway/pure/money';
import { begunWithinQuery, openWithinQuery, orderQuery } from '../temporal/payment-query';
import { ifExists, runsBefore, type ShownRun, stateOfRun } from '../temporal/runs';
import { type ListedWorkflow, listWorkflows } from '../temporal/workflow-list';
import { CallDeferredError, isNoSuchOrder, retryableFailure } from './failures';
import { gatewayOf, type PaymentGateway } from './gateways';
import { recordInActivity } from './recorder';

const AT_A_TIME = 10;
/** Each number takes four conditions of a list query. */
const NUMBERS_A_QUERY = 10;
const STATE_TIMEOUT_MS = 20_000;
/** Each has some 300 bytes; Temporal takes answers and heartbeats of 2 MB. */
const DIFFERENCES_A_PAGE = 1_000;
/** After this long without any answer, in ms, a slice no longer waits for one. */
const SILENCE_MS = HOUR;
const BEAT_MS = 2_000;

/** How far an attempt is. Orders are taken in the order of their numbers: `after` is the last one that was compared. */
const progress = z.object({
  after: z.string(),
  checked: z.number(),
  open: z.number(),
  differences: z.array(z.custom<Difference>()),
  /** Since when no order has had an answer, in ms since the epoch. */
  silent_since: z.number().nullable(),
});
type Progress = z.infer<typeof progress>;

/**
 * The activity of reconciliations. `noSuchOrder`: the gateway's codes for "no such order". `settling_ms`: how long a difference must last
 * before it is told.
 */
export function reconciliationActivities(
  gateways: ReadonlyMap<string, PaymentGateway>,
  noSuchOrder: readonly string[],
  settling_ms: number,
): ReconciliationActivities {
  const words = new Set(noSuchOrder);
  return {
    'payments.reconcile': telling((slice) =>
      new Reconciliation(slice, gatewayOf(gateways, slice.app_id), words, settling_ms).run(),
    ),
    'payments.adopt': telling(async ({ app_id, out_trade_nos }) => {
      const client = getClient();
      for (const out_trade_no of out_trade_nos)
        await adopt(client, { app_id, out_trade_no }, 'ALLOW_DUPLICATE_FAILED_ONLY');
    }),
  };
}

class Reconciliation {
  private readonly client: Client = getClient();
  private readonly merchant: ReadonlyMap<string, MerchantRow> | undefined;

  constructor(
    private readonly slice: ReconcileSlice,
    private readonly gateway: PaymentGateway,
    private readonly noSuchOrder: ReadonlySet<string>,
    private readonly settling_ms: number,
  ) {
    this.merchant = slice.rows && new Map(slice.rows.map((row) => [row.out_trade_no, row]));
  }

  async run(): Promise<ReconciledSlice> {
    const { success, data } = progress.safeParse(activityInfo().heartbeatDetails);
    const soFar = success
      ? data
      : { after: this.slice.after ?? '', checked: 0, open: 0, differences: [], silent_since: null };
    heartbeat(soFar);
    // One answer of the gateway may take longer than the heartbeat timeout.
    const beating = setInterval(() => heartbeat(soFar), BEAT_MS);
    try {
      const all = new Set([...(await this.numbersHere()), ...(this.merchant?.keys() ?? [])]);
      const left = [...all].filter((number) => number > soFar.after && isInRange(number, this.slice.orders)).sort();
      while (left.length > 0 && soFar.differences.length < DIFFERENCES_A_PAGE) {
        const batch = left.splice(0, AT_A_TIME);
        soFar.differences.push(...(await this.compareAll(batch, soFar)));
        soFar.checked += batch.length;
        soFar.after = batch.at(-1) ?? soFar.after;
      }
      soFar.differences = await this.lasting(soFar.differences);
      this.count(soFar.differences);
      const { checked, open, differences, after } = soFar;
      return { checked, open, differences, after: left.length > 0 ? after : null };
    } finally {
      clearInterval(beating);
    }
  }

  /**
   * The orders with something open in the period (a payment, a refund, an after-sale), each in the slice in which that began. What was open
   * when the period began is in its first slice.
   */
  private async numbersHere(): Promise<string[]> {
    const { app_id, since, until, period } = this.slice;
    const slice = { app_id, since: new Date(since), until: new Date(until) };
    const isFirst = since === period.since;
    const all = [...new Set(await this.numbersOf((isFirst ? openWithinQuery : begunWithinQuery)(slice)))];
    if (isFirst) return all;
    const earlier = new Set<string>();
    for (let i = 0; i < all.length; i += NUMBERS_A_QUERY)
      for (const number of await this.openBefore(all.slice(i, i + NUMBERS_A_QUERY))) earlier.add(number);
    return all.filter((number) => !earlier.has(number));
  }

  /** Which of the orders an earlier slice of the period has; also other orders whose numbers begin like one of these. */
  private async openBefore(out_trade_nos: readonly string[]): Promise<string[]> {
    const { app_id, since, period } = this.slice;
    const before = openWithinQuery({ app_id, since: new Date(period.since), until: new Date(since) });
    const ofThese = out_trade_nos.map((number) => orderQuery(app_id, number)).join(' OR ');
    return this.numbersOf(`${before} AND (${ofThese})`);
  }

  private async numbersOf(query: string): Promise<string[]> {
    const found: string[] = [];
    for await (const listed of listWorkflows(this.client, query))
      if (listed.out_trade_no !== null && this.isAsked(listed, listed.out_trade_no)) found.push(listed.out_trade_no);
    return found;
  }

  /**
   * Whether an order is compared. A quiet after-sale is only watched: its trade has the status with which the payment ended, and no person is
   * asked. There are as many of them as sales in PAYMENTS_WATCH_WINDOW, so each is compared once a week, and everything else always.
   */
  private isAsked(
    { type, execution, started_at, status, outcome, attention }: ListedWorkflow,
    number: string,
  ): boolean {
    const { period } = this.slice;
    const wasOpen = type === WORKFLOW.afterSale && execution === 'RUNNING' && started_at < period.since;
    const isQuiet = wasOpen && status === outcome && attention === null;
    return !isQuiet || isDueWithin(number, period);
  }

  /**
   * What differs still a while later. The sides are not asked in the same instant, and a replica of the gateway may be behind: either looks
   * like a difference.
   */
  private async lasting(found: readonly Difference[]): Promise<Difference[]> {
    const left = [...new Set(found.map(({ out_trade_no }) => out_trade_no))];
    if (left.length > 0) await sleep(this.settling_ms);
    const lasting: Difference[] = [];
    while (left.length > 0) {
      const batch = left.splice(0, AT_A_TIME);
      for (const [i, one] of (await this.answersFor(batch)).entries())
        lasting.push(
          ...(one.status === 'fulfilled'
            ? one.value.differences
            : found.filter(({ out_trade_no }) => out_trade_no === batch[i])),
        );
    }
    return lasting;
  }

  /** Compares a few orders, at the rate of the slice. */
  private async answersFor(batch: readonly string[]) {
    const compared = Promise.allSettled(batch.map((number) => this.compare(number)));
    const pause = sleep((batch.length * 1_000) / this.slice.per_second);
    const [answers] = await Promise.all([Promise.race([compared, cancelled()]), pause]);
    return answers;
  }

  /** An order without an answer does not hold up the others: it is a difference of its own. */
  private async compareAll(batch: readonly string[], soFar: Progress): Promise<Difference[]> {
    const compared = await this.answersFor(batch);
    const failures = compared.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    if (failures.length < batch.length) soFar.silent_since = null;
    else await this.onSilence(soFar, failures[0]);
    soFar.open += compared.filter((one) => one.status === 'fulfilled' && one.value.is_open).length;
    return compared.flatMap((one, i) =>
      one.status === 'fulfilled' ? one.value.differences : [this.unanswered(batch[i] ?? '')],
    );
  }

  /**
   * No order of a batch has an answer. If the order before the batch has none either, something is down: this throws, so that the next
   * attempt compares the batch again, until SILENCE_MS have passed.
   */
  private async onSilence(soFar: Progress, failure: unknown): Promise<void> {
    const isOnlyTheBatch = soFar.after !== '' && (await this.isAnswered(soFar.after));
    soFar.silent_since = isOnlyTheBatch ? null : (soFar.silent_since ?? Date.now());
    heartbeat(soFar);
    if (soFar.silent_since !== null && Date.now() - soFar.silent_since < SILENCE_MS) throw failure;
  }

  private isAnswered(out_trade_no: string): Promise<boolean> {
    return this.compare(out_trade_no).then(
      () => true,
      () => false,
    );
  }

  private unanswered(out_trade_no: string): Difference {
    const row = this.merchant?.get(out_trade_no);
    const merchant = row ? `${row.status} ${row.order_amount}` : null;
    return {
      ...{ out_trade_no, kind: 'unanswered', between: 'here and gateway' },
      ...{ here: null, gateway: null, merchant, adopted: false },
    };
  }

  private async compare(out_trade_no: string): Promise<{ differences: Difference[]; is_open: boolean }> {
    const [here, gateway, merchant] = await Promise.all([
      this.wordHere(out_trade_no),
      this.wordOfGateway(out_trade_no),
      this.wordOfMerchant(out_trade_no),
    ]);
    const words = { here, gateway, merchant };
    return { differences: differencesOf(out_trade_no, words), is_open: waitsForBuyer(words) };
  }

  /** Undefined if the list need not have the order: an order that was begun before the period is in an earlier list. */
  private async wordOfMerchant(out_trade_no: string): Promise<Word | undefined> {
    if (this.merchant === undefined) return undefined;
    const row = this.merchant.get(out_trade_no);
    if (row === undefined) return (await this.isBegunBefore(out_trade_no)) ? undefined : null;
    const { status, order_amount: amount, order_currency: currency = null, refunded_amount: refunded = null } = row;
    return { status, amount, currency, refunded };
  }

  /**
   * Whether the order was begun before the period. A later run goes on with the order of the first, unless that failed and made none. Of an
   * old order Temporal may have only the after-sale, which begins after the payment; where it has the payment, the after-sale says nothing.
   */
  private async isBegunBefore(out_trade_no: string): Promise<boolean> {
    const since = new Date(this.slice.period.since);
    for (const idOf of [paymentWorkflowId, afterSaleWorkflowId]) {
      const latest = await this.latestRun(idOf(this.slice.app_id, out_trade_no));
      if (latest === null) continue;
      if (latest.startTime < since) return true;
      const earlier = await runsBefore(this.client, latest);
      return earlier.some(({ startTime, status }) => startTime < since && status.name !== 'FAILED');
    }
    return false;
  }

  /**
   * Null if Temporal has no payment. A payment that made no order has the status NOT_CREATED. The after-sale is asked first: it may have the
   * payment for months after Temporal has forgotten it.
   */
  private async wordHere(out_trade_no: string): Promise<Word> {
    const sale = await this.latestRun(afterSaleWorkflowId(this.slice.app_id, out_trade_no));
    const after_sale = sale && (await this.latestState<AfterSaleState>(sale));
    const latest = await this.latestRun(paymentWorkflowId(this.slice.app_id, out_trade_no));
    const payment = paymentAfterEnd(after_sale) ?? (latest && (await this.latestState<PaymentState>(latest)));
    if (payment === null) return latest && { status: 'NOT_CREATED', amount: null, currency: null };
    const { outcome, trade_status, order_amount: amount, order_currency: currency } = payment;
    const here = { status: outcome ?? trade_status ?? 'CREATING', amount, currency };
    return isBooked(payment, after_sale) ? afterSale(here, after_sale) : here;
  }

  private latestRun(workflowId: string): Promise<WorkflowExecutionDescription | null> {
    return ifExists(() => this.client.workflow.getHandle(workflowId).describe(), null);
  }

  /** The state of the latest run that has one, or null: a failed run has none, but an earlier run may know the order. */
  private async latestState<State>(latest: ShownRun): Promise<State | null> {
    const state = await this.stateOf<State>(latest);
    if (state !== null) return state;
    for (const run of await runsBefore(this.client, latest)) {
      const earlier = await this.stateOf<State>(run);
      if (earlier !== null) return earlier;
    }
    return null;
  }

  /** Null for a run that failed, or that ended before a worker ran it. */
  private async stateOf<State>(run: ShownRun): Promise<State | null> {
    if (run.status.name === 'FAILED') return null;
    const read = () => stateOfRun<State>(this.client, run);
    return ifExists<State | null>(() => this.client.withDeadline(Date.now() + STATE_TIMEOUT_MS, read), null);
  }

  /** Null if the gateway says that it has no such order. Throws a retryable failure for every other error. */
  private async wordOfGateway(out_trade_no: string): Promise<Word> {
    for (;;) {
      try {
        const { trade_status, order_amount, order_currency } = await this.gateway.query({ out_trade_no });
        return { status: trade_status, amount: order_amount ?? null, currency: order_currency ?? null };
      } catch (error) {
        if (isNoSuchOrder(error, this.noSuchOrder)) return null;
        if (!(error instanceof CallDeferredError)) throw retryableFailure(error);
        // Hears the cancellation: another wait would keep a worker from its end.
        await sleep(error.retry_after_ms);
      }
    }
  }

  private count(differences: readonly Difference[]): void {
    const { app_id } = this.slice;
    for (const { kind } of differences) recordInActivity('differences', 1, { app_id, kind });
  }
}

/** What a trade's status may mean while a refund that the gateway has accepted is not final. */
const MAY_BE_UNDER_WAY: readonly RefundMeaning[] = ['stands', 'under way', 'refused', 'revoked'];

/** Whether the after-sale accounts for the money: of a sale, or of an order that was not sold and whose money went back to the buyer. */
function isBooked(payment: PaymentState, sale: AfterSaleState | null): boolean {
  if (payment.outcome === 'SUCCESS') return true;
  const isDecided = payment.attention === null && outcomeOf(sale?.trade_status ?? '') === 'SUCCESS';
  return isDecided && moneyToSendBack(payment, sale) === undefined;
}

/** What is known here of a sale with what followed it: what was refunded, and what the bank decided. */
function afterSale(sale: NonNullable<Word>, state: AfterSaleState | null): Word {
  if (state === null) return sale;
  const { trade_status, refunds, refunded_amount, refunded_elsewhere, refunding_amount } = state;
  const isOpen = isMore(refunding_amount, '0') || refunds.some(({ outcome }) => outcome === 'ACCEPTED');
  // A refund is under way: a merchant who books it now is as right as one who waits for its end.
  if (isOpen && (trade_status === null || MAY_BE_UNDER_WAY.includes(refundMeaningOf(trade_status))))
    return { ...sale, status: 'REFUND_PROCESSING' };
  // Refunds made elsewhere count, too: the trade shows them.
  const refunded = sumOf([refunded_amount, refunded_elsewhere]);
  // A person may have called sold what the gateway does not.
  const status = outcomeOf(trade_status ?? '') === 'SUCCESS' ? trade_status : null;
  return { ...sale, status: status ?? sale.status, refunded, elsewhere: refunded_elsewhere };
}

/** Starts the payment of an order that the gateway may have. */
export async function adopt(
  client: Client,
  order: Omit<AdoptedPayment, 'kind'> & { out_trade_no: string },
  workflowIdReusePolicy: 'ALLOW_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY',
): Promise<void> {
  const input: AdoptedPayment = { kind: 'adopt', ...order };
  const workflowId = paymentWorkflowId(order.app_id, order.out_trade_no);
  try {
    await client.workflow.start<PaymentWorkflow>(WORKFLOW.payment, {
      workflowId,
      taskQueue: activityInfo().taskQueue,
      args: [input],
      staticSummary: startSummary(input),
      priority: priorityOf(workflowId),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

const DAYS_OF_A_WEEK = 7;

/**
 * Whether an order's weekday is in [since, until): each order is compared once a week. The weekday is taken from the number's digest, so
 * that each day has as many orders.
 */
function isDueWithin(out_trade_no: string, { since, until }: { since: string; until: string }): boolean {
  const [first, last] = [Math.floor(Date.parse(since) / DAY), Math.floor((Date.parse(until) - 1) / DAY)];
  const day = createHash('sha256').update(out_trade_no).digest().readUInt32BE() % DAYS_OF_A_WEEK;
  return Array.from(
    { length: Math.min(last - first + 1, DAYS_OF_A_WEEK) },
    (_, i) => (first + i) % DAYS_OF_A_WEEK,
  ).includes(day);
}
