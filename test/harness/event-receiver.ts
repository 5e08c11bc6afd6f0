/** A receiver of events, as a merchant has one: it checks each with the library of Standard Webhooks. */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { MerchantEvent } from '../../src/contract';
import { localServer } from './local-server';

const event = z.custom<MerchantEvent>(
  (value) => z.looseObject({ id: z.string(), type: z.string() }).safeParse(value).success,
);

export interface Received {
  event: MerchantEvent;
  headers: Record<string, string>;
}

/** `secret` checks; `answer` gives the HTTP status for the how-manieth request, 200 where absent. */
export async function eventReceiver(secret: string, answer: (count: number) => number = () => 200) {
  const webhook = new Webhook(secret);
  const received: Received[] = [];
  const listeners = new Set<() => void>();
  let count = 0;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const headers = z.record(z.string(), z.string()).parse(request.headers);
    count += 1;
    const status = answer(count);
    // Throws, and so breaks off without an answer, where the signature does not hold.
    const verified = event.parse(webhook.verify(Buffer.concat(parts), headers));
    if (status < 300) received.push({ event: verified, headers });
    response.writeHead(status).end();
    for (const listener of listeners) listener();
  });
  const { origin, close } = await localServer(server);
  return {
    url: `${origin}/events`,
    received,
    /** How many requests came, taken or not. */
    count: () => count,
    /** Waits until what it has got is as wanted. */
    until(isSo: () => boolean): Promise<void> {
      return new Promise((resolve) => {
        const look = () => {
          if (!isSo()) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      });
    },
    close,
  };
}

export type EventReceiver = Awaited<ReturnType<typeof eventReceiver>>;
