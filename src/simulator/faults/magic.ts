import { z } from 'zod';
import { type JsonObject, textAt } from '../json';
import { invalid, type Refusal } from '../operations/answers';
import {
  type FaultOrder,
  type FaultPlace,
  type FaultTarget,
  faultPlaces,
  faultSchema,
  type OperationName,
} from './faults';

/** The text of each operation in which tags are looked for. */
const taggedTexts: Partial<Record<OperationName, string>> = {
  pay: 'subject',
  create: 'subject',
  refund: 'refund_reason',
  'account-create': 'customer.name',
};

// A tag has brackets, the word and a colon, so that no order of goods has one by accident.
const TAG = /\[sim:[^\]]*\]/g;
const PARTS = /^\[sim:(?:([a-z-]+):)?([a-z0-9-]+)(?:=(\d{1,8}))?(?:\*(\d{1,3}))?\]$/;

/** A fault that a tag asks for, and a key by which the same request made again is known. */
export interface MagicFault {
  key: string;
  order: FaultOrder;
}

/**
 * Reads the tags of a request: `[sim:fault]` for the request itself, `[sim:place:fault]` for what comes later of the same
 * order or account, with `=n` (milliseconds, or the HTTP status of `5xx` faults) and `*n` (times). One that has no meaning is a refusal.
 */
export function magicFaults(place: OperationName, body: JsonObject, target: FaultTarget): MagicFault[] | Refusal {
  const field = taggedTexts[place];
  if (field === undefined) return [];
  const faults: MagicFault[] = [];
  for (const [tag] of (textAt(body, field) ?? '').matchAll(TAG)) {
    const order = orderOf(tag, place, target);
    if (typeof order === 'string') return invalid(field, `has the tag ${tag}, but ${order}`);
    const about = [place, target.app_id, target.out_trade_no, textAt(body, 'out_request_no'), target.buyer_id, tag];
    faults.push({ key: JSON.stringify(about.map((part) => part ?? null)), order });
  }
  return faults;
}

function orderOf(
  tag: string,
  place: OperationName,
  { app_id, out_trade_no, buyer_id }: FaultTarget,
): FaultOrder | string {
  const [, named, fault, number, times] = PARTS.exec(tag) ?? [];
  if (fault === undefined) return 'a tag is [sim:fault] or [sim:place:fault], with =ms and *times';
  const on = faultPlaces.find((known): known is FaultPlace => known === (named ?? place));
  if (on === undefined) return `there is no place ${named}; there are ${faultPlaces.join(', ')}`;
  const order = {
    on,
    fault,
    // A fault set by a tag strikes nobody else.
    app_id,
    ...(place === 'account-create' ? { buyer_id } : { out_trade_no }),
    ...(number === undefined ? {} : fault.startsWith('5xx') ? { http_status: Number(number) } : { ms: Number(number) }),
    ...(times === undefined ? {} : { times: Number(times) }),
  };
  const checked = faultSchema.safeParse(order);
  return checked.success ? order : z.prettifyError(checked.error).replace(/^✖ /, '');
}
