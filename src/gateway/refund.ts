/** Refund: `/trade/refund` (section 4.3). */
import { z } from 'zod';
import { type CheckOptions, checkRequest } from './check';
import * as f from './fields';
import { MASKED_METHODS, methodIs } from './methods';
import type { Operation } from './operation';
import type { RefundRequest } from './orders';
import { sameAmount } from './pure/money';
import { PATH } from './pure/paths';
import { nameOfTrade, tradeIdFields } from './query';
import { type GatewayResponse, looseAmount, looseLine, withoutEnvelope } from './response';
import type { Condition, RequestRules, Requirement } from './rules';
import { TRADE_ID_REQUIRED } from './shared-rules';

const refundRequest = z.strictObject({
  out_request_no: f.id(16).optional(),
  refund_currency: f.currency,
  refund_amount: f.amount,
  refund_reason: f.text(128).optional(),
  user_info: z
    .strictObject({
      identify: z.strictObject({ number: f.text(16).optional(), type: f.text(16).optional() }).optional(),
      name: f.text(64).optional(),
      email: f.emailAddress(64).optional(),
      phone: f.text(64).optional(),
    })
    .optional(),
  platform_type: z.literal('API', 'must be API').optional(),
  bank_info: z
    .strictObject({
      bank_id: f.text(64).optional(),
      bank_name: f.text(64).optional(),
      agency: f.text(64).optional(),
      type: f.text(64).optional(),
      number: f.text(64).optional(),
    })
    .optional(),
});

const refundOfTrade = refundRequest.extend(tradeIdFields);

/** A refund with the ids of its trade, one or both. */
export type RefundOfTrade = z.infer<typeof refundOfTrade>;

const WHOLE_USER = ['user_info.identify.number', 'user_info.name', 'user_info.email'];

/** Where the money goes by method, and which user info the refund requires. */
const REFUNDS: readonly (readonly [methods: readonly string[], to: string, userInfo: readonly string[]])[] = [
  [['PIX', 'Boleto', 'Lottery', 'DepositExpress'], 'a bank account', WHOLE_USER],
  [['SPEI'], 'a bank account (CLABE)', ['user_info.email']],
  [['Wallet', 'CreditCard'], 'the original source', ['user_info.email']],
  // The interface names no refund for these. So the gateway is asked first, not the buyer, whose data may be of no use.
  [
    ['Cash', 'BankTransfer', 'PSE', 'Efecty', 'OXXO', 'OXXOPay', 'CoDi', 'OpenFinance', 'BNCR', ...MASKED_METHODS],
    'wherever the gateway says',
    [],
  ],
];

/** For any other method, and for an unknown one, the fields of the table in section 4.3 are required. */
const byNoneOfThese: Condition = (context) => !REFUNDS.some(([methods]) => methodIs(...methods)(context));

const USER_INFO: readonly Requirement[] = [
  ...REFUNDS.flatMap(([methods, to, fields]) =>
    fields.map((field) => ({ field, when: methodIs(...methods), rule: `required to refund to ${to}` })),
  ),
  ...WHOLE_USER.map((field) => ({ field, when: byNoneOfThese, rule: 'required' })),
];

const isPartial: Condition = ({ text, trade }) => {
  const amount = text('refund_amount');
  return amount !== undefined && trade.order_amount !== undefined && !sameAmount(amount, trade.order_amount);
};

const REQUIRED: readonly Requirement[] = [
  ...USER_INFO,
  { field: 'out_request_no', when: isPartial, rule: 'required for a partial refund' },
];

const RULES: RequestRules<RefundRequest> = {
  operation: PATH.refund,
  shape: refundRequest,
  required: REQUIRED,
  cross: [],
};

/**
 * Checks a refund without the ids of its trade. `options.trade` is what is known about the trade: without its method all
 * user info is required, without its amount no refund counts as partial. Throws InvalidRequestError, which names every
 * wrong field.
 */
export function parseRefund(input: unknown, options?: CheckOptions): RefundRequest {
  return checkRequest(RULES, input, options);
}

const refund = z.looseObject({
  out_trade_no: looseLine,
  trade_no: looseLine,
  refund_currency: looseLine,
  refund_amount: looseAmount,
  refund_status: looseLine,
});

/** A refund, with the fields of section 4.3 and small other ones. The amount is a decimal string in currency units. */
export type Refund = z.infer<typeof refund>;

/** The most bytes of other fields that are kept: the answers to all refunds of an order stay in its ledger. */
const MOST_BYTES_BESIDE = 1_024;

function withoutLargeFields(answer: GatewayResponse): GatewayResponse {
  let left = MOST_BYTES_BESIDE;
  const isKept = ([name, value]: [string, unknown]) => {
    if (Object.hasOwn(refund.shape, name)) return true;
    const bytes = Buffer.byteLength(JSON.stringify([name, value]));
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  return Object.fromEntries(Object.entries(answer).filter(isKept));
}

export const REFUND: Operation<RefundOfTrade, Refund> = {
  rules: { ...RULES, shape: refundOfTrade, required: [TRADE_ID_REQUIRED, ...REQUIRED] },
  ownFields: ['refund_status', 'refund_amount'],
  creates: 'refund',
  about: ({ out_request_no, ...id }) =>
    `${out_request_no ? `refund ${out_request_no}` : 'the refund'} of ${nameOfTrade(id)}`,
  read: (answer: GatewayResponse) => refund.parse(withoutLargeFields(withoutEnvelope(answer))),
};
