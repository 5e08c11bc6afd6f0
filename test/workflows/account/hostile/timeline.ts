/** What happened in a story, in the order of time, for a person who reads a failing one. */
import { eventLines, type Line, timeline } from '../../hostile/timeline';
import type { World } from './world';

export function timelineOf({ gateway, told, acknowledged, attentions, events }: World): string {
  return timeline([
    ...gateway.trades.flatMap(({ out_trade_no, trade_no, account_id, amount, states }) =>
      states.map(
        ({ at, status }): Line => [
          at,
          `at the gateway: ${out_trade_no} (${trade_no}) of ${account_id}, ${amount}, is ${status}`,
        ],
      ),
    ),
    ...acknowledged.map(
      ({ at, out_trade_no, trade_no, status }): Line => [at, `acknowledged: ${out_trade_no} (${trade_no}) ${status}`],
    ),
    ...told.map(({ at, ...one }): Line => [at, `told: ${JSON.stringify(one).slice(0, 200)}`]),
    ...attentions
      .filter(
        (one, i) =>
          attentions.findIndex((its) => its.workflowId === one.workflowId && its.attention === one.attention) === i,
      )
      .map(({ at, workflowId, attention }): Line => [at, `before a person: ${workflowId} ${attention}`]),
    ...eventLines(events),
  ]);
}
