/** Order query: `/trade/query` (section 4.4). */
import { z } from 'zod';
import { type Answer, field } from './answers';
import * as f from './fields';
import { checkRequest, type RequestRules } from './rules';

export const QUERY = '/trade/query';

const tradeId = z.strictObject({ trade_no: f.text(64).optional(), out_trade_no: f.text(64).optional() });

/** One of the two ids suffices. */
export type TradeId = z.infer<typeof tradeId>;

const RULES: RequestRules<TradeId> = {
  operation: QUERY,
  shape: tradeId,
  required: [
    { field: 'out_trade_no', when: ({ has }) => !has('trade_no'), rule: 'required, unless trade_no is given' },
  ],
  cross: [],
};

/** Reads the ids of a trade. Throws InvalidRequestError where both are missing. */
export function parseTradeId(input: unknown): TradeId {
  return checkRequest(RULES, input);
}

/** What a query says of a trade. Amounts are decimal strings in currency units. */
export interface Trade {
  out_trade_no?: string | undefined;
  trade_no?: string | undefined;
  trade_status: string;
  order_amount?: string | undefined;
  order_currency?: string | undefined;
  /** Not in the interface, but some gateways send it. */
  method?: string | undefined;
  refuse_detail?: string | undefined;
}

/** A query's answer as a trade; undefined where it lacks the one field that makes it an answer. */
export function readTrade(answer: Answer): Trade | undefined {
  const trade_status = field(answer, 'trade_status');
  if (trade_status === undefined) return undefined;
  return {
    out_trade_no: field(answer, 'out_trade_no'),
    trade_no: field(answer, 'trade_no'),
    trade_status,
    order_amount: field(answer, 'order_amount'),
    order_currency: field(answer, 'order_currency'),
    method: field(answer, 'method'),
    refuse_detail: field(answer, 'refuse_detail'),
  };
}
