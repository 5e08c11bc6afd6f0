import { z } from 'zod';

const text = z.string().nullable();

/** One request that the gateway received. Nothing secret: no credentials, no body. */
export const loggedRequestSchema = z.object({
  at: z.number(),
  path: z.string(),
  app_id: text,
  out_trade_no: text,
  trade_no: text,
  out_request_no: text.describe('The refund’s number, where the request gives one.'),
  account_id: text,
  processed: z.boolean().describe('Whether the gateway did what was asked; false where a fault came first.'),
  created: z
    .boolean()
    .describe('Whether something came into being: a trade, a refund or an account, by the path. Counts charges.'),
  http_status: z
    .int()
    .nullable()
    .describe('What was answered, or would have been if no fault had kept it back. So for the fields that follow.'),
  code: text,
  sub_code: text,
  trade_status: text,
  fault: text.describe('The fault that was injected.'),
});

/** One request that the gateway received. */
export type LoggedRequest = z.output<typeof loggedRequestSchema>;

// Old entries go, so that a simulator can run for months.
const LONGEST = 50_000;

/** The latest requests, oldest first. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];

  add(entry: LoggedRequest): void {
    this.#entries.push(entry);
    if (this.#entries.length > LONGEST) this.#entries.splice(0, LONGEST / 10);
  }

  entries(): readonly LoggedRequest[] {
    return this.#entries;
  }

  clear(): void {
    this.#entries.length = 0;
  }
}

/** A field of an answer as text. */
export function answered(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
