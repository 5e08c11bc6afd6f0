/** What happened in a story, in the order of time, for a person who reads a failing one. */
import { type BaseWorld, BEGIN } from './base-world';

type Line = readonly [at: number, text: string];

export function timelineOf({ gateway, told, acknowledged, attentions, events }: BaseWorld): string {
  const { trades, exchanges, requests, refunds } = gateway;
  const firstSeen = attentions.filter(
    (one, i) => attentions.findIndex((its) => its.runId === one.runId && its.attention === one.attention) === i,
  );
  const lines: Line[] = [
    ...trades.flatMap(({ trade_no, out_trade_no, made_by, amount, states }) =>
      states.map(({ status, at, number = '' }): Line => {
        return [at, `at the gateway: ${trade_no} of ${made_by} (${out_trade_no}), ${amount}, is ${status} ${number}`];
      }),
    ),
    ...exchanges.map(({ at, is, asked, answered }): Line => {
      return [at, `${is} ${asked.trade_no ?? asked.out_trade_no ?? ''}: ${answered}`];
    }),
    ...requests.map(({ at, number, amount, status, shown }): Line => {
      return [at, `asked for: ${amount} ${number} (is ${status}, shows ${shown.join(' or ')})`];
    }),
    ...refunds.map(({ at, trade_no, number, amount, by, ends }): Line => {
      return [at, `given back: ${amount} of ${trade_no}, ${number} by ${by}, ends ${ends}`];
    }),
    ...acknowledged.map(({ at, trade_no, status, amount, number = '' }): Line => {
      return [at, `acknowledged: ${trade_no} ${status} ${amount} ${number}`];
    }),
    ...told.map(({ at, ...one }): Line => [at, `told: ${JSON.stringify(one).slice(0, 300)}`]),
    ...firstSeen.map(({ at, runId, workflowId, attention }): Line => {
      return [at, `before a person: ${workflowId} ${runId} ${attention}`];
    }),
    ...events.map((event): Line => {
      return [Date.parse(event.time), `event: ${event.type} ${'transition' in event ? event.transition.to : ''}`];
    }),
  ];
  return lines
    .sort(([a], [b]) => a - b)
    .map(([at, text]) => `${since(at)}  ${text}`)
    .join('\n');
}

/** Days, hours, minutes and seconds since the story began. */
function since(at: number): string {
  const s = Math.round((at - BEGIN) / 1_000);
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
  return `+${Math.floor(s / 86_400)}d ${two((s % 86_400) / 3_600)}:${two((s % 3_600) / 60)}:${two(s % 60)}`;
}
