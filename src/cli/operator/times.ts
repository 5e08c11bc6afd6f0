/** Times for people: how long ago, beside the absolute time. */
import { DAY, HOUR, MINUTE } from '../../gateway/pure/durations';

/** `3d 4h`, `2h 5m`, `40s`: the time since then. */
export function age(time: string, now: Date): string {
  return span(Math.max(now.getTime() - Date.parse(time), 0));
}

/** How long it is until then: `2d 4h`, `3h 5m over` if it is over; empty for no time. */
export function timeLeft(time: string | null, now: Date): string {
  if (time === null) return '';
  const left = Date.parse(time) - now.getTime();
  return left < 0 ? `${span(-left)} over` : span(left);
}

/** A duration in its two largest units. */
export function span(ms: number): string {
  const [days, hours, minutes] = [
    Math.floor(ms / DAY),
    Math.floor((ms % DAY) / HOUR),
    Math.floor((ms % HOUR) / MINUTE),
  ];
  if (days > 0) return `${days}d ${hours}h`;
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m` : `${Math.floor(ms / 1_000)}s`;
}

/** The time as `2026-03-01 12:00:00`, in UTC. */
export const utc = (time: string) => time.slice(0, 19).replace('T', ' ');
