/** Rules that several operations share. */
import { deadline } from './durations';
import { isOneOf } from './methods';
import type { CrossRule, Requirement } from './rules';

export const CANCELLATION_AFTER_TIMEOUT: CrossRule = {
  field: 'cancellation_express',
  broken: ({ text, now }) => {
    const expiry = deadline(text('timeout_express') ?? '', now);
    const cancellation = deadline(text('cancellation_express') ?? '', now);
    return expiry !== undefined && cancellation !== undefined && cancellation <= expiry;
  },
  rule: 'must be larger than timeout_express',
};

/** Some channels take an HTTPS `return_url` only (section 4.1); which ones is a setting. */
export const HTTPS_RETURN_URL: CrossRule = {
  field: 'return_url',
  broken: ({ text, method, settings }) => {
    const address = text('return_url');
    const asks = [text('channel'), method].some((name) => isOneOf(name, settings.https_channels));
    return asks && address !== undefined && !/^https:/i.test(address);
  },
  rule: 'must be an https address for this channel',
};

/** Orders and accounts may leave `notify_url` to the webhook's public address, but none is sent without one. */
export const NOTIFY_URL_REQUIRED: Requirement = {
  field: 'notify_url',
  when: ({ sending }) => sending,
  rule: 'required',
};

export const REGION_REQUIRED: Requirement = {
  field: 'region',
  when: ({ global }) => global,
  rule: 'required, because the app is Global',
};

/** Of a trade's two ids one suffices (sections 4.3 and 4.4). */
export const TRADE_ID_REQUIRED: Requirement = {
  field: 'out_trade_no',
  when: ({ has }) => !has('trade_no'),
  rule: 'required, unless trade_no is given',
};
