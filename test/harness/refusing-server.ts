/** A Temporal server that some calls are refused by, as Temporal Cloud refuses those of operators. All others go to a real one. */
import { once } from 'node:events';
import { connect, constants, createServer, type ServerHttp2Stream } from 'node:http2';
import { z } from 'zod';

export interface RefusingServer {
  address: string;
  close(): Promise<void>;
}

const PERMISSION_DENIED = '7';

/** `refused` are parts of gRPC's paths: the names of services or calls. */
export async function refusingServer(behind: string, refused: readonly string[]): Promise<RefusingServer> {
  const there = connect(`http://${behind}`);
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    // Whoever gives up a call breaks its stream off.
    stream.on('error', () => undefined);
    if (refused.some((part) => headers[':path']?.includes(part))) {
      const trailers = { 'grpc-status': PERMISSION_DENIED, 'grpc-message': 'Request unauthorized.' };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
      return;
    }
    const call = there.request({ ...headers, ':authority': behind });
    call.on('error', () => stream.close());
    let last = {};
    call.on('response', (answer, flags) => {
      // An error without a message has its status in the headers, and nothing follows.
      if (flags & constants.NGHTTP2_FLAG_END_STREAM) return stream.respond(answer, { endStream: true });
      stream.respond(answer, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(last));
      call.pipe(stream);
    });
    call.on('trailers', (trailers) => {
      last = trailers;
    });
    stream.pipe(call);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    address: `127.0.0.1:${port}`,
    async close() {
      there.destroy();
      server.close();
    },
  };
}
