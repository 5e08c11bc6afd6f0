/**
 * A query can contradict a notification, because the gateway may read a replica that lags behind. So query again until
 * they agree, or until the answer has stayed the same for `settling_ms`.
 */
import { type NotificationSignal, type QueriedTrade, reportsNewMoney, type TradeId } from '../../contract';
import { type LookTimes, lookOnce, type NotFound, searchOn } from './look';
import type { RecheckRequests } from './recheck-requests';

interface ConsistentRead {
  trade: QueriedTrade;
  /** The gateway keeps contradicting its own notification: a person has to look. */
  contradicted: boolean;
}

/** What is asked for. `onUnanswered` is called after a look that did not find the trade; then the gateway is asked ever less often. */
interface Read extends LookTimes {
  readonly app_id: string;
  readonly id: TradeId;
  readonly onUnanswered: (looked: NotFound) => void | Promise<void>;
  /** Callers who ask for a look now: they get the next look's result, even if it finds nothing. */
  readonly requests: RecheckRequests;
}

/** Compares a queried trade with the notifications about it, and queries again while the trade may be stale. */
export async function queryUntilConsistent(
  queried: QueriedTrade,
  claims: readonly Pick<NotificationSignal, 'trade_status'>[],
  read: Read,
): Promise<ConsistentRead> {
  for (let trade = queried; ; ) {
    if (!isBehind(trade.trade_status, claims)) return { trade, contradicted: false };
    const { trade_status: seen } = trade;
    trade = await settledTrade(seen, read);
    if (trade.trade_status === seen) return { trade, contradicted: true };
  }
}

/**
 * The trade once its status differs from `seen`, or once the gateway has answered `seen` for `settling_ms`. A person is told of a
 * silence, or of a denial that lasts, and the gateway is asked again.
 */
async function settledTrade(
  seen: string,
  { app_id, id, requests, onUnanswered, ...times }: Read,
): Promise<QueriedTrade> {
  for (;;) {
    const answer = requests.begin();
    const looked = await lookOnce(app_id, id, times, seen);
    if (looked.is === 'found') return looked.trade;
    await onUnanswered(looked);
    answer();
    const { settling_ms, read_by } = times;
    await searchOn(
      { app_id, id, settling_ms, read_by, after: looked.is },
      { isInterrupted: () => requests.isRequested },
    );
  }
}

/** Whether a notification reports money that this status does not show. Pure. */
export function isBehind(status: string, claims: readonly Pick<NotificationSignal, 'trade_status'>[]): boolean {
  return claims.some((claim) => reportsNewMoney(status, claim.trade_status ?? ''));
}
