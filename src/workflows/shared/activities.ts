/** The activities of payments and after-sales, with their retry options. */
import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityFunctionWithOptions,
  type ActivityOptions,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import {
  activityWords,
  type CreateInput,
  type ForRun,
  type GatewayActivities,
  type GrantedRefund,
  type LocalActivities,
  type LookInput,
  type LookResult,
  type OrderRequest,
  type PreviousRunActivities,
  RETRY_PAUSES,
  type TradeId,
  type WatchInput,
} from '../../contract';
import { hasRunOut, silenceAfter } from './activity-failure';
import { isTradeOrNull, NEVER_OVER, untilAnswered, untilTold } from './ended-by-hand';

// — How they are retried, and which ones a busy worker does first. A pending activity keeps the options that it was started with —

/**
 * The settings allow one HTTP exchange at most 55 s (connect 5, headers 25, body 25). After more silence the worker has
 * died.
 */
const startToCloseTimeout = '60 seconds';

/** A waiting task with a lower key goes first: orders and awaited looks go before polls. */
const CREATION = { priorityKey: 1 };
const LOOK = { priorityKey: 2 };
const POLL = { priorityKey: 5 };

/** For queries: safe to repeat without end. */
export const QUERYING = {
  startToCloseTimeout,
  priority: LOOK,
  retry: { initialInterval: RETRY_PAUSES.first_ms, backoffCoefficient: 2, maximumInterval: RETRY_PAUSES.longest_ms },
} satisfies ActivityOptions;

/**
 * For a look within a workflow task, which the SDK prolongs after eight of its ten seconds. A shorter look is no gain: where a slow gateway
 * outlasts it, the gateway is asked twice, and each answer takes longer.
 */
const GLANCING = {
  startToCloseTimeout: '7 seconds',
  retry: { maximumAttempts: 1 },
} satisfies ActivityOptions;

/**
 * For creations. A worker that dies during the call leaves an unknown outcome, which must never be repeated blindly. So
 * the server reports this time-out to the workflow and does not retry.
 */
export const CREATING = {
  startToCloseTimeout,
  priority: CREATION,
  retry: {
    ...QUERYING.retry,
    nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat'],
  },
} satisfies ActivityOptions;

/** For refunds: the same, and each attempt makes two exchanges, a look and the request. */
export const REFUNDING = { ...CREATING, startToCloseTimeout: '2 minutes' } satisfies ActivityOptions;

/** For polls. The server spaces the attempts as the activity asks: years of them add no events to the history. */
export const WATCHING = {
  startToCloseTimeout,
  priority: POLL,
  retry: { initialInterval: '15 seconds', backoffCoefficient: 2, maximumInterval: '1 hour' },
} satisfies ActivityOptions;

// — The activities —

/** A request that is under way is waited for, even if nobody wants it any more: only its end tells whether it was sent. */
const WAITED_FOR = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED };
const refunding = proxyActivities<GatewayActivities>({ ...REFUNDING, ...WAITED_FOR });
const querying = proxyActivities<GatewayActivities>(QUERYING);
const watching = proxyActivities<GatewayActivities>(WATCHING);

/** The gateway's operations on a trade, each with a line for Temporal UI: its purpose, and what is known before. */
export const gateway = {
  createOrder: (order: CreateInput) =>
    proxyActivities<GatewayActivities>({ ...CREATING, ...WAITED_FOR, ...boundsOf(order) })[
      'gateway.create'
    ].executeWithOptions({ summary: `sends the order: ${moneyOf(order.request)}` }, [order]),
  requestRefund: summed(refunding['gateway.refund'], ({ request }) => `sends the refund: ${refundOf(request)}`),
  lookAtTrade,
  searchTrade: askedAgain(summed(querying['gateway.find'], ({ id }) => `looks for ${named(id)}, ever less often`)),
  watchTrade: askedAgain(summed(watching['gateway.watch'], watchSummary)),
};

/**
 * An attempt that begins after `send_before` would only report that nothing was sent, so the server, by its own clock, lets none begin.
 * It also ends an activity that no worker can run.
 */
function boundsOf({ send_before }: CreateInput): ActivityOptions {
  const left_ms = Math.max(send_before - Date.now(), 1_000);
  return { scheduleToStartTimeout: left_ms, scheduleToCloseTimeout: left_ms + CREATION_OVERDUE_MS };
}

