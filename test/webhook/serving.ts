/** HTTP servers for mounts, on free ports, closed together. */
import { createServer, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { localServer } from '../harness/local-server';

export function servers() {
  const closing: (() => Promise<unknown>)[] = [];

  /** Starts a server; resolves to its URL. */
  async function serve(listener: RequestListener): Promise<string> {
    const { origin, close } = await localServer(createServer(listener));
    closing.push(close);
    return origin;
  }

  /** Serves a `Request → Response` handler, as a platform such as Vercel does. */
  const platform = (handle: (request: Request) => Promise<Response> | Response) =>
    serve(async (incoming, outgoing) => {
      const sent = await buffer(incoming);
      const pairs: [string, string][] = incoming.rawHeaders.flatMap((name, i) =>
        i % 2 === 0 && name.toLowerCase() !== 'connection' ? [[name, incoming.rawHeaders[i + 1] ?? '']] : [],
      );
      const method = incoming.method ?? 'GET';
      const body = method === 'GET' || sent.length === 0 ? {} : { body: new Uint8Array(sent) };
      const response = await handle(
        new Request(`http://shop.example${incoming.url}`, { method, headers: pairs, ...body }),
      );
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    });

  return {
    serve,
    platform,
    /** Closes something else together with the servers. */
    closeToo: (close: () => Promise<unknown>) => closing.push(close),
    async closeAll(): Promise<void> {
      for (const close of closing.splice(0)) await close();
    },
  };
}
