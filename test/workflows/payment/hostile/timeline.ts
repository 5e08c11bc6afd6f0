/** What happened in a story, in the order of time, for a person who reads a failing one. */
import { BEGIN, type World } from './world';

export function timelineOf(world: World): string {
  const { gateway, told, acknowledged, attentions, events, waiting } = world;
  const lines: [at: number, text: string][] = [
    ...gateway.exchanges.map(({ at, is, asked, answered }): [number, string] => [
      at,
      `${is} ${asked.trade_no ?? asked.out_trade_no ?? ''}: ${answered}`,
    ]),
    ...gateway.trades.flatMap(({ trade_no, made_by, amount, states }) =>
      states.map(({ status, at }): [number, string] => [
        at,
        `at the gateway: ${trade_no} of ${made_by}, ${amount}, is ${status}`,
      ]),
    ),
    ...acknowledged.map(({ at, trade_no, status, amount }): [number, string] => [
      at,
      `acknowledged: ${trade_no} ${status} ${amount}`,
    ]),
    ...told.map(({ at, ...one }): [number, string] => [at, `told: ${JSON.stringify(one).slice(0, 160)}`]),
    ...attentions
      .filter(
        (one, i) =>
          attentions.findIndex(({ runId, attention }) => runId === one.runId && attention === one.attention) === i,
      )
      .map(({ at, runId, attention }): [number, string] => [at, `before a person: ${runId} ${attention}`]),
    ...gateway.givenBack.map(({ at, trade_no, amount, out_request_no }): [number, string] => [
      at,
      `given back: ${amount} of ${trade_no}, ${out_request_no ?? 'without a number'}`,
    ]),
    ...waiting.map(({ asked, is, workflowId }): [number, string] => [asked, `asked: ${is} of ${workflowId}`]),
    ...events.map((event): [number, string] => [
      Date.parse(event.time),
      `event: ${event.type} ${'transition' in event ? event.transition?.to : ''}`,
    ]),
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
