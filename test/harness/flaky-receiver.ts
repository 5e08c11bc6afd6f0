/** A merchant's receiver of events that takes none of some orders until it is mended. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { localServer } from './local-server';

export async function flakyReceiver() {
  /** Numbers of orders whose events it refuses. */
  const refused = new Set<string>();
  const types: string[] = [];
  const server = createServer(async (request, response) => {
    const { type, payment } = z
      .object({ type: z.string(), payment: z.object({ out_trade_no: z.string().nullable() }).optional() })
      .parse(JSON.parse(await text(request)));
    const isTaken = !refused.has(payment?.out_trade_no ?? '');
    if (isTaken) types.push(type);
    response.writeHead(isTaken ? 200 : 500).end();
  });
  const { origin, close } = await localServer(server);
  return {
    url: `${origin}/events`,
    secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    refused,
    /** The types of the events that it took. */
    types,
    close,
  };
}

export type FlakyReceiver = Awaited<ReturnType<typeof flakyReceiver>>;
