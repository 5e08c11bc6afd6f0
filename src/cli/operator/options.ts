/** The options of the operator's commands, as text from a shell. */
import { ATTENTIONS } from '../../contract';
import { durationText } from '../../process/settings/types';
import { ConfigError } from '../../process/user-error';
import type { PaymentFilter } from '../../temporal/payment-query';

export interface FilterOptions {
  app?: string;
  attention?: true | string;
  stuck?: true | string;
  method?: string;
  status?: string;
  since?: string;
  until?: string;
  query?: string;
}

/** Without a value, `--stuck` means this long. */
const STUCK_FOR = '1h';

/** The filter that the options say. Throws ConfigError for one that cannot be read. */
export function filterOf(options: FilterOptions, now: Date): PaymentFilter {
  const { app, attention, stuck, method, status, since, until, query } = options;
  return {
    app_id: app,
    attention: attention === undefined ? undefined : reasonOf(attention),
    stuck_ms: stuck === undefined ? undefined : durationOf('--stuck', stuck === true ? STUCK_FOR : stuck),
    method,
    status: status?.toUpperCase(),
    since: since === undefined ? undefined : momentOf('--since', since, now),
    until: until === undefined ? undefined : momentOf('--until', until, now),
    query,
  };
}

/** Reasons of virtual accounts are not among those of payments, so that any word in their form passes. */
function reasonOf(reason: true | string): true | string {
  if (reason === true || /^[a-z]+(-[a-z]+)*$/.test(reason)) return reason;
  throw new ConfigError(`--attention ${reason}: no such reason. There are ${ATTENTIONS.join(', ')}.`);
}

/** `90s`, `2h`, `3d` in ms. Throws ConfigError. */
export function durationOf(option: string, text: string): number {
  const read = durationText.safeParse(text);
  if (read.success) return read.data;
  throw new ConfigError(`${option} ${text}: ${read.error.issues[0]?.message}.`);
}

/** A date, a time, or how long ago: `2026-03-01`, `2026-03-01T12:00:00Z`, `2h`. Throws ConfigError. */
export function momentOf(option: string, text: string, now: Date): Date {
  const ago = durationText.safeParse(text);
  if (ago.success) return new Date(now.getTime() - ago.data);
  const at = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(at.getTime())) return at;
  throw new ConfigError(`${option} ${text}: must be a time such as 2026-03-01T12:00:00Z, a day, or how long ago: 2h.`);
}

/** A whole number above zero. Throws ConfigError. */
export function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new ConfigError(`${option} ${text}: must be a whole number above zero.`);
}
