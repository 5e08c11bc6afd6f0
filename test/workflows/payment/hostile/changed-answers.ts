/** Gateways that say something else than the hostile one does, from now on. */
import { tradeAt, world } from './acts';

export type Body = Readonly<Record<string, unknown>>;
interface Change {
  /** What the gateway is asked. */
  asked?: (body: Body) => Body;
  /** What it answers. */
  answer?: (body: Body) => Body;
}

const response = (status: number, body: string) => ({ status, body: new TextEncoder().encode(body) });
const DENIAL = { code: '40002', msg: 'Business Failed', sub_code: 'trade-not-exist' };

/** Changes the bodies that go to a path of the gateway, or that come back. */
export function changeBodies(of: string, { asked = (body) => body, answer = (body) => body }: Change): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    if (path !== of) return post(path, headers, text);
    const { status, body } = await post(path, headers, JSON.stringify(asked(JSON.parse(text))));
    return response(status, JSON.stringify(answer(JSON.parse(new TextDecoder().decode(body)))));
  };
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

/** The first request is answered as by a busy gateway, which makes the order all the same. */
export function busyAtFirst(): void {
  let isFirst = true;
  const answer = (body: Body) => {
    if (!isFirst) return body;
    isFirst = false;
    return { code: '20000', msg: 'Service Currently Unavailable' };
  };
  changeBodies('/trade/pay', { answer });
}

/** The gateway gives queries by these numbers of trades, or by the order's, no answer, or denies them. Returns what mends it. */
export function hide(numbers: readonly unknown[], how: 'silent' | 'denied' = 'silent'): () => void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const { trade_no, out_trade_no } = JSON.parse(text);
    if (path !== '/trade/query' || !(numbers.includes(trade_no) || numbers.includes(out_trade_no)))
      return post(path, headers, text);
    return how === 'silent' ? response(502, '<html>') : response(200, JSON.stringify(DENIAL));
  };
  return () => {
    gateway.post = post;
  };
}
