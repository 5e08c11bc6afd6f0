import { textAt } from '../json';
import type { Settings } from '../options';
import { queryFields } from '../rules/fields';
import { check } from '../rules/rule';
import type { Store } from '../store';
import { utcText } from '../time';
import type { TradeStatus } from '../trades/states';
import type { Trade } from '../trades/trade';
import { type Answer, businessFailure, decimalAs, type Refusal, success } from './answers';
import type { Call, Operation } from './operation';

/** `/trade/query`: what has become of a trade. */
export const query: Operation = ({ app, body }, { store, clock, settings }) => {
  const refusal = check(queryFields, { body, app, settings, now: clock.now() });
  if (refusal) return { answer: refusal };
  const trade = tradeAsked({ app, body }, store);
  if (!trade) return { answer: unknownOrder(settings) };
  const before = trade.history.at(-1)?.from ?? trade.trade_status;
  return {
    answer: tradeAnswer(trade, trade.trade_status, settings),
    stale: tradeAnswer(trade, before, settings),
    trade,
  };
};

/** The caller's trade that both numbers of a request agree on, where both are given. */
export function tradeAsked({ app, body }: Call, store: Store): Trade | undefined {
  const tradeNo = textAt(body, 'trade_no');
  const outTradeNo = textAt(body, 'out_trade_no');
  const trade =
    tradeNo !== undefined ? store.trade(tradeNo) : outTradeNo && store.tradeOfMerchant(app.app_id, outTradeNo);
  if (!trade || trade.app_id !== app.app_id) return undefined;
  return outTradeNo === undefined || outTradeNo === trade.out_trade_no ? trade : undefined;
}

/** How the service says that it has no such order. */
export function unknownOrder({ unknownOrderSubCode }: Settings): Refusal {
  return businessFailure(unknownOrderSubCode, 'The trade does not exist.');
}

/** A trade in the state given, as a query tells it. */
export function tradeAnswer(trade: Trade, trade_status: TradeStatus, settings: Settings): Answer {
  return success({
    out_trade_no: trade.out_trade_no,
    trade_no: trade.trade_no,
    trade_status,
    order_amount: decimalAs(trade.order_amount, settings),
    order_currency: trade.order_currency,
    method: trade.method ?? '',
    create_time: utcText(trade.created_at),
    // An empty text where nothing has happened yet, as in the field.
    update_time: trade.updated_at === null ? '' : utcText(trade.updated_at),
  });
}
