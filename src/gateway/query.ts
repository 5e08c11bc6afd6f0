/** Order query: `/trade/query` (section 4.4). */
import { z } from 'zod';
import { type Answer, field, withoutEnvelope } from './answers';
import { checkRequest } from './check';
import * as f from './fields';
import type { Operation } from './operation';
import type { RequestRules } from './rules';
import { TRADE_ID_REQUIRED } from './shared-rules';

export const QUERY = '/trade/query';

/** The two ids of a trade: the service's own and the merchant's. */
export const tradeIdFields = { trade_no: f.text(64).optional(), out_trade_no: f.text(64).optional() };

const tradeId = z.strictObject(tradeIdFields);

/** One of the two ids suffices. */
export type TradeId = z.infer<typeof tradeId>;

const RULES: RequestRules<TradeId> = {
  operation: QUERY,
  shape: tradeId,
  required: [TRADE_ID_REQUIRED],
  cross: [],
};

/** A trade's name for people: its order, or where that is not given its own number. */
export const nameOfTrade = ({ out_trade_no, trade_no }: TradeId) =>
  out_trade_no ? `order ${out_trade_no}` : `trade ${trade_no}`;

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
  /** All that the gateway said, fields that nobody here knows among it. It may hold the buyer's data. */
  answer?: Answer | undefined;
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
    answer: withoutEnvelope(answer),
  };
}

/** A query that fails says nothing of the trade: its outcome is always `unknown` or `not-sent`. */
export const TRADE_QUERY: Operation<TradeId, Trade> = {
  rules: RULES,
  ownFields: ['trade_status'],
  about: nameOfTrade,
  read: readTrade,
};
