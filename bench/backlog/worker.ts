/** Today's worker: the real throttle, and the real activities behind it. Only time, and what Temporal tells an attempt, are made. */
import { asyncLocalStorage } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { gatewayActivities, throttled, urgencyOfActivity } from '../../src/activities';
import { notCreated } from '../../src/activities/failures';
import { gatewayOf, type Gateway as WorkersGateway } from '../../src/activities/gateways';
import type { LookResult, PollSchedule, Trade } from '../../src/contract';
import { GatewayError } from '../../src/gateway';
import {
  type Activity,
  type Gateway,
  type Kind,
  type Limits,
  type Outcome,
  PATIENCE_MS,
  type Worker,
} from './activity';

const APP_ID = 'bench';
const TRADE = { trade_no: 'T1', trade_status: 'PROCESSING' };
const ID = { trade_no: 'T1' };

type Ended = Trade | LookResult | { is?: 'not-sent' };

/** `start` is the time 0 of the simulation, in ms since the epoch; Date.now must give its time. */
export function todaysWorker(gateway: Gateway, limits: Limits, schedule: PollSchedule, start: number): Worker {
  const payments = throttled(asWorkersGateway(gateway), APP_ID, limits, urgencyOfActivity, {
    circuit: () => undefined,
    heldBack: () => undefined,
  });
  const activities = gatewayActivities({
    gateways: new Map([[APP_ID, payments]]),
    sealingKeys: () => [],
    notifyUrl: () => 'https://shop.example/ipn',
  });
  const environment = new MockActivityEnvironment();
  const trade = { app_id: APP_ID, id: ID, read_by: environment.context.info.workflowExecution?.runId ?? '' };
  let heartbeatDetails: unknown;
  environment.on('heartbeat', (details) => {
    heartbeatDetails = details;
  });
  const calls: Record<Kind, (activity: Activity) => Promise<Ended>> = {
    // What `gateway.create` does, without the check of the order: that takes a hundred times as long as all the rest.
    create: async ({ send_before }) => {
      if (Date.now() >= start + send_before) return { is: 'not-sent' };
      return payments.pay({}).catch((error: unknown) => {
        throw error instanceof GatewayError ? notCreated(error) : error;
      });
    },
    look: () => activities['gateway.look']({ ...trade, settling_ms: 30_000, patience_ms: PATIENCE_MS }),
    watch: async () => (await activities['gateway.watch']({ ...trade, seen: TRADE.trade_status, schedule })) ?? TRADE,
  };
  return {
    async attempt(activity, now): Promise<Outcome> {
      activity.attempt += 1;
      heartbeatDetails = activity.heartbeatDetails;
      Object.assign(environment.context.info, {
        activityType: `gateway.${activity.kind}`,
        attempt: activity.attempt,
        heartbeatDetails,
        scheduledTimestampMs: start + activity.since,
        currentAttemptScheduledTimestampMs: start + now,
      });
      try {
        const result = await asyncLocalStorage.run(environment.context, () => calls[activity.kind](activity));
        return 'is' in result && (result.is === 'not-sent' || result.is === 'no-answer') ? 'given-up' : 'done';
      } catch (error) {
        activity.heartbeatDetails = heartbeatDetails;
        if (!(error instanceof ApplicationFailure)) throw error;
        // Without a delay of its own, as the retry policy says.
        return typeof error.nextRetryDelay === 'number'
          ? error.nextRetryDelay
          : Math.min(1_000 * 2 ** (activity.attempt - 1), 120_000);
      }
    },
  };
}

function asWorkersGateway(take: Gateway): WorkersGateway {
  return {
    ...gatewayOf(new Map<string, never>(), APP_ID),
    async pay() {
      take();
      return { trade_no: TRADE.trade_no };
    },
    async query() {
      take();
      return TRADE;
    },
  };
}

/** As a dead gateway's client fails. */
export function noAnswer(): GatewayError {
  return new GatewayError('connection refused', { outcome: 'not-sent', retryable: true, operation: '/trade/query' });
}
