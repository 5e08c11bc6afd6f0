/** How a story is told to the person who reads a failing one. */
import type { MerchantEvent } from '../../../src/contract';
import { BEGIN } from './base-world';

export type Line = readonly [at: number, text: string];

/** These lines in the order of time. */
export function timeline(lines: readonly Line[]): string {
  return [...lines]
    .sort(([a], [b]) => a - b)
    .map(([at, text]) => `${since(at)}  ${text}`)
    .join('\n');
}

/** What the merchant's handler heard. */
export function eventLines(events: readonly MerchantEvent[]): Line[] {
  return events.map((event) => [
    Date.parse(event.time),
    `event: ${event.type} ${'transition' in event ? event.transition.to : ''}`,
  ]);
}

/** Days, hours, minutes and seconds since the story began. */
function since(at: number): string {
  const s = Math.round((at - BEGIN) / 1_000);
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
  return `+${Math.floor(s / 86_400)}d ${two((s % 86_400) / 3_600)}:${two((s % 3_600) / 60)}:${two(s % 60)}`;
}
