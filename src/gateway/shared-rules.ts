/** Rules of more than one operation. */

import { isOneOf } from './methods';
import { deadline } from './pure/durations';
import type { CrossRule, Requirement } from './rules';

/** `cancellation_express` ends after `timeout_express` (sections 4.1 and 4.2). */
export const CANCELLATION_AFTER_TIMEOUT: CrossRule = {
  field: 'cancellation_express',
  broken: ({ text, now }) => {
    const expiry = deadline(text('timeout_express') ?? '', now);
    const cancellation = deadline(text('cancellation_express') ?? '', now);
    return expiry !== undefined && cancellation !== undefined && cancellation <= expiry;
  },
  rule: 'must be larger than timeout_express',
};

/** Some channels require an HTTPS `return_url` (section 4.1). A setting names them. */
export const HTTPS_RETURN_URL: CrossRule = {
  field: 'return_url',
  broken: ({ text, method, settings }) => {
    const address = text('return_url');
    const isRequired = [text('channel'), method].some((name) => isOneOf(name, settings.https_channels));
    return isRequired && address !== undefined && !/^https:/i.test(address);
  },
  rule: 'must be an https address for this channel',
};

/** `notify_url` is filled in with the webhook's public address if it is absent, so it is required only when sending. */
export const NOTIFY_URL_REQUIRED: Requirement = {
  field: 'notify_url',
  when: ({ sending }) => sending,
  rule: 'required',
};

/** A Global app names the region (section 4.1). */
export const REGION_REQUIRED: Requirement = {
  field: 'region',
  when: ({ global }) => global,
  rule: 'required, because the app is Global',
};

/** One of a trade's two ids is required (sections 4.3 and 4.4). */
export const TRADE_ID_REQUIRED: Requirement = {
  field: 'out_trade_no',
  when: ({ has }) => !has('trade_no'),
  rule: 'required, unless trade_no is given',
};
