/** The gateway of a story: it answers queries as it did in reality, and gives the results of requests at their times. */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { gatewayActivities, type PaymentGateway } from '../activities';
import { ownRunId } from '../activities/own-run';
import { currentTime } from '../activities/time';
import type { CreateResult, GatewayActivities, LocalActivities, RefundResult } from '../contract';
import { afterSaleWorkflowId, NOTHING_SENT } from '../contract';
import { GatewayError, type Trade, type TradeId } from '../gateway';
import { PATH } from '../gateway/pure/paths';
import { isCredentialsRefusal } from '../gateway/refusals';
import type { Story, StoryEvent } from '../temporal/story';
import { refused, SUB_CODE, silence } from './fake-gateway/mishaps';

type Played = GatewayActivities & LocalActivities;
type EventOf<Is extends StoryEvent['is']> = Extract<StoryEvent, { is: Is }>;

const [NOT_SENT = ''] = NOTHING_SENT;
const AS_TOLD = 'as the story tells';

/** The activities that ask the gateway, for the story of an order that began at `began`, in ms since the epoch. */
export function storyActivities(story: Story, { app_id, began }: { app_id: string; began: number }): Played {
  const { events, settings } = story;
  const creations = events.filter((one) => one.is === 'created');
  const refunds = events.filter((one) => one.is === 'refunded');
  const elapsed = () => currentTime() - began;
  const query: PaymentGateway['query'] = async (id) =>
    answerTo(id, untilRequest(events, [creations[0], refunds[0]]), elapsed());
  const never = () => Promise.reject(new Error('a story makes no request'));
  const gateway: PaymentGateway = { query, pay: never, createCheckout: never, refund: never };
  return {
    ...gatewayActivities({ gateways: new Map([[app_id, gateway]]), sealingKeys: () => [], notifyUrl: undefined }),
    'gateway.create': async () => createdAs(nextOf(creations, elapsed()).tried),
    'gateway.refund': async () => refundedAs(nextOf(refunds, elapsed()).answered),
    'gateway.policy': async () => {
      const { workflowId = '' } = activityInfo().workflowExecution ?? {};
      const isAfterSale = workflowId.startsWith(afterSaleWorkflowId(app_id, ''));
      const policy = isAfterSale ? settings.after_sale : settings.payment;
      return { ...policy, listeners: [], read_by: ownRunId(), is_followed: false };
    },
  };
}

/** The next event, once its time has come: until then nothing was sent, and the activity may be cancelled. */
function nextOf<Event extends StoryEvent>(events: Event[], elapsed_ms: number): Event {
  const [next] = events;
  const wait_ms = next === undefined ? LATER_MS : next.after_ms - elapsed_ms;
  if (next !== undefined && wait_ms <= 0) {
    events.shift();
    return next;
  }
  throw ApplicationFailure.create({ type: NOT_SENT, message: 'nothing is told yet', nextRetryDelay: wait_ms });
}

/** When to try again if the story has no such event any more, in ms. */
const LATER_MS = 60 * 60_000;

function createdAs(tried: EventOf<'created'>['tried']): CreateResult {
  return tried.is === 'created'
    ? { is: 'created', answer: { code: '10000', msg: 'Success', ...tried.answer } }
    : { ...tried, message: AS_TOLD };
}

function refundedAs(answered: EventOf<'refunded'>['answered']): RefundResult {
  const error = { outcome: 'unknown', retryable: false, operation: PATH.refund } as const;
  switch (answered.said) {
    case 'taken':
      return { is: 'accepted', answer: { code: '10000', msg: 'Success', ...answered.answer } };
    case 'not-sent':
      return { is: 'moved', trade: null };
    case 'unknown':
      return { is: 'unknown', error, message: AS_TOLD };
    case 'refused':
      return {
        is: 'not-created',
        error,
        message: AS_TOLD,
        credentials: isCredentialsRefusal(answered.failure.details),
      };
    case 'taken-by-others':
      return { is: 'duplicate', error, message: AS_TOLD, reached: false };
  }
}

/** The events before a request that is not sent yet: what the gateway shows later, it shows once the request was sent. */
function untilRequest(events: readonly StoryEvent[], requests: readonly (StoryEvent | undefined)[]) {
  const end = events.findIndex((one) => requests.includes(one) && isSent(one));
  return end < 0 ? events : events.slice(0, end);
}

function isSent(event: StoryEvent): boolean {
  if (event.is === 'created') return event.tried.is !== 'not-sent';
  return event.is === 'refunded' && event.answered.said !== 'not-sent';
}

/** The gateway's answer about a trade, `elapsed_ms` after the story began. Throws GatewayError if it denies the trade, or is silent. */
function answerTo(id: TradeId, events: readonly StoryEvent[], elapsed_ms: number): Trade {
  const isOther = events.some((one) => 'of' in one && one.of === id.trade_no && id.trade_no !== undefined);
  const said = events
    .flatMap((one) => saidOf(one, isOther ? id.trade_no : undefined))
    .filter(({ since_ms }) => since_ms <= elapsed_ms);
  const { trade, why } = said.at(-1) ?? { trade: null, why: undefined };
  if (trade) return { ...id, ...trade };
  const refuse = { code: '40002', sub_code: SUB_CODE.unknownTrade };
  if (why === undefined) throw refused(refuse, PATH.query, 'order', id.out_trade_no);
  if (why !== 'credentials') throw silence('unknown', PATH.query, id.out_trade_no);
  throw new GatewayError(AS_TOLD, { outcome: 'not-created', retryable: false, operation: PATH.query, ...CREDENTIALS });
}

const CREDENTIALS = { code: '40002', sub_code: 'invalid-signature' };

interface Said {
  since_ms: number;
  /** Null if no trade is shown. */
  trade: { trade_status: string } | null;
  /** Why there is no answer, not even a denial. */
  why?: string;
}

/** What an event answers to a query for the order's trade, or for another one of this number. */
function saidOf(event: StoryEvent, other: string | undefined): Said[] {
  if (event.is === 'created' && event.tried.is === 'created' && other === undefined) {
    const { trade_status, trade_no } = event.tried.answer;
    const isShown = typeof trade_status === 'string' && typeof trade_no === 'string';
    return isShown ? [{ since_ms: event.after_ms, trade: { trade_status, ...{ trade_no } } }] : [];
  }
  if (event.is !== 'shown' && event.is !== 'missing' && event.is !== 'silent') return [];
  if (event.of !== other) return [];
  const { since_ms } = event;
  if (event.is === 'shown') return [{ since_ms, trade: event.trade }];
  return event.is === 'missing' ? [{ since_ms, trade: null }] : [{ since_ms, trade: null, why: event.why }];
}
