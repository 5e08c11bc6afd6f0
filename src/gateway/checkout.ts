/** Hosted checkout: `/trade/create` (section 4.2). */
import { z } from 'zod';
import { type Answer, withoutEnvelope } from './answers';
import { type CheckOptions, checkRequest } from './check';
import * as f from './fields';
import { isOneOf } from './methods';
import type { Operation } from './operation';
import { orderFields } from './pay';
import type { RequestRules } from './rules';
import { CANCELLATION_AFTER_TIMEOUT, HTTPS_RETURN_URL, NOTIFY_URL_REQUIRED } from './shared-rules';

export const CREATE = '/trade/create';

const checkout = z.strictObject({
  ...orderFields,
  method: f.text(32).optional(),
  trade_type: z.literal('WEB', 'must be WEB'),
  regions: z.array(f.text(), 'must be a list of region codes').optional(),
  // Undocumented, but a published sample carries it.
  version: f.text().optional(),
});

/** The body of `/trade/create` without `app_id` and `timestamp`; `notify_url` may be left to the webhook's public address. */
export type Checkout = z.infer<typeof checkout>;

const RULES: RequestRules<Checkout> = {
  operation: CREATE,
  shape: checkout,
  required: [NOTIFY_URL_REQUIRED],
  cross: [
    CANCELLATION_AFTER_TIMEOUT,
    HTTPS_RETURN_URL,
    {
      field: 'channel',
      broken: ({ has, method }) => has('channel') && has('method') && !isOneOf(method, ['Wallet']),
      rule: 'only with Wallet',
    },
  ],
};

/** Reads a checkout order. Throws InvalidRequestError naming each wrong field. */
export function parseCheckout(input: unknown, options?: CheckOptions): Checkout {
  return checkRequest(RULES, input, options);
}

export const CHECKOUT: Operation<Checkout, Answer> = {
  rules: RULES,
  ownFields: ['trade_no', 'web_url'],
  creates: 'order',
  about: ({ out_trade_no }) => `order ${out_trade_no}`,
  read: withoutEnvelope,
};

/**
 * The checkout's address with another `return_url` than the order's (rule 1 of section 4.2; works only while the buyer
 * pays on the web). Throws a TypeError where either is no absolute address.
 */
export function withReturnUrl(web_url: string, return_url: string): string {
  new URL(return_url);
  const [address = '', ...fragment] = new URL(web_url).href.split(/(?=#)/);
  const bare = address.replace(/(?<=[?&])return_url=[^&]*&?/, '').replace(/[?&]$/, '');
  return `${bare}${bare.includes('?') ? '&' : '?'}return_url=${encodeURIComponent(return_url)}${fragment.join('')}`;
}
