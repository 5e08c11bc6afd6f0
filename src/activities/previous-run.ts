/** What Temporal still knows about a trade: its payment, and earlier after-sales. Read through the worker's own client. */
import { activityInfo, getClient } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import {
  type AfterSaleCarried,
  type EarlierAfterSale,
  type PreviousRunActivities,
  paymentWorkflowId,
  SEARCH_ATTRIBUTE,
  type SentRefund,
  SIGNAL,
  telling,
} from '../contract';
import { DAY } from '../gateway/pure/durations';
import { activitiesIn } from '../temporal/history-events';
import { carriedIn, earlierRuns, ifExists, type ShownRun, takenRunUpTo } from '../temporal/runs';
import { givenTo, knowingRun, NOTHING_GIVEN, orderUnder, readPaymentEnd } from '../temporal/workflow-history';
import { loadEarlierPayments } from './earlier-payments';
import { notYet } from './failures';
import { type BuyerOf, buyerOfOrder } from './make-refund';
import { forRun } from './own-run';
import { untakenNotifications } from './untaken-notifications';
import { readInTime } from './urgency';

/** The activities by which a payment or an after-sale takes over what earlier runs knew. */
export const previousRunActivities: PreviousRunActivities = {
  'payments.earlierRuns': telling(async () => {
    const { workflowId = '', runId = '' } = activityInfo().workflowExecution ?? {};
    return readInTime(() => loadEarlierPayments(getClient(), workflowId, runId), 'unread');
  }),

  'payments.knownBefore': telling(async ({ app_id, out_trade_no, of = 'all' }) => {
    const client = getClient();
    const { workflowId = '', runId = '' } = activityInfo().workflowExecution ?? {};
    const left = of === 'payment' ? NOTHING_LEFT : await leftBefore(client, workflowId, runId);
    return { ...left, ...(await paymentOf(client, paymentWorkflowId(app_id, out_trade_no), of)) };
  }),

  'payments.noticeReset': forRun(async () => {
    throw notYet('it waits for a person, as it should: this activity only notices a reset', DAY);
  }),
};

/** The buyer's data of the order that Temporal holds for a trade; empty if Temporal does not have the payment. */
export const buyerOfPayment: BuyerOf = async ({ app_id, id: { out_trade_no } }) => {
  if (out_trade_no === undefined) return {};
  const order = await ifExists(() => orderUnder(getClient(), paymentWorkflowId(app_id, out_trade_no)), null);
  return buyerOfOrder(order?.request ?? {});
};

type Left = Pick<EarlierAfterSale, 'sale' | 'claims' | 'handed' | 'sent' | 'is_unread'>;

/**
 * What earlier runs left: what the latest run knew that had read the runs before it, and the untaken notifications of that run and of the
 * runs after it. Throws a retryable failure while the list is behind.
 */
async function leftBefore(client: Client, workflowId: string, runId: string): Promise<Left> {
  let left: Left = NOTHING_LEFT;
  let hasReadAll = false;
  for (const run of await earlierRuns(client, workflowId, runId)) {
    // Where a later ledger cannot be read, an older one must not be used.
    const carried = left.is_unread ? null : await readInTime(() => carriedBy(client, run), null);
    // A reset that never read the runs before it took nothing on their behalf, however it ended.
    const isEnded = run.status.name === 'COMPLETED' && carried?.has_read !== false;
    const untaken = isEnded ? [] : await untakenNotifications(client, run, carried?.taken ?? 0);
    const claims = [...untaken, ...left.claims];
    const handed = [...(isEnded ? [] : await handedTo(client, run, carried)), ...left.handed];
    left =
      carried === null
        ? { sale: null, claims, handed, sent: [...(await sentRefunds(client, run)), ...left.sent], is_unread: true }
        : {
            sale: carried.has_read ? carried.sale : (left.sale ?? carried.sale),
            claims,
            handed,
            sent: left.sent,
            is_unread: false,
          };
    hasReadAll = carried?.has_read === true;
    if (hasReadAll) break;
  }
  // What a reset knows without having read the runs before it may be incomplete.
  return { ...left, is_unread: left.is_unread || (!hasReadAll && left.sale !== null) };
}

/** A refund that was sent, as the activity `gateway.refund` was given it. */
const attempt = z.object({
  id: z.object({ trade_no: z.string().optional() }),
  request: z.object({ out_request_no: z.string(), refund_amount: z.string(), refund_currency: z.string() }),
});

/**
 * The refunds that a run may have sent, from its history alone, so that no worker has to answer. Unreadable payloads, such as clear text
 * where keys are set, are left out.
 */
async function sentRefunds(client: Client, run: ShownRun): Promise<SentRefund[]> {
  const sent = await ifExists(() => activitiesIn(client, run, 'gateway.refund'), []);
  return sent.flatMap(({ input }) => {
    const { data } = attempt.safeParse(input);
    if (data === undefined) return [];
    const { out_request_no: number, refund_amount: amount, refund_currency: currency } = data.request;
    return [{ number, amount, currency, trade_no: data.id.trade_no ?? null }];
  });
}

/** What a payment has handed to a run, in its input and by signals, and the run does not carry. */
async function handedTo(
  client: Client,
  { workflowId, runId }: ShownRun,
  carried: AfterSaleCarried | null,
): Promise<unknown[]> {
  const { input, signals } = await ifExists(() => givenTo(client, workflowId, runId), NOTHING_GIVEN);
  const { payment = null }: { payment?: unknown } = typeof input === 'object' && input !== null ? input : {};
  const given = signals.flatMap(({ name, argument }) => (name === SIGNAL.payment ? [argument] : []));
  if (carried?.has_read) return given.slice(carried.taken_payments);
  return payment === null ? given : [payment, ...given];
}

/** What a run would hand on; nothing if no worker ever ran it. */
const carriedBy = (client: Client, run: ShownRun) =>
  ifExists<AfterSaleCarried>(() => carriedIn(client, run), {
    sale: null,
    has_read: false,
    taken: 0,
    taken_payments: 0,
  });

const NOTHING_LEFT: Left = { sale: null, claims: [], handed: [], sent: [], is_unread: false };
const NO_PAYMENT: KnownPayment = { has_payment: false, is_running: false, method: null, trade_no: null, end: null };

type KnownPayment = Pick<EarlierAfterSale, 'has_payment' | 'is_running' | 'method' | 'trade_no' | 'end'>;

async function paymentOf(client: Client, paymentId: string, of: 'all' | 'payment'): Promise<KnownPayment> {
  const latest = await ifExists(() => client.workflow.getHandle(paymentId).describe(), null);
  const is_running = latest?.status.name === 'RUNNING';
  // A running payment reports its end itself, so the list of its earlier runs, which may be down, is not needed.
  if (is_running && of === 'payment') return { ...NO_PAYMENT, has_payment: true, is_running };
  const described =
    latest && (await ifExists(async () => knowingRun(client, await takenRunUpTo(client, latest)), null));
  if (described === null) return NO_PAYMENT;
  const { typedSearchAttributes: found } = described;
  const trade_no = found.get(SEARCH_ATTRIBUTE.tradeNo) ?? null;
  const end = await readPaymentEnd(client, described);
  const method = found.get(SEARCH_ATTRIBUTE.method) ?? null;
  return { has_payment: true, is_running, method, trade_no, end };
}
