/** The oracle's checks of money that goes back. */
import type { Broken } from '../../hostile/base-world';
import type { TrueRefund } from '../../hostile/gateway';
import { sumOf, when } from '../../hostile/oracle';
import { ENDS_WITHOUT_MONEY, paidAt, type Seen } from './facts';
import { MERCHANTS_REFUND, type World } from './world';

/** 7. Of no trade more goes back than came. */
export function noMoreThanCame({ gateway: { trades, refunds } }: World): Broken[] {
  return trades.flatMap((trade) => {
    const sum = sumOf(refunds.filter(({ trade_no }) => trade_no === trade.trade_no));
    const came = paidAt(trade) === undefined ? '0' : trade.amount;
    return sum.gt(came)
      ? [{ promise: 7, what: `${sum.toFixed(2)} went back of the ${came} of ${trade.trade_no}` }]
      : [];
  });
}

/** 7. Without a merchant's word only a late payment is refunded, where the settings say so, and only that of our own order. */
export function onlyLatePaymentsOfOurs(world: World, seen: readonly Seen[]): Broken[] {
  return world.gateway.refunds.flatMap((back) => {
    const { at, trade_no, number } = back;
    const broken = (why: string) => [{ promise: 7, what: `${trade_no} was sent back at ${when(at)}, ${why}` }];
    const trade = world.gateway.trades.find((one) => one.trade_no === trade_no);
    if (number === MERCHANTS_REFUND) {
      return isOfTheMerchant(world, seen, back) ? [] : broken('for a merchant who was told of another trade');
    }
    if (world.traits.late !== 'refund') return broken('and nobody had asked for that');
    if (trade?.made_by !== 'us') return broken('which is not our order');
    if (!hadEnded(world, seen, at)) return broken('and nobody had been told that the payment had ended without it');
    const word = world.told.findLast((one) => one.is === 'resolved' && one.at < (paidAt(trade) ?? at));
    return word?.is === 'resolved' && word.outcome === 'SUCCESS' ? broken('which a person had called sold') : [];
  });
}

/**
 * A merchant knows a trade by its sale, or by the payment data. Who was told of none at the time of the refund asks for
 * whatever has the number.
 */
function isOfTheMerchant({ told }: World, seen: readonly Seen[], { trade_no, at }: TrueRefund): boolean {
  const sold = seen.flatMap(({ state }) => (wasSoldBy(state, at) ? (state.trade_no ?? []) : []));
  const answered = told.flatMap((one) => (one.is === 'payment data' && one.at <= at ? (one.data.trade_no ?? []) : []));
  const known = sold.length > 0 ? sold : answered;
  return known.length === 0 || known.includes(trade_no);
}

const wasSoldBy = ({ outcome, history }: Seen['state'], at: number): boolean =>
  outcome === 'SUCCESS' && history.some(({ to, time }) => to === 'SUCCESS' && Date.parse(time) <= at);

/** Whether people were told, before this moment, that the payment had ended without money. */
function hadEnded({ told }: World, seen: readonly Seen[], at: number): boolean {
  const isEnd = told.some(
    (one) =>
      one.at <= at &&
      (['terminated', 'withdrawn', 'reset'].includes(one.is) ||
        (one.is === 'resolved' && one.outcome !== 'SUCCESS') ||
        (one.is === 'failure' && one.type === 'NotCreatedError')),
  );
  return (
    isEnd ||
    seen.some(({ state: { history } }) =>
      history.some(({ to, time }) => ENDS_WITHOUT_MONEY.includes(to) && Date.parse(time) <= at),
    )
  );
}
