/** Order query: `/trade/query` (section 4.4). */
import { z } from 'zod';
import * as f from './fields';
import type { Operation } from './operation';
import { PATH } from './pure/paths';
import { amountField, type GatewayResponse, textField, withoutEnvelope } from './response';
import type { RequestRules } from './rules';
import { TRADE_ID_REQUIRED } from './shared-rules';

/** The two ids of a trade: the gateway's and the merchant's. */
export const tradeIdFields = { trade_no: f.id(64).optional(), out_trade_no: f.id(64).optional() };

const tradeId = z.strictObject(tradeIdFields);

/** Names a trade by one of its ids, or by both. */
export type TradeId = z.infer<typeof tradeId>;

const RULES: RequestRules<TradeId> = {
  operation: PATH.query,
  shape: tradeId,
  required: [TRADE_ID_REQUIRED],
  cross: [],
};

/** The name of a trade in messages: its order number, or its `trade_no` if there is no other. */
export const nameOfTrade = ({ out_trade_no, trade_no }: TradeId) =>
  out_trade_no ? `order ${out_trade_no}` : `trade ${trade_no}`;

/** A trade as a query reports it. `order_amount` is a decimal string in currency units, or what the gateway writes in its place. */
export interface Trade {
  out_trade_no?: string | undefined;
  trade_no?: string | undefined;
  trade_status: string;
  order_amount?: string | undefined;
  order_currency?: string | undefined;
  /** Not in the interface, but some gateways send it. */
  method?: string | undefined;
  /** The whole response, with unknown fields. It may hold the buyer's data. */
  answer?: GatewayResponse | undefined;
}

/** The trade of a response; undefined if `trade_status` is missing. */
export function readTrade(response: GatewayResponse): Trade | undefined {
  const trade_status = textField(response, 'trade_status');
  if (trade_status === undefined) return undefined;
  return {
    out_trade_no: textField(response, 'out_trade_no'),
    trade_no: textField(response, 'trade_no'),
    trade_status,
    order_amount: amountField(response, 'order_amount'),
    order_currency: textField(response, 'order_currency'),
    method: textField(response, 'method'),
    answer: withoutEnvelope(response),
  };
}

/** `/trade/query` as an operation of the client. A failed query says nothing about the trade. */
export const TRADE_QUERY: Operation<TradeId, Trade> = {
  rules: RULES,
  ownFields: ['trade_status'],
  onlyAsks: true,
  about: nameOfTrade,
  read: readTrade,
};
