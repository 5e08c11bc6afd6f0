/** Looks for a trade that may exist, by every id that is known of it. */
import { ActivityFailure, condition, isCancellation } from '@temporalio/workflow';
import { isOfTrade, type LookResult, type Trade, type TradeId, tradesNamedBy } from '../../contract';
import {
  type LookTimes,
  lookOnce,
  lookUnless,
  NO_ANSWER,
  type NotFound,
  type Searched,
  searchOn,
} from '../shared/look';
import { hasEnded, type Poll, startPoll } from '../shared/polling';
import type { PaymentContext } from './context';
import { claimsOfTrade, hasClaimsAfter, idOf, type KnownPayment, type PendingClaim, signalsIn } from './known-payment';
import { ofForeign, ofOtherLooked, ofOtherNamed, ofOtherNotified } from './look-results';

export class TradeLooks {
  constructor(
    private readonly context: PaymentContext,
    /** The ids to find the trade by, the surest first. */
    private readonly ids: () => readonly TradeId[],
    private readonly times: LookTimes,
  ) {}

  /** Looks by every id. "No such order" counts only if each look says so. */
  async byAll(): Promise<LookResult> {
    let worst: LookResult | undefined;
    for (const id of this.ids()) {
      const looked = await this.by(id);
      if (looked.is === 'found' && settlesForeign(looked.trade, this.context)) continue;
      if (looked.is === 'found') return looked;
      if (worst?.is !== 'no-answer') worst = looked;
    }
    return worst ?? NO_ANSWER;
  }

  /** Keeps asking after a look, as `searchOn` does. A trade that turns out to be another order's is left out. */
  async untilFound(
    after: NotFound['is'],
    isInterrupted: () => boolean,
    foreign: readonly unknown[] = [],
  ): Promise<Searched> {
    const { app_id, known } = this.context;
    const ids = this.ids().filter(({ trade_no }) => trade_no === undefined || !foreign.includes(trade_no));
    const [id = idOf(known), ...others] = ids;
    const { settling_ms, read_by, number_too } = this.times;
    try {
      const searched = await searchOn(
        { app_id, id, others, after, settling_ms, read_by, number_too },
        { isInterrupted },
      );
      if (searched.is !== 'found' || !settlesForeign(searched.trade, this.context)) return searched;
      return await this.untilFound(after, isInterrupted, [...foreign, searched.trade.trade_no]);
    } catch (error) {
      // The next look reports what went wrong.
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      return { is: 'interrupted' };
    }
  }

  /** Looks until the answer has settled. A recheck meanwhile gets the gateway's next answer from a separate look, without this wait. */
  private async by(id: TradeId): Promise<LookResult> {
    const { app_id, requests } = this.context;
    const lasting = startPoll(() => lookOnce(app_id, id, this.times));
    for (;;) {
      await condition(() => hasEnded(lasting) || requests.isRequested);
      if (lasting.failure !== undefined) throw lasting.failure;
      if (lasting.found !== undefined) return lasting.found;
      const now = await this.firstAnswer(id, lasting);
      if (now.is === 'found') return now;
    }
  }

  private async firstAnswer(id: TradeId, lasting: Poll<LookResult>): Promise<LookResult> {
    const { app_id, requests } = this.context;
    let looked: LookResult = NO_ANSWER;
    await requests.fulfil(async () => {
      looked = await lookOnce(app_id, id, { ...this.times, settling_ms: 0 });
      if (looked.is !== 'found') return;
      // The caller reads the state next, so the found trade has to be learned before anything else is waited for.
      lasting.scope.cancel();
      await lasting.ended;
    });
    return looked;
  }
}

/** Whether the gateway shows a trade that a notification named under another order's number. If so, settles the claims that named it. */
export function settlesForeign({ trade_no, out_trade_no }: Trade, { known, learn }: PaymentContext): boolean {
  const { shown, claims } = known;
  if (trade_no === undefined || trade_no === shown.trade_no || !out_trade_no) return false;
  if (shown.out_trade_no === null || out_trade_no === shown.out_trade_no) return false;
  learn(...ofForeign(claims.filter(({ signal }) => signal.trade_no === trade_no)));
  return true;
}

/** What is asked of the number of an order of ours: another trade may have been paid under it. */
export const numberToo = (
  { order }: KnownPayment,
  number_too: NonNullable<LookTimes['number_too']>,
): Pick<LookTimes, 'number_too'> => (order ? { number_too } : {});

// — Other trades under the order’s number: each is looked at by itself, and put before a person —

/** The trades, other than ours, that these claims name. */
export function otherTradesIn(claims: readonly PendingClaim[], ours: string | null): string[] {
  return tradesNamedBy(signalsIn(claims).filter((one) => !isOfTrade(one, ours)));
}

/** A look at our trade begins. Returns the other trades that were named; a person is told of them. */
export function beginLook(context: PaymentContext): string[] {
  context.learn({ is: 'looking' });
  const { claims, shown } = context.known;
  const others = otherTradesIn(claims, shown.trade_no);
  tellOfOtherTrades(others, context);
  return others;
}

/** Puts these trades before a person at once: the look at them may take its time. */
export function tellOfOtherTrades(trade_nos: readonly string[], context: PaymentContext): void {
  const noted = (other: string) => context.known.others.find(({ trade_no }) => trade_no === other);
  for (const other of trade_nos) context.learn(...ofOtherNamed(other, noted(other)));
}

/** Looks at these trades, and settles the claims that named them. Stops at news of our trade: the look that follows goes on with the rest. */
export async function lookAtOtherTrades(trade_nos: readonly string[], context: PaymentContext): Promise<void> {
  for (const other of trade_nos) {
    const claims = context.known.claims.filter(({ signal }) => signal.trade_no === other);
    if (!(await lookAtOtherTrade(other, context, claims))) return;
    context.learn({ is: 'settled', claims });
  }
}

const hasNewsOfOurs = ({ known, requests }: PaymentContext): boolean =>
  requests.isRequested || claimsOfTrade(known, known.shown.trade_no).some(({ heard }) => heard > known.looked_after);

/** Asks the gateway for a trade, and notes its answer and what these claims say. False if news of our trade came before the answer. */
async function lookAtOtherTrade(
  other: string,
  context: PaymentContext,
  claims: readonly PendingClaim[],
): Promise<boolean> {
  const noteNotified = () => {
    for (const signal of signalsIn(claims)) context.learn(...ofOtherNotified(context.known, other, signal));
  };
  noteNotified();
  const looked = await lookUnless(() => hasNewsOfOurs(context), context.app_id, { trade_no: other }, context.policy);
  if (looked === null) return false;
  context.learn(...ofOtherLooked(other, looked));
  noteNotified();
  return true;
}

/** Whether a look is asked for, or a claim came after the first `claimed` ones: those that had come when the last look began. */
export const hasNews = ({ known, requests }: PaymentContext, claimed = known.looked_after): boolean =>
  requests.isRequested || hasClaimsAfter(known, claimed);
