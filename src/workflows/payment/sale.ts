/** What the gateway says now of a trade that was sold. The sale stands: a person hears of what contradicts it. */
import type { LookResult, PreviousRun, Trade, TradeId } from '../../contract';
import { outcomeOf, reportsNewMoney, saleStatus } from '../../contract';
import { attentionAfter, lookOnce } from '../shared/look';
import type { PendingNotifications } from '../shared/pending-notifications';
import { queryUntilConsistent } from '../shared/stale-read';
import type { PaymentContext } from './context';

/** Looks at the sale, which settles the notifications of its trade but news of its money: they are the after-sale's. */
export async function lookAtSale(
  app_id: string,
  context: PaymentContext,
  pending: PendingNotifications,
): Promise<void> {
  const { record, policy } = context;
  const { trade_no } = record.snapshot;
  const sold = saleStatus(record.snapshot);
  const isNews = ({ trade_status: claim = '' }: { trade_status?: string | undefined }) =>
    reportsNewMoney(saleStatus(record.snapshot), claim);
  const looked = await lookOnce(app_id, record.id, policy);
  const ours = pending.ofTrade(trade_no);
  if (record.hasOtherAmount(ours)) context.raise('amount-mismatch');
  pending.settle(ours.filter((one) => !isNews(one)));
  if (looked.is !== 'found') return context.raise(attentionAfter(looked));
  // The copy that answers may be behind the sale.
  const { trade } = await queryUntilConsistent(looked.trade, [{ trade_status: sold ?? '' }], {
    app_id,
    id: record.id,
    settling_ms: policy.settling_ms,
    patience_ms: policy.patience_ms,
    onUnanswered: (unanswered) => context.raise(attentionAfter(unanswered)),
  });
  record.applyQuery(trade, Date.now());
  // A person may have resolved it as sold, or the gateway has revoked its SUCCESS.
  if (outcomeOf(trade.trade_status) !== 'SUCCESS') context.raise('unlisted-transition');
}

/** After the payment's end an answer counts once it has lasted so long, in ms: a copy of the gateway may be behind. */
export const LASTING_MS = 60_000;

/** One look after the end. "No such order", and what contradicts the sale of the run before, have to last. */
export async function lookBeyondCopies(at: {
  app_id: string;
  id: TradeId;
  previous: PreviousRun;
  patience_ms: number;
}): Promise<LookResult> {
  const { app_id, id, previous, patience_ms } = at;
  const times = { settling_ms: LASTING_MS, patience_ms };
  const looked = await lookOnce(app_id, id, times);
  if (looked.is !== 'found' || !contradictsSale(previous, id, looked.trade)) return looked;
  const { trade_status: seen } = looked.trade;
  return lookOnce(app_id, id, times, seen);
}

/** Whether the gateway calls the trade that was sold something else. Without a number of its own, the order's number shows it. */
export function contradictsSale(
  { outcome, trade_no: ours = null }: PreviousRun,
  id: TradeId,
  { trade_no, trade_status }: Trade,
): boolean {
  const isOurs = ours === null ? id.trade_no === undefined : ours === trade_no;
  return outcome === 'SUCCESS' && isOurs && outcomeOf(trade_status) !== 'SUCCESS';
}
