import { textAt } from '../json';
import type { TradeRecord, TradeState } from '../records';
import { businessRefusal, type RequestRefusal } from '../rules/refusal';
import type { Settings } from '../settings';
import type { Store } from '../store';
import { utcText } from '../time';
import { decimalAs, type OperationCall, type OperationHandler, success, type WireAnswer } from './operation';

/** `/trade/query`: the state of a trade. */
export const queryOrder: OperationHandler = (call, { store, settings }) => {
  const trade = tradeAsked(call, store);
  if (!trade) return { answer: unknownOrder(settings) };
  const before = trade.history.at(-1)?.from ?? trade.trade_status;
  const answer = tradeAnswer(trade, trade.trade_status, settings);
  return { answer, stale: tradeAnswer(trade, before, settings), trade };
};

/** The caller's own trade that a request names. If it gives both numbers, they must be of one trade. */
export function tradeAsked({ app, body }: OperationCall, store: Store): TradeRecord | undefined {
  const tradeNo = textAt(body, 'trade_no');
  const outTradeNo = textAt(body, 'out_trade_no');
  const trade =
    tradeNo !== undefined ? store.trades.get(tradeNo) : outTradeNo && store.tradeOfMerchant(app.app_id, outTradeNo);
  if (!trade || trade.app_id !== app.app_id) return undefined;
  return outTradeNo === undefined || outTradeNo === trade.out_trade_no ? trade : undefined;
}

/** The refusal of an order that does not exist. */
export function unknownOrder({ unknownOrderSubCode }: Settings): RequestRefusal {
  return businessRefusal(unknownOrderSubCode, 'The trade does not exist.');
}

function tradeAnswer(trade: TradeRecord, trade_status: TradeState, settings: Settings): WireAnswer {
  return success({
    out_trade_no: trade.out_trade_no,
    trade_no: trade.trade_no,
    trade_status,
    order_amount: decimalAs(trade.order_amount, settings),
    order_currency: trade.order_currency,
    method: trade.method ?? '',
    create_time: utcText(trade.created_at),
    // Real gateways answer with an empty text until the first change.
    update_time: trade.updated_at === null ? '' : utcText(trade.updated_at),
  });
}
