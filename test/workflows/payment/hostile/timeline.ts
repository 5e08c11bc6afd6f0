/** What happened in a story, in the order of time, for a person who reads a failing one. */
import { eventLines, type Line, timeline } from '../../hostile/timeline';
import type { World } from './world';

export function timelineOf(world: World): string {
  const { gateway, told, acknowledged, attentions, events, waiting } = world;
  return timeline([
    ...gateway.exchanges.map(
      ({ at, is, asked, answered }): Line => [at, `${is} ${asked.trade_no ?? asked.out_trade_no ?? ''}: ${answered}`],
    ),
    ...gateway.trades.flatMap(({ trade_no, made_by, amount, states }) =>
      states.map(({ status, at }): Line => [at, `at the gateway: ${trade_no} of ${made_by}, ${amount}, is ${status}`]),
    ),
    ...acknowledged.map(
      ({ at, trade_no, status, amount }): Line => [at, `acknowledged: ${trade_no} ${status} ${amount}`],
    ),
    ...told.map(({ at, ...one }): Line => [at, `told: ${JSON.stringify(one).slice(0, 160)}`]),
    ...attentions
      .filter(
        (one, i) =>
          attentions.findIndex(({ runId, attention }) => runId === one.runId && attention === one.attention) === i,
      )
      .map(({ at, runId, attention }): Line => [at, `before a person: ${runId} ${attention}`]),
    ...gateway.refunds.map(
      ({ at, trade_no, amount, number }): Line => [at, `given back: ${amount} of ${trade_no}, ${number}`],
    ),
    ...waiting.map(({ asked, is, workflowId }): Line => [asked, `asked: ${is} of ${workflowId}`]),
    ...eventLines(events),
  ]);
}
