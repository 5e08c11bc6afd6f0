/** A gateway that says something else than the hostile one does, from now on. */
import type { HttpResponse } from '../../../src/gateway/transport';
import { type HostileGateway, said } from './gateway';

interface Asked {
  readonly path: string;
  readonly text: string;
  /** Asks the gateway, in these words where they are others. */
  readonly ask: (text?: string) => Promise<HttpResponse>;
}

/** Each request is answered so. Returns what takes it back. */
export function answering(
  gateway: HostileGateway,
  answer: (asked: Asked) => HttpResponse | Promise<HttpResponse>,
): () => void {
  const { post } = gateway;
  gateway.post = async (path, headers, text) =>
    answer({ path, text, ask: (words = text) => post.call(gateway, path, headers, words) });
  return () => {
    gateway.post = post;
  };
}

/** The first request whose path ends so is answered otherwise. */
export function answeringFirst(gateway: HostileGateway, of: string, answer: (asked: Asked) => Promise<HttpResponse>) {
  let isFirst = true;
  return answering(gateway, (asked) => {
    if (!isFirst || !asked.path.endsWith(of)) return asked.ask();
    isFirst = false;
    return answer(asked);
  });
}

/** The answers to requests whose path ends so are given in other words. */
export const rewording = (gateway: HostileGateway, of: string, change: (text: string) => string): (() => void) =>
  answering(gateway, async ({ path, ask }) => {
    const { status, body } = await ask();
    return path.endsWith(of) ? said(status, change(new TextDecoder().decode(body))) : { status, body };
  });
