/** The oracle's checks of what a payment costs: queries at the gateway, and events in Temporal's histories. */
import { HOUR } from '../../../../src/gateway/pure/durations';
import { BEGIN, type Broken } from '../../hostile/base-world';
import type { World } from './world';

/** A look may be repeated for ten minutes, and the first polls are close to each other. */
const QUERIES_PER_DISTURBANCE = 60;
/** Where a gateway does not know a trade by its own number, it is asked by the order's after that. */
const QUERIES_PER_LOOK = { 'both ids': 1, 'trade_no alone': 1, 'out_trade_no alone': 2 } as const;
/** A payment asks once an hour, or twice for a trade that the gateway does not know; a refund beside it does so, too. */
const QUERIES_PER_HOUR = 5;
const EVENTS_AT_FIRST = 130;
const EVENTS_PER_DISTURBANCE = 40;
/** Each time that an unknown order is sent again needs a look of its own, ever later; three creations are tried then. A longer try has a timer. */
const EVENTS_PER_CREATION = 7;
/** A call that is told to ask again was taken, and answered. */
const EVENTS_PER_PENDING_CALL = 2;

/** 5. Polling is bounded, whatever happens. */
export function fewQueries({ gateway, now, disturbances, traits }: World): Broken[] {
  const queries = gateway.exchanges.filter(({ is }) => is === 'query').length;
  const lost = gateway.exchanges.filter(({ is, answered }) => is === 'creation' && answered === 'nothing').length;
  const looks = QUERIES_PER_DISTURBANCE * (1 + disturbances + lost);
  const most = QUERIES_PER_LOOK[traits.findsBy] * looks + (QUERIES_PER_HOUR * (now - BEGIN)) / HOUR;
  return queries <= most ? [] : [{ promise: 5, what: `${queries} queries, of at most ${Math.round(most)}` }];
}

/** 5. What waits adds nothing to its history. */
export function fewEvents({ runs, temporal, gateway, disturbances, told }: World): Broken[] {
  const creations = gateway.exchanges.filter(({ is }) => is === 'creation').length;
  const pending = told.filter((one) => one.is === 'failure' && one.type === 'PaymentPendingError').length;
  const most =
    EVENTS_AT_FIRST +
    EVENTS_PER_CREATION * creations +
    EVENTS_PER_DISTURBANCE * disturbances +
    EVENTS_PER_PENDING_CALL * pending;
  return runs.flatMap(({ start, runId }) => {
    const events = temporal.runs(start.workflowId).find((run) => run.runId === runId)?.events ?? 0;
    return events <= most ? [] : [{ promise: 5, what: `${runId} has ${events} events, of at most ${most}` }];
  });
}
