/**
 * A story: what the world said and did to one order, with a stand-in for each private value. `payment-gateway story` writes it,
 * `simulate({ story })` plays it. Times are ms since it began, amounts decimal strings in currency units.
 */
import { z } from 'zod';
import {
  type AfterSaleState,
  type LatePayments,
  PAYMENT_OUTCOMES,
  type PaymentInput,
  type PaymentState,
  paymentAfterEnd,
  SILENCES,
} from '../contract';

/** Changes when the meaning of a story changes. An older story has to be written again. */
export const STORY_VERSION = 1;

/** A longer story is not of one order, or somebody made it up. */
const LONGEST_MS = 3_660 * 86_400_000;
const MOST_EVENTS = 20_000;

const ms = z.int().min(0).max(LONGEST_MS);
const text = z.string().max(1_000);
const to = z.enum(['payment', 'after-sale']);
const said = z.looseObject({});

const order = z.looseObject({
  ...{ out_trade_no: text, order_amount: text, order_currency: text },
  ...{ method: text.optional(), timeout_express: text.optional(), cancellation_express: text.optional() },
});
const input = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['direct', 'checkout']), request: order }),
  z.object({ kind: z.literal('adopt'), trade_no: text.optional(), out_trade_no: text.optional() }),
]);

const error = z.looseObject({
  outcome: z.enum(['not-sent', 'not-created', 'created-refused', 'unknown']),
  retryable: z.boolean(),
  operation: text,
  ...{ code: text.optional(), sub_code: text.optional(), http_status: z.int().optional() },
});
const tried = z.discriminatedUnion('is', [
  z.object({ is: z.literal('created'), answer: said }),
  z.object({ is: z.literal('not-sent'), error, why: z.enum(SILENCES) }),
  z.object({ is: z.literal('not-created'), error, credentials: z.boolean() }),
  z.object({ is: z.enum(['created-refused', 'busy', 'duplicate', 'unknown']), error }),
]);
const answered = z.discriminatedUnion('said', [
  z.object({ said: z.literal('taken'), answer: said }),
  z.object({
    said: z.enum(['refused', 'taken-by-others']),
    failure: z.object({ details: said }),
  }),
  z.object({ said: z.enum(['not-sent', 'unknown']) }),
]);
const trade = z.object({
  ...{ trade_status: text, trade_no: text.optional(), method: text.optional() },
  ...{ order_amount: text.optional(), order_currency: text.optional() },
});
const claim = z.object({
  ...{ trade_no: text.optional(), trade_status: text.optional(), out_request_no: text.optional() },
  ...{ amount: text.optional(), currency: text.optional() },
});
const resolution = z.object({
  ...{ by: text, reason: text, out_request_no: text.optional(), refunded_elsewhere: text.optional() },
  although: text.optional(),
  outcome: z.enum([...PAYMENT_OUTCOMES, 'REFUNDED', 'REFUND_REFUSED', 'REFUND_REVOKE', 'NOT_CREATED']).optional(),
});

/** `since_ms`: when the gateway begins to answer this. `of`: the answer is about this other trade under the order's number. */
const gateway = { since_ms: ms, after_ms: ms, of: text.optional() };

const event = z.discriminatedUnion('is', [
  z.object({ is: z.literal('ordered'), after_ms: ms, input }),
  z.object({ is: z.literal('withdrawn'), after_ms: ms }),
  /** What became of a request to create the order. */
  z.object({ is: z.literal('created'), after_ms: ms, tried }),
  z.object({ is: z.literal('shown'), ...gateway, trade }),
  /** The gateway denies the trade. */
  z.object({ is: z.literal('missing'), ...gateway }),
  z.object({ is: z.literal('silent'), ...gateway, why: z.enum(SILENCES) }),
  z.object({ is: z.literal('notified'), after_ms: ms, claim }),
  /** A signal under a name that nobody has. */
  z.object({ is: z.literal('signaled'), after_ms: ms, to }),
  z.object({
    ...{ is: z.literal('refund'), after_ms: ms, out_request_no: text, currency: text },
    /** Absent: all that is left. */
    amount: text.optional(),
  }),
  /** What became of a refund's request. */
  z.object({ is: z.literal('refunded'), after_ms: ms, answered }),
  z.object({ is: z.literal('resolved'), after_ms: ms, to, resolution }),
  z.object({ is: z.literal('taken'), after_ms: ms, to, by: text, note: text.optional() }),
]);

const settings = z.object({
  ...{
    confirm_by_query: z.boolean(),
    late_payments: z.enum(['attention', 'accept', 'refund'] satisfies LatePayments[]),
  },
  ...{ create_within_ms: ms, settling_ms: ms, patience_ms: ms, overdue_ms: ms, watch_window_ms: ms },
  ...{ dispute_ms: ms, refund_watch_ms: ms, usual_expiry_ms: ms, grace_ms: ms, settles_ms: ms, risk_control_ms: ms },
  ...{ poll_schedule_ms: z.array(ms).max(1_000), poll_every_ms: ms.min(1) },
});

const none = text.nullable();
const end = z.object({
  payment: z
    .object({
      ...{ trade_status: none, outcome: none, confirmed_by: none, attention: none, order_amount: none },
      ...{ other_trades: z.array(z.object({ trade_status: none, order_amount: none })) },
    })
    .nullable(),
  after_sale: z
    .object({
      ...{ trade_status: none, attention: none, order_amount: none, ledger_complete: z.boolean() },
      ...{ refunded_amount: text, refunding_amount: text, refunded_elsewhere: text },
      refunds: z.array(z.object({ refund_amount: text, attempt: z.int(), outcome: none, attention: none })),
    })
    .nullable(),
});

const schema = z.strictObject({
  story: z.literal(STORY_VERSION),
  /** UTC: an order may expire at the end of its day. */
  time_of_day: z.iso.time(),
  lasts_ms: ms,
  settings: z.object({ payment: settings, after_sale: settings }),
  events: z.array(event).max(MOST_EVENTS),
  end,
});

export type Story = z.infer<typeof schema>;
export type StoryEvent = z.infer<typeof event>;
export type StoryEnd = z.infer<typeof end>;

export class StoryError extends Error {
  override readonly name = 'StoryError';
}

/** Reads a story. Throws StoryError, which names what is wrong, and none of its values. */
export function parseStory(given: unknown): Story {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const issues = read.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  throw new StoryError(
    `This is no story of version ${STORY_VERSION} (${issues.join('; ')}). Write it again: payment-gateway story ORDER`,
  );
}

/** What an order has come to, without numbers, times and texts: equal for a real order and for its played story. */
export function storyEnd(payment: PaymentState | null, after_sale: AfterSaleState | null): StoryEnd {
  return end.parse({ payment: paymentAfterEnd(after_sale) ?? payment, after_sale });
}

/** The input of a payment in a story: without its app. */
export type StoryInput = z.infer<typeof input>;
export const inputFor = (app_id: string, given: StoryInput): PaymentInput => ({ app_id, ...given });
