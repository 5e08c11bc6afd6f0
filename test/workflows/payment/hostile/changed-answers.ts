/** Gateways that say something else than the hostile one does, from now on: of a payment. */
import { answering, rewording } from '../../hostile/answering';
import { refusal, said } from '../../hostile/gateway';
import { tradeAt, world } from './acts';

export type Body = Readonly<Record<string, unknown>>;
interface Change {
  /** What the gateway is asked. */
  asked?: (body: Body) => Body;
  /** What it answers. */
  answer?: (body: Body) => Body;
}

/** Changes the bodies that go to a path of the gateway, or that come back. */
export function changeBodies(of: string, { asked, answer }: Change): void {
  const changed = (change: (body: Body) => Body) => (text: string) => JSON.stringify(change(JSON.parse(text)));
  if (answer) rewording(world.gateway, of, changed(answer));
  if (asked) answering(world.gateway, ({ path, text, ask }) => ask(path === of ? changed(asked)(text) : text));
}
export const changeQueries = (change: Change): void => changeBodies('/trade/query', change);
export const without = (field: string) => (body: Body) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));

/** The answer to the creation says SUCCESS; queries show what the ledger says. `charges`: it is true. */
export const saysSuccess = (charges: boolean): void =>
  changeBodies('/trade/pay', {
    answer: (body) => {
      if (charges) world.gateway.move(tradeAt(0), 'SUCCESS');
      return { ...body, trade_status: 'SUCCESS' };
    },
  });

/** The gateway gives queries by these numbers of trades, or by the order's, no answer, or denies them. Returns what mends it. */
export const hide = (numbers: readonly unknown[], how: 'silent' | 'denied' = 'silent'): (() => void) =>
  answering(world.gateway, ({ path, text, ask }) => {
    const { trade_no, out_trade_no } = JSON.parse(text);
    if (path !== '/trade/query' || !(numbers.includes(trade_no) || numbers.includes(out_trade_no))) return ask();
    return how === 'silent' ? said(502, '<html>') : refusal('trade-not-exist');
  });
