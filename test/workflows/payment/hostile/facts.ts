/** What the checks of the oracle have in common: how they read the ledger, and what people were told. */
import Big from 'big.js';
import type { PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { UNDER_WAY_MS } from '../../hostile/base-world';
import { statusOf, type Trade } from '../../hostile/gateway';
import type { World } from './world';

/** The longest that any method takes to settle after its expiry, and an hour: a trade whose method is unknown waits for that. */
export const SETTLES_MS = 4 * DAY + HOUR;
/** The longest gap between two polls, with what a network may take. */
export const NOTICED_WITHIN_MS = HOUR + 5 * MINUTE;

export const ENDS_WITHOUT_MONEY: readonly string[] = ['CANCEL', 'EXPIRED', 'REFUSED'];

const RANKS: Readonly<Record<string, number>> = { INITIAL: 0, PROCESSING: 1, RISK_CONTROLLING: 2 };
/** How far a status has come. */
export const rank = (status: string) => RANKS[status] ?? 3;

/** The payment as people see it now: in one of its runs, or in the after-sale that follows it. */
export interface Seen {
  readonly runId: string;
  readonly isOpen: boolean;
  readonly state: PaymentState;
  /** By the run id of each after-sale: the other trades that people read of there, and until when it watches, in ms since the epoch. */
  readonly afterSales: ReadonlyMap<string, { readonly others: readonly string[]; readonly watched_until: number }>;
}

export const paidAt = ({ states }: Trade) => states.find(({ status }) => status === 'SUCCESS')?.at;
export const hasMoney = (trade: Trade) => statusOf(trade) === 'SUCCESS';
export const same = (a: string | null | undefined, b: string) => a !== null && a !== undefined && new Big(a).eq(b);

/** Reasons that say how the gateway answers, and nothing of a second trade. */
const OF_THE_GATEWAY: readonly (string | null)[] = ['no-answer', 'credentials', 'unconfirmed-notification'];
export const isOfATrade = (reason: string | null): boolean => !OF_THE_GATEWAY.includes(reason);

/**
 * Whether people could find the trade under attention after a moment, for such a reason, or a person has decided since. A
 * workflow that knows only another trade says nothing of this one.
 */
export function wasBeforeAPerson(
  { attentions, told, events }: World,
  seen: readonly Seen[],
  trade_no: string,
  at: number,
  isSuch: (reason: string | null) => boolean = () => true,
): boolean {
  const others = new Map(
    seen.flatMap(({ runId, state, afterSales }): [string, readonly string[]][] => [
      [runId, state.other_trades.map((other) => other.trade_no)],
      ...[...afterSales].map(([id, { others: named }]): [string, readonly string[]] => [id, named]),
    ]),
  );
  const names = (one: string | null, beside: readonly string[]) =>
    one === null || one === trade_no || beside.includes(trade_no);
  return (
    attentions.some(
      (one) => one.at >= at && isSuch(one.attention) && names(one.trade_no, others.get(one.runId) ?? []),
    ) ||
    events.some(
      (event) =>
        event.type === 'attention' &&
        isSuch(event.payment.attention) &&
        Date.parse(event.time) >= at &&
        names(
          event.payment.trade_no,
          event.payment.other_trades.map((other) => other.trade_no),
        ),
    ) ||
    told.some((one) => one.is === 'resolved' && one.outcome === 'SUCCESS' && one.at >= at)
  );
}

/** Whether any trade of the order has not expired for good by what people read. */
export function mayStillBePaid({ now }: World, seen: readonly Seen[]): boolean {
  return seen.some(({ state }) => state.expires_at !== null && Date.parse(state.expires_at) + SETTLES_MS > now);
}

/** Whether the webhook had taken a notification of the trade before a moment: whoever asks then is told of that trade. */
export const wasNotifiedBefore = ({ acknowledged }: World, trade_no: string, at: number): boolean =>
  acknowledged.some((one) => one.trade_no === trade_no && one.at < at);

/** Whether a notification had another system's trade adopted before anybody asked: whoever asks then is told of that trade. */
export const wasAdoptedBefore = ({ traits: { before } }: World): boolean => before !== 'nothing' && before.isNotified;

/** Whether no creation of ours can have made an order: none was sent, or each was answered with a word that says no. */
export const nothingOfOursExists = ({ gateway: { exchanges }, creationsCutOff }: World): boolean =>
  creationsCutOff.length === 0 &&
  exchanges.every(({ is, answered }) => is !== 'creation' || ['not sent', 'refusal', 'duplicate'].includes(answered));

/**
 * Whether nothing tells this trade from one that we made: the gateway has named none as ours before it first showed this one,
 * and a creation was lost, on the way or with its worker, or answered without the number of its trade. An answer that is under way
 * when this one is notified is called off, and tells nothing.
 */
export function mayBeTakenForOurs(world: World, trade: Trade): boolean {
  const { acknowledged, creationsCutOff, refundsAsked } = world;
  const { exchanges } = world.gateway;
  const firstShown = ({ trade_no }: Trade) =>
    exchanges.find(({ shown }) => shown?.trade_no === trade_no)?.at ?? Number.POSITIVE_INFINITY;
  const found = firstShown(trade);
  const notified = acknowledged.find(({ trade_no }) => trade_no === trade.trade_no)?.at ?? Number.POSITIVE_INFINITY;
  const isNamedBefore = (one: Trade) => firstShown(one) < found && firstShown(one) + UNDER_WAY_MS < notified;
  if (world.gateway.trades.some((one) => one.made_by === 'us' && isNamedBefore(one))) return false;
  // A merchant who refunds an order before it pays it takes what the gateway has under the number for its own.
  if (refundsAsked.some((at) => at <= found)) return true;
  const creations = exchanges.filter(({ at, is }) => is === 'creation' && at < found);
  const isNamed = creations.some(({ answered, shown }) => answered === 'created refused' || shown !== undefined);
  const isLost = creations.some(({ answered }) => answered === 'nothing' || answered === 'trade');
  return !isNamed && (isLost || creationsCutOff.some((at) => at < found));
}
