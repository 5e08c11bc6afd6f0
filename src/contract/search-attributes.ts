/** The search attributes of our workflows. Temporal never encrypts them, so they must never hold personal data. */
import { defineSearchAttributeKey } from '@temporalio/common';

/** What workflows set and lists filter by. */
export const SEARCH_ATTRIBUTE = {
  status: defineSearchAttributeKey('PaymentStatus', 'KEYWORD'),
  method: defineSearchAttributeKey('PaymentMethod', 'KEYWORD'),
  currency: defineSearchAttributeKey('PaymentCurrency', 'KEYWORD'),
  attention: defineSearchAttributeKey('PaymentAttention', 'KEYWORD'),
  tradeNo: defineSearchAttributeKey('PaymentTradeNo', 'KEYWORD'),
  /** A double: good enough to filter by size, never to calculate with. */
  amount: defineSearchAttributeKey('PaymentAmount', 'DOUBLE'),
  /** Of a virtual account: a digest of each key that it was created for. One account may have several. */
  accountKeys: defineSearchAttributeKey('PaymentAccountKeys', 'KEYWORD_LIST'),
  expiresAt: defineSearchAttributeKey('PaymentExpiresAt', 'DATETIME'),
};
