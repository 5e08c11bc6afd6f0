/** Node's own servers for what merchants mount, on free ports, all closed in the end. */
import { createServer, type RequestListener } from 'node:http';

export function servers() {
  const closing: (() => Promise<unknown>)[] = [];

  /** Listens; gives the address. */
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port');
    return `http://127.0.0.1:${address.port}`;
  }

  /** What a platform of `Request → Response` does for its handler: here, over Node's server. */
  const platform = (handle: (request: Request) => Promise<Response> | Response) =>
    serve(async (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const pairs: [string, string][] = incoming.rawHeaders.flatMap((name, i) =>
        i % 2 === 0 && name.toLowerCase() !== 'connection' ? [[name, incoming.rawHeaders[i + 1] ?? '']] : [],
      );
      const method = incoming.method ?? 'GET';
      const body = method === 'GET' || chunks.length === 0 ? {} : { body: new Uint8Array(Buffer.concat(chunks)) };
      const response = await handle(
        new Request(`http://shop.example${incoming.url}`, { method, headers: pairs, ...body }),
      );
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    });

  return {
    serve,
    platform,
    /** Has something else closed with the servers. */
    closeToo: (close: () => Promise<unknown>) => closing.push(close),
    async closeAll(): Promise<void> {
      for (const close of closing.splice(0)) await close();
    },
  };
}
