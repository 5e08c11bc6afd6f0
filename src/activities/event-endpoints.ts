/**
 * The addresses that get events (PAYMENTS_EVENTS_URL). Each event is a POST signed as Standard Webhooks define, so that a receiver in any
 * language can check it with their library.
 */
import { createHash } from 'node:crypto';
import { activityInfo, getClient, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { Webhook } from 'standardwebhooks';
import { request } from 'undici';
import {
  attemptsWithin,
  deliveredStream,
  deliveryAttributes,
  type EventDeliveryActivities,
  type EventDeliveryInput,
  eventDeliveryWorkflowId,
  type MerchantEvent,
  paymentWorkflowId,
  priorityOf,
  runStream,
  SIGNAL,
  STUCK_SWEEP_WORKFLOW_ID,
  speiAccountWorkflowId,
  WORKFLOW,
} from '../contract';
import { HOUR } from '../gateway/pure/durations';
import { endpointOf } from '../process/settings';
import type { Telemetry } from '../temporal/telemetry/telemetry';
import { recordInActivity } from './recorder';

export interface EventEndpoints {
  urls: readonly string[];
  /** `whsec_…`: every one signs, so that receivers can change from one to the next. */
  secrets: readonly string[];
  /** An event that an address has not taken after this long, in ms, needs a person. */
  giveUpMs: number;
}

/** How long an address may take to answer, in ms. Together with POSTING_MS, in which posts begin, less than the activity's 30 s. */
const ANSWER_TIMEOUT_MS = 15_000;
const POSTING_MS = 10_000;

/**
 * Hands events of one payment or account to the delivery workflow of each configured address; without addresses it does nothing. Returns
 * once Temporal has the events for each address. Throws only after it has tried all addresses, so that a full delivery holds up no other.
 */
export async function handOver(events: readonly MerchantEvent[], endpoints: EventEndpoints | undefined): Promise<void> {
  const [first] = events;
  if (!first || !endpoints) return;
  const { urls, giveUpMs } = endpoints;
  const subject = subjectOf(first);
  const stream = streamOf(first, subject);
  const toOne = async (url: string) => {
    const input: EventDeliveryInput = { endpoint: endpointOf(url), subject, give_up_ms: giveUpMs };
    await getClient().workflow.signalWithStart(WORKFLOW.eventDelivery, {
      workflowId: eventDeliveryWorkflowId(input.endpoint, stream),
      taskQueue: activityInfo().taskQueue,
      args: [input],
      signal: SIGNAL.tell,
      signalArgs: [events],
      staticSummary: `Events of ${subject} for ${new URL(url).host}`,
      priority: priorityOf(subject),
      typedSearchAttributes: deliveryAttributes(subject),
    });
  };
  const ends = await Promise.allSettled(urls.map(toOne));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

/** After this many attempts on workers without a listener, the listener counts as gone: one worker alone must not decide it. */
const GONE_AFTER = attemptsWithin(2 * HOUR);

/** Throws if this worker lacks a listener that another worker may have. A listener that any attempt has met never counts as gone. */
export function assertPresent(isHere: boolean, what: string): void {
  const { heartbeatDetails, attempt } = activityInfo();
  const wasThere = isHere || heartbeatDetails !== undefined;
  if (wasThere) heartbeat('present');
  const isGone = !wasThere && attempt >= GONE_AFTER;
  if (!isHere && !isGone) throw undelivered(`This worker does not have ${what}`);
}

/**
 * The activity that posts events. With `telemetry` each post carries its trace on to the receiver. Events for an address that no worker has
 * had for hours go to the addresses that are configured.
 */
export function endpointActivities(
  endpoints: EventEndpoints | undefined,
  telemetry?: Pick<Telemetry, 'sends'>,
): EventDeliveryActivities {
  const { urls, secrets } = endpoints ?? { urls: [], secrets: [] };
  const byName = new Map(urls.map((url) => [endpointOf(url), url]));
  const webhooks = secrets.map((secret) => new Webhook(secret));
  return {
    async 'payments.postEvents'({ endpoint, events }) {
      const url = byName.get(endpoint);
      assertPresent(url !== undefined, 'this address in PAYMENTS_EVENTS_URL');
      if (url === undefined) {
        if (endpoints === undefined) throw noAddressLeft();
        await handOver(events, endpoints);
        return events.length;
      }
      const postOne = async (event: MerchantEvent) => {
        const body = JSON.stringify(event);
        const signed = signedHeaders(webhooks, event, body);
        const { workflowId = '' } = activityInfo().workflowExecution ?? {};
        // The path of an address may be a secret of its receiver.
        const request = { name: 'POST event', url: new URL(url), workflowId };
        const send = (headers: object) => post(url, body, { ...signed, ...headers });
        await countedDelivery('address', taken(url, telemetry ? telemetry.sends(request, send) : send({})));
      };
      return postInOrder(events, postOne);
    },
  };
}

/** Posts until an event is not taken, or the time for new posts is over. Returns how many were taken; throws if none was. */
async function postInOrder(events: readonly MerchantEvent[], postOne: (event: MerchantEvent) => Promise<void>) {
  const ends = Date.now() + POSTING_MS;
  let count = 0;
  for (const event of events) {
    if (count > 0 && Date.now() > ends) break;
    try {
      await postOne(event);
    } catch (error) {
      if (count === 0) throw error;
      break;
    }
    count += 1;
  }
  return count;
}

/** The id is the same for every attempt. It is a digest, so that it is ASCII without a dot whatever the order's number contains. */
export function signedHeaders(webhooks: readonly Webhook[], event: MerchantEvent, body: string, now = new Date()) {
  const id = `evt_${createHash('sha256').update(event.id).digest('hex').slice(0, 32)}`;
  return {
    'content-type': 'application/json',
    'user-agent': 'temporal-payment-gateway',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': webhooks.map((webhook) => webhook.sign(id, now, body)).join(' '),
  };
}

export async function countedDelivery(to: 'handler' | 'address', attempt: Promise<void>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    recordInActivity('events', 1, { to, result: 'failed' });
    throw error;
  }
  recordInActivity('events', 1, { to, result: 'taken' });
}

async function taken(url: string, answer: Promise<{ status: number }>): Promise<void> {
  const { status } = await answer;
  if (status < 200 || status > 299) throw undelivered(`${new URL(url).host} answered HTTP ${status}`);
}

/** Posts, and gives the answer's status. Follows no redirect: the signature is for this address. */
async function post(url: string, body: string, headers: Record<string, string>): Promise<{ status: number }> {
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const answer = await request(url, { method: 'POST', headers, body, signal });
    await answer.body.dump();
    return { status: answer.statusCode };
  } catch (error) {
    const { code = 'no answer' } = error instanceof Error && 'code' in error ? error : {};
    throw undelivered(`${new URL(url).host} could not be reached (${String(code)})`);
  }
}

/** What waits for an address is put before a person. */
export const noAddressLeft = () => undelivered('There is no address in PAYMENTS_EVENTS_URL any more');

const undelivered = (message: string) => ApplicationFailure.create({ type: 'EventNotTaken', message });

/** The workflow id of the payment or account that an event is about; all sweeps have the same. */
function subjectOf(event: MerchantEvent): string {
  if ('sweep' in event) return STUCK_SWEEP_WORKFLOW_ID;
  if ('account' in event) return speiAccountWorkflowId(event.account.app_id, event.account.account_id);
  const { app_id, out_trade_no, trade_no } = event.payment;
  return paymentWorkflowId(app_id, out_trade_no ?? trade_no ?? '');
}

/**
 * The stream in which an event keeps its order. Each run of an account has its own: deposits need no order among each other, and a run is
 * short, so that an address that is always down never reaches Temporal's limit of 10,000 signals for one delivery.
 */
function streamOf(event: MerchantEvent, subject: string): string {
  const { workflowExecution: teller } = activityInfo();
  if (!('account' in event) || teller === undefined) return subject;
  return deliveredStream(teller.workflowId) ?? runStream(teller);
}
