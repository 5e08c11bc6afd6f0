/** What the webhook hands to workflows. */

/**
 * A verified notification, as the webhook passes it on. Any field may be missing, because others can send this signal
 * too.
 */
export interface NotificationSignal {
  readonly trade_no?: string | undefined;
  readonly out_trade_no?: string | undefined;
  readonly out_request_no?: string | undefined;
  readonly trade_status?: string | undefined;
  readonly method?: string | undefined;
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  readonly [field: string]: unknown;
}

/** What a notification says, without anything personal. */
export interface NotificationClaim {
  trade_no?: string | undefined;
  trade_status?: string | undefined;
  out_request_no?: string | undefined;
  /** In currency units. */
  amount?: string | undefined;
  currency?: string | undefined;
}

const TEXTS = ['trade_no', 'out_trade_no', 'out_request_no', 'trade_status', 'method', 'amount', 'currency'] as const;

/**
 * The signal without fields that should be text and are not; undefined if it is no object. Anybody who can write to Temporal may have
 * sent it, with anything or nothing.
 */
export function readSignal(signal: unknown): NotificationSignal | undefined {
  if (typeof signal !== 'object' || signal === null) return undefined;
  const texts = TEXTS.map((field): [string, unknown] => [field, Reflect.get(signal, field)]);
  return { ...signal, ...Object.fromEntries(texts.map(([field, value]) => [field, textOrNone(value)])) };
}

const textOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The trades that these notifications name, each once. */
export function tradesNamedBy(notifications: readonly Pick<NotificationSignal, 'trade_no'>[]): string[] {
  return [...new Set(notifications.flatMap(({ trade_no }) => trade_no ?? []))];
}

/** What is known of a trade, as if it had been notified: the receiver then compares it with the gateway. */
export function asNotified({ trade_no, trade_status }: KnownTrade): NotificationSignal {
  return { trade_no, ...(trade_status === null ? {} : { trade_status }) };
}

interface KnownTrade {
  readonly trade_no: string;
  readonly trade_status: string | null;
}

/** Whether a notification may be about this trade: it names no other trade, or our trade_no is unknown. */
export function isOfTrade(
  { trade_no }: Pick<NotificationSignal, 'trade_no'>,
  ours: string | null | undefined,
): boolean {
  return !trade_no || !ours || trade_no === ours;
}

/** A genuinely signed notification that could not be read. `body`: its bytes as they came, in base64. */
export interface StrayNotificationInput {
  app_id: string;
  body: string;
}

/** What a notification says, without anything personal: the public state shows it while it is held. */
export function claimOf(signal: NotificationSignal): NotificationClaim {
  const { trade_no, trade_status, out_request_no, amount, currency } = signal;
  return { trade_no, trade_status, out_request_no, amount, currency };
}
