/** A door before a real Temporal server, for tests and for `npm run manifests:check`: some calls are refused there, all others pass. */
const { once } = require('node:events');
const { connect, constants } = require('node:http2');

/** What Temporal Cloud refuses to every program: tcld alone does it. */
const refusedByCloud = (headers) =>
  /OperatorService|RegisterNamespace|UpdateNamespace/.test(headers[':path'])
    ? { status: '7', message: 'Request unauthorized.' }
    : undefined;

/** Passes the calls that `server` gets on to `behind`, but for those that `refusal` has an answer of gRPC to. */
async function temporalProxy(behind, server, refusal) {
  const there = connect(`http://${behind}`);
  const sessions = new Set();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    // Whoever gives up a call breaks its stream off.
    stream.on('error', () => undefined);
    const refused = refusal(headers);
    if (refused === undefined)
      return forward(stream, there.request({ ...headers, ':authority': behind, ':scheme': 'http' }));
    const said = { 'grpc-status': refused.status, 'grpc-message': refused.message };
    return stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...said }, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${server.address().port}`,
    close() {
      for (const session of sessions) session.destroy();
      there.destroy();
      server.close();
    },
  };
}

function forward(stream, call) {
  let last = {};
  call.on('error', () => stream.close());
  stream.on('close', () => call.close());
  call.on('response', (answer, flags) => {
    // An error without a message has its status in the headers, and nothing follows.
    if (flags & constants.NGHTTP2_FLAG_END_STREAM) return stream.respond(answer, { endStream: true });
    stream.respond(answer, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(last));
    return call.pipe(stream);
  });
  call.on('trailers', (trailers) => {
    last = trailers;
  });
  stream.pipe(call);
}

module.exports = { refusedByCloud, temporalProxy };
