import { z } from 'zod';
import { type LooseObject, textAt } from '../json';
import { invalidField, type RequestRefusal } from '../rules/refusal';
import { type FaultOrder, type Faults, type FaultTarget, faultPlaces, faultSchema, type OperationName } from './faults';

/** The field of each operation's request that can contain tags. */
const taggedTexts: Partial<Record<OperationName, string>> = {
  pay: 'subject',
  create: 'subject',
  refund: 'refund_reason',
  'account-create': 'customer.name',
};

// Brackets, the word and a colon: no real order has such a tag by accident.
const TAG = /\[sim:[^\]]*\]/g;
const PARTS = /^\[sim:(?:([a-z-]+):)?([a-z0-9-]+)(?:=(\d{1,8}))?(?:\*(\d{1,3}))?\]$/;

/**
 * Sets the faults that the tags of a request ask for; the same request again sets nothing new. `[sim:fault]` is for the
 * request itself, `[sim:place:fault]` for later requests and notifications of the same order or account. `=n` gives
 * milliseconds, or the HTTP status of `5xx` faults; `*n` how often it strikes. Returns a refusal, and sets none, if a tag
 * has no meaning.
 */
export function setTaggedFaults(
  faults: Faults,
  place: OperationName,
  { app, body, target }: { app: object | undefined; body: LooseObject | undefined; target: FaultTarget },
): RequestRefusal | undefined {
  const field = taggedTexts[place];
  if (!app || !body || field === undefined) return undefined;
  const orders = new Map<string, FaultOrder>();
  for (const [tag] of (textAt(body, field) ?? '').matchAll(TAG)) {
    const order = orderOf(tag, place, target);
    if (typeof order === 'string') return invalidField(field, `has the tag ${tag}, but ${order}`);
    const about = [place, target.app_id, target.out_trade_no, textAt(body, 'out_request_no'), target.buyer_id, tag];
    orders.set(JSON.stringify(about.map((part) => part ?? null)), order);
  }
  for (const [key, order] of orders) faults.addOnce(key, order);
  return undefined;
}

function orderOf(tag: string, place: OperationName, target: FaultTarget): FaultOrder | string {
  const { app_id, out_trade_no, buyer_id } = target;
  const [, named, fault, number, times] = PARTS.exec(tag) ?? [];
  if (fault === undefined) return 'a tag is [sim:fault] or [sim:place:fault], with =ms and *times';
  const on = faultPlaces.find((known) => known === (named ?? place));
  if (on === undefined) return `there is no place ${named}; there are ${faultPlaces.join(', ')}`;
  const order = {
    on,
    fault,
    // A tag affects its own app and order only.
    app_id,
    ...(place === 'account-create' ? { buyer_id } : { out_trade_no }),
    ...(number === undefined ? {} : fault.startsWith('5xx') ? { http_status: Number(number) } : { ms: Number(number) }),
    ...(times === undefined ? {} : { times: Number(times) }),
  };
  const checked = faultSchema.safeParse(order);
  return checked.success ? order : z.prettifyError(checked.error).replace(/^✖ /, '');
}
