/** What happened in a story, in the order of time, for a person who reads a failing one. */
import { BEGIN, type World } from './world';

export function timelineOf({ gateway, told, acknowledged, attentions, events }: World): string {
  const lines: [at: number, text: string][] = [
    ...gateway.steps.map(({ at, status, number }): [number, string] => [
      at,
      `at the gateway: ${status} ${number ?? ''}`,
    ]),
    ...gateway.requests.map(({ at, number, amount, status, shown }): [number, string] => [
      at,
      `asked for: ${amount} ${number} (is ${status}, shows ${shown})`,
    ]),
    ...gateway.refunds.map(({ at, number, amount, by, ends }): [number, string] => [
      at,
      `given back: ${amount} ${number} by ${by}, ends ${ends}`,
    ]),
    ...acknowledged.map(({ ackedAt, status, number }): [number, string] => [
      ackedAt,
      `acknowledged: ${status} ${number}`,
    ]),
    ...told.map(({ at, ...one }): [number, string] => [at, `told: ${JSON.stringify(one).slice(0, 300)}`]),
    ...attentions
      .filter((one, i) => attentions[i - 1]?.attention !== one.attention)
      .map(({ at, attention }): [number, string] => [at, `before a person: ${attention}`]),
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