/** A look. If no worker could make it, that counts as no answer. */
async function lookAtTrade(look: LookInput): Promise<LookResult> {
  const { id, seen, patience_ms, settling_ms } = look;
  const summary =
    seen === undefined
      ? `asks what the gateway has of ${named(id)}`
      : `asks for ${named(id)} until its answer lasts; so far ${seen}`;
  const scheduleToCloseTimeout = patience_ms + settling_ms + LOOK_OVERDUE_MS;
  try {
    return await proxyActivities<GatewayActivities>({ ...QUERYING, scheduleToCloseTimeout })[
      'gateway.look'
    ].executeWithOptions({ summary }, [look]);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || !hasRunOut(error)) throw error;
    return { is: 'no-answer', message: error.cause?.message ?? error.message, why: silenceAfter(error) };
  }
}

/** How long after its patience the server ends a look that the worker has not ended, in ms: attempts may have waited for their turn. */
const LOOK_OVERDUE_MS = 4 * 60_000;

export const { 'gateway.glance': glanceAtTrade } = proxyLocalActivities<GatewayActivities>(GLANCING);

/** How long after its time the server ends a creation, in ms, whatever its attempts do. */
export const CREATION_OVERDUE_MS = 2 * 60_000;

const READING = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
} satisfies ActivityOptions;

const reading = <Name extends keyof PreviousRunActivities>(
  name: Name,
  more: ActivityOptions = {},
): PreviousRunActivities[Name] =>
  proxyActivities<PreviousRunActivities>({ ...READING, ...more, summary: activityWords(name) })[name];

/** What Temporal knows of other runs. */
export const loadEarlierRuns = untilTold(reading('payments.earlierRuns'));
const loadKnownBefore = untilTold(reading('payments.knownBefore'));
const loadKnownBeforeSoon = untilTold(reading('payments.knownBefore', { scheduleToCloseTimeout: '15 minutes' }));

/**
 * What Temporal knows of an order after its sale. If Temporal gives no answer within 15 minutes, calls `onSilence` and keeps
 * asking.
 */
export async function loadPreviousRun(
  order: Parameters<typeof loadKnownBefore>[0],
  onSilence: () => void,
): ReturnType<typeof loadKnownBefore> {
  try {
    return await loadKnownBeforeSoon(order);
  } catch (error) {
    if (!hasRunOut(error)) throw error;
  }
  onSilence();
  return loadKnownBefore(order);
}

const noticing = proxyActivities<PreviousRunActivities>({
  ...WATCHING,
  summary: activityWords('payments.noticeReset'),
});

/** Returns never, and adds no events while it waits: throws `WasReset` in a reset, whichever task the reset repeats. */
export const noticeReset = ({ read_by }: ForRun): Promise<never> =>
  untilAnswered(
    () => noticing['payments.noticeReset']({ read_by }),
    () => false,
    NEVER_OVER,
  );

/** A worker that fails here three times fails the task (failed-tasks.ts): another worker may take it, and Temporal shows the failure. */
export const { 'gateway.policy': loadPolicy } = proxyLocalActivities<LocalActivities>({
  startToCloseTimeout: '10 seconds',
  retry: { maximumAttempts: 3 },
});

/** The activity with a summary made from its input. A summary adds no event, and holds nothing personal. */
function summed<Input, Result>(
  activity: ActivityFunctionWithOptions<(input: Input) => Promise<Result>>,
  summary: (input: Input) => string,
): (input: Input) => Promise<Awaited<Result>> {
  return (input) => activity.executeWithOptions({ summary: summary(input) }, [input]);
}

/** Makes the look again if a person has ended it: see ended-by-hand.ts. */
function askedAgain<Input, Result>(look: (input: Input) => Promise<Result>): (input: Input) => Promise<Result> {
  return (input) => untilAnswered(() => look(input), isTradeOrNull, NEVER_OVER);
}

function watchSummary({ id, seen }: WatchInput): string {
  return `asks now and then for ${named(id)}, whether it has moved on; last answer ${seen ?? 'none'}`;
}

const named = ({ trade_no, out_trade_no }: TradeId) => (trade_no ? `trade ${trade_no}` : `order ${out_trade_no}`);
const moneyOf = ({ method, order_amount, order_currency }: OrderRequest) =>
  `${method ? `${method} ` : ''}${order_amount} ${order_currency}`;
const refundOf = ({ refund_amount, refund_currency, out_request_no }: GrantedRefund) =>
  `${refund_amount} ${refund_currency}${out_request_no ? `, number ${out_request_no}` : ''}`;
