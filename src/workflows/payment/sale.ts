/** What the gateway says now of a trade that was sold. The sale stands: a person hears of what contradicts it. */
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
  const looked = await lookOnce(app_id, record.id, policy.settling_ms);
  const ours = pending.ofTrade(trade_no);
  if (record.hasOtherAmount(ours)) context.raise('amount-mismatch');
  pending.settle(ours.filter((one) => !isNews(one)));
  if (looked.is !== 'found') return context.raise(attentionAfter(looked));
  // The copy that answers may be behind the sale.
  const { trade } = await queryUntilConsistent(looked.trade, [{ trade_status: sold ?? '' }], {
    app_id,
    id: record.id,
    settling_ms: policy.settling_ms,
    onUnanswered: (unanswered) => context.raise(attentionAfter(unanswered)),
  });
  record.applyQuery(trade, Date.now());
  // A person may have resolved it as sold, or the gateway has revoked its SUCCESS.
  if (outcomeOf(trade.trade_status) !== 'SUCCESS') context.raise('unlisted-transition');
}
