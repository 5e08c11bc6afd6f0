import { textAt } from '../json';
import { balanceOf } from '../refunds/balance';
import type { Refund } from '../refunds/refund';
import { twoDecimals } from '../rules/amount';
import { queryFields } from '../rules/fields';
import { isPartial, refundFields, refundsWholeOnly, refundWay } from '../rules/refund';
import { check, type Request } from '../rules/rule';
import { transition } from '../trades/states';
import type { Trade } from '../trades/trade';
import { type Answer, businessFailure, decimalAs, type Refusal, success } from './answers';
import type { Gateway, Operation } from './operation';
import { tradeAsked, unknownOrder } from './query';

/** `/trade/refund`: gives back what was paid, or a part of it. */
export const refund: Operation = (call, gateway) => {
  const { settings, store, clock, refunds } = gateway;
  const request = { ...call, settings, now: clock.now() };
  const unnamed = check(queryFields, request);
  if (unnamed) return { answer: unnamed };
  const trade = tradeAsked(call, store);
  if (!trade) return { answer: unknownOrder(settings) };

  const way = refundWay(trade.method);
  if (!way) return { answer: notRefundable(trade), trade };
  const broken = check(refundFields, { ...request, trade }) ?? wholeOnlyRefusal({ ...request, trade }, trade);
  if (broken) return { answer: broken, trade };

  const out_request_no = textAt(call.body, 'out_request_no') ?? null;
  const used = out_request_no === null ? undefined : refundNumbered(out_request_no, trade, gateway);
  if (used && settings.duplicateRefund === 'repeated') return { answer: refundAnswer(used, gateway), trade };
  if (used) return { answer: businessFailure('duplicate-out_request_no', 'out_request_no is duplicate'), trade };

  const refund_amount = twoDecimals(textAt(call.body, 'refund_amount') ?? '');
  const unfit = balanceRefusal(trade, refund_amount, gateway);
  if (unfit) return { answer: unfit, trade };
  const accountGiven = textAt(call.body, 'bank_info.number') !== undefined;
  const made = refunds.request(trade, { out_request_no, refund_amount, goes_to: way.to, accountGiven });
  return { answer: refundAnswer(made, gateway), trade, created: true };
};

function wholeOnlyRefusal(request: Request, { channel }: Trade): Refusal | undefined {
  return refundsWholeOnly(channel) && isPartial.holds(request)
    ? businessFailure('partial-refund-not-supported', `${channel} gives back the whole amount only.`)
    : undefined;
}

function notRefundable({ method }: Trade): Refusal {
  return businessFailure('refund-not-supported', `${method ?? 'A trade without a method'} can not be refunded.`);
}

// State first: what is being refunded already has no amount to argue about.
function balanceRefusal(trade: Trade, amount: string, { store }: Gateway): Refusal | undefined {
  if (!transition(trade.trade_status, 'REFUND_VERIFYING')) {
    return businessFailure('trade-status-error', `A trade that is ${trade.trade_status} can not be refunded.`);
  }
  const { left } = balanceOf(trade, store.refundsOf(trade.trade_no));
  return left.lt(amount)
    ? businessFailure('refund-amount-exceeded', `refund_amount is more than is left of the trade, ${left.toFixed(2)}.`)
    : undefined;
}

function refundNumbered(number: string, trade: Trade, { store, settings }: Gateway): Refund | undefined {
  const among = settings.refundNumberScope === 'trade' ? store.refundsOf(trade.trade_no) : [...store.refunds()];
  return among.find(({ app_id, out_request_no }) => app_id === trade.app_id && out_request_no === number);
}

function refundAnswer(refund: Refund, { settings }: Gateway): Answer {
  const { out_trade_no, trade_no, refund_currency, refund_amount, refund_status } = refund;
  const amount = decimalAs(refund_amount, settings);
  return success({ out_trade_no, trade_no, refund_currency, refund_amount: amount, refund_status });
}
