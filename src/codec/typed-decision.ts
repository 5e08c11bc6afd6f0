/**
 * The only payload that our workflows take from a person's keyboard. It is a decision only if it has no other fields than a decision
 * has: an order to which somebody adds `by` is not a decision.
 */
import type { Payload } from '@temporalio/common';
import { z } from 'zod';
import type {
  AccountResolution,
  AfterSaleResolution,
  CreationResolution,
  DropEvents,
  PaymentResolution,
  Taking,
} from '../contract';

type Decision = PaymentResolution & AfterSaleResolution & AccountResolution & CreationResolution & DropEvents & Taking;

const text = z.string().optional();
const decision = z.strictObject({
  by: z.string().min(1),
  reason: text,
  outcome: text,
  out_request_no: text,
  refunded_elsewhere: text,
  although: text,
  seen: text,
  account_id: text,
  note: text,
  /** For an event delivery: every event that waits. */
  all: z.boolean().optional(),
} satisfies Record<keyof Decision, z.ZodType>);

export const TYPED_FIELDS = Object.keys(decision.shape).join(', ');

/** Whether the payload is the JSON of a decision, which says who decides. */
export function isTypedDecision({ data }: Payload): boolean {
  try {
    return decision.safeParse(JSON.parse(Buffer.from(data ?? []).toString())).success;
  } catch {
    return false;
  }
}
