import { textAt } from '../json';
import { leftOf } from '../ledger';
import type { RefundRecord, TradeRecord } from '../records';
import { refundFields, refundWay } from '../rules/refund';
import { businessRefusal, type RequestRefusal } from '../rules/refusal';
import { checkFields } from '../rules/rule';
import { twoDecimals } from '../rules/values';
import type { Settings } from '../settings';
import { tradeStep } from '../trades/steps';
import { decimalAs, type OperationHandler, success, type WireAnswer } from './operation';
import { tradeAsked, unknownOrder } from './query';

/** `/trade/refund`: gives back what was paid, or a part of it. */
export const refundTrade: OperationHandler = (call, { settings, store, clock, refunds }) => {
  const trade = tradeAsked(call, store);
  if (!trade) return { answer: unknownOrder(settings) };
  const way = refundWay(trade.method);
  if (!way) return { answer: notRefundable(trade), trade };
  const broken = checkFields(refundFields(settings), { ...call, now: clock.now(), trade });
  if (broken) return { answer: broken, trade };

  const out_request_no = textAt(call.body, 'out_request_no') ?? null;
  const ofTrade = store.refundsOf(trade.trade_no);
  const among = settings.refundNumberScope === 'trade' ? ofTrade : [...store.refunds.values()];
  const used = among.find(
    (one) => out_request_no !== null && one.out_request_no === out_request_no && one.app_id === call.app.app_id,
  );
  if (used && settings.duplicateRefund === 'repeated') return { answer: refundAnswer(used, settings), trade };
  if (used) return { answer: businessRefusal('duplicate-out_request_no', 'out_request_no is duplicate'), trade };

  const refund_amount = twoDecimals(textAt(call.body, 'refund_amount') ?? '');
  const unfit = balanceRefusal(trade, refund_amount, ofTrade);
  if (unfit) return { answer: unfit, trade };
  const accountGiven = textAt(call.body, 'bank_info.number') !== undefined;
  const made = refunds.request(trade, { out_request_no, refund_amount, goes_to: way.to }, accountGiven);
  return { answer: refundAnswer(made, settings), trade, created: true };
};

function notRefundable({ method }: TradeRecord): RequestRefusal {
  return businessRefusal('refund-not-supported', `${method ?? 'A trade without a method'} can not be refunded.`);
}

// Check the state first: while a refund is under way, its amount does not matter.
function balanceRefusal(trade: TradeRecord, amount: string, refunds: readonly RefundRecord[]) {
  if (!tradeStep(trade.trade_status, 'REFUND_VERIFYING')) {
    return businessRefusal('trade-status-error', `A trade that is ${trade.trade_status} can not be refunded.`);
  }
  const left = leftOf(trade, refunds);
  return left.lt(amount)
    ? businessRefusal('refund-amount-exceeded', `refund_amount is more than is left of the trade, ${left.toFixed(2)}.`)
    : undefined;
}

function refundAnswer(refund: RefundRecord, settings: Settings): WireAnswer {
  const { out_trade_no, trade_no, refund_currency, refund_amount, refund_status } = refund;
  const amount = decimalAs(refund_amount, settings);
  return success({ out_trade_no, trade_no, refund_currency, refund_amount: amount, refund_status });
}
