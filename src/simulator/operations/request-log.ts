/** One request that the gateway received. Nothing secret: no credentials, no body. */
export interface LoggedRequest {
  at: number;
  path: string;
  app_id: string | null;
  out_trade_no: string | null;
  trade_no: string | null;
  /** The refund's number, where the request gives one. */
  out_request_no: string | null;
  account_id: string | null;
  /** Whether the gateway did what was asked; false where a fault came first. */
  processed: boolean;
  /** Whether something came into being: a trade, a refund or an account, by the path. What a test counts charges with. */
  created: boolean;
  /** What was answered, or would have been if no fault had kept it back. */
  http_status: number | null;
  code: string | null;
  sub_code: string | null;
  trade_status: string | null;
  /** The fault that was injected. */
  fault: string | null;
}

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
