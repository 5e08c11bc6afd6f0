/** What happened in a story, in the order of time, for a person who reads a failing one. */
import { eventLines, type Line, timeline } from '../../hostile/timeline';
import type { World } from './world';

export function timelineOf({ gateway, sold, told, acknowledged, attentions, events }: World): string {
  return timeline([
    ...sold.states.map(({ at, status, number }): Line => [at, `at the gateway: ${status} ${number ?? ''}`]),
    ...gateway.requests.map(
      ({ at, number, amount, status, shown }): Line => [
        at,
        `asked for: ${amount} ${number} (is ${status}, shows ${shown.join(' or ')})`,
      ],
    ),
    ...gateway.refunds.map(
      ({ at, number, amount, by, ends }): Line => [at, `given back: ${amount} ${number} by ${by}, ends ${ends}`],
    ),
    ...acknowledged.map(({ ackedAt, status, number }): Line => [ackedAt, `acknowledged: ${status} ${number}`]),
    ...told.map(({ at, ...one }): Line => [at, `told: ${JSON.stringify(one).slice(0, 300)}`]),
    ...attentions
      .filter((one, i) => attentions[i - 1]?.attention !== one.attention)
      .map(({ at, attention }): Line => [at, `before a person: ${attention}`]),
    ...eventLines(events),
  ]);
}
