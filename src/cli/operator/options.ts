/** The options of the operator's commands, as text from a shell. */
import { z } from 'zod';
import { ATTENTION_WORDS, JOB_RUNBOOK } from '../../contract';
import { DAY } from '../../gateway/pure/durations';
import { METHOD_NAMES } from '../../gateway/pure/names';
import { durationText } from '../../process/settings/types';
import { ConfigError } from '../../process/user-error';
import type { PaymentFilter } from '../../temporal/payment-query';
import type { AppOptions } from '../command-settings';

export interface FilterOptions extends AppOptions {
  attention?: true | string;
  stuck?: true | string;
  mine?: string;
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
  const { app, attention, stuck, mine, method, status, query } = options;
  return {
    app_id: app,
    attention: attention === undefined ? undefined : reasonOf(attention),
    stuck_ms: stuck === undefined ? undefined : durationOf('--stuck', stuck === true ? STUCK_FOR : stuck),
    taken_by: mine,
    method: METHOD_NAMES.find((one) => one.toLowerCase() === method?.toLowerCase()) ?? method,
    status: status?.toUpperCase(),
    ...listedPeriod(options, now),
    query,
  };
}

/** Every reason. An unknown reason would find nothing, which looks as if nobody were needed. */
const REASONS = [...ATTENTION_WORDS, ...Object.keys(JOB_RUNBOOK)];

function reasonOf(reason: true | string): true | string {
  if (reason === true || REASONS.includes(reason)) return reason;
  throw new ConfigError(`--attention ${reason}: no such reason. There are ${REASONS.join(', ')}.`);
}

/** The longest duration: longer ones lead to times that cannot be written. */
const LONGEST = 36_500 * DAY;

/** `90s`, `2h`, `3d` in ms. Throws ConfigError. */
export function durationOf(option: string, text: string): number {
  const read = durationText.safeParse(text);
  if (!read.success) throw new ConfigError(`${option} ${text}: ${read.error.issues[0]?.message}.`);
  if (read.data > LONGEST) throw new ConfigError(`${option} ${text}: must be at most ${LONGEST / DAY}d.`);
  return read.data;
}

/**
 * How often something is repeated: not more often than a server can bear, and not so rarely that timers overflow. Throws ConfigError.
 */
export function everyOf(option: string, text: string): number {
  const every = durationOf(option, text);
  if (every >= 100 && every <= DAY) return every;
  throw new ConfigError(`${option} ${text}: must be between 100ms and 1d.`);
}

const time = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })]);

/**
 * A date, a time, or how long ago: `2026-03-01`, `2026-03-01T12:00:00Z`, `2h`. All are UTC if no zone is given. Throws
 * ConfigError.
 */
export function momentOf(option: string, text: string, now: Date): Date {
  if (durationText.safeParse(text).success) return new Date(now.getTime() - durationOf(option, text));
  // Times as tables show them, such as 2026-03-01 12:00:00, are accepted, too: they are UTC, wherever the command runs.
  const written = text.trim().replace(/^(\S{10}) /, '$1T');
  if (time.safeParse(written).success) return new Date(/T[^Z+-]*$/.test(written) ? `${written}Z` : written);
  throw new ConfigError(`${option} ${text}: must be a time such as 2026-03-01T12:00:00Z, a day, or how long ago: 2h.`);
}

/** From `--since` on, before `--until`. Throws ConfigError for a time that cannot be read, and if nothing lies between them. */
export function listedPeriod({ since, until }: Pick<FilterOptions, 'since' | 'until'>, now: Date) {
  const from = since === undefined ? undefined : momentOf('--since', since, now);
  const to = until === undefined ? undefined : momentOf('--until', until, now);
  if (from && from >= (to ?? now)) throw new ConfigError(`--since ${since}: must be before ${to ? '--until' : 'now'}.`);
  return { since: from, until: to };
}

/** A whole number above zero. Throws ConfigError. */
export function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new ConfigError(`${option} ${text}: must be a whole number above zero.`);
}
