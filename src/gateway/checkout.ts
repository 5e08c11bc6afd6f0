/** Hosted checkout: `/trade/create` (section 4.2). */
import { z } from 'zod';
import { type CheckOptions, checkRequest } from './check';
import * as f from './fields';
import { isOneOf, METHOD_FITS } from './methods';
import type { Operation } from './operation';
import type { Checkout } from './orders';
import { orderFields, readCreatedOrder } from './pay';
import { PATH } from './pure/paths';
import type { GatewayResponse } from './response';
import type { RequestRules } from './rules';
import { CANCELLATION_AFTER_TIMEOUT, HTTPS_RETURN_URL, NOTIFY_URL_REQUIRED } from './shared-rules';

const checkout = z.strictObject({
  ...orderFields,
  method: f.text(32).optional(),
  trade_type: z.literal('WEB', 'must be WEB'),
  regions: z
    .array(f.text(f.MOST.region), 'must be a list of region codes')
    .max(f.MOST.regions, `at most ${f.MOST.regions} regions`)
    .optional(),
  // Not in the interface's table, but in one of its samples.
  version: f.text(f.MOST.version).optional(),
});

const RULES: RequestRules<Checkout> = {
  operation: PATH.createCheckout,
  shape: checkout,
  required: [NOTIFY_URL_REQUIRED],
  cross: [
    ...METHOD_FITS,
    CANCELLATION_AFTER_TIMEOUT,
    HTTPS_RETURN_URL,
    {
      field: 'channel',
      broken: ({ has, method }) => has('channel') && has('method') && !isOneOf(method, ['Wallet']),
      rule: 'only with Wallet',
    },
  ],
};

/** Checks a checkout order. Throws InvalidRequestError, which names every wrong field. */
export function parseCheckout(input: unknown, options?: CheckOptions): Checkout {
  return checkRequest(RULES, input, options);
}

export const CHECKOUT: Operation<Checkout, GatewayResponse> = {
  rules: RULES,
  ownFields: ['trade_no', 'web_url'],
  creates: 'order',
  about: ({ out_trade_no }) => `order ${out_trade_no}`,
  read: readCreatedOrder,
};

/**
 * The checkout's address with its `return_url` replaced (section 4.2, rule 1). It works only if the buyer pays on the web.
 * Throws a TypeError if one of the two is not an absolute address.
 */
export function withReturnUrl(web_url: string, return_url: string): string {
  new URL(return_url);
  const [address = '', ...fragment] = new URL(web_url).href.split(/(?=#)/);
  const bare = address.replace(/(?<=[?&])return_url=[^&]*&?/, '').replace(/[?&]$/, '');
  return `${bare}${bare.includes('?') ? '&' : '?'}return_url=${encodeURIComponent(return_url)}${fragment.join('')}`;
}
