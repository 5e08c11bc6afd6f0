// A Temporal server behind TLS that asks for what an overlay promises: a client certificate, or an API key; and that refuses operators'
// calls where it stands for Temporal Cloud.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, constants, createSecureServer } from 'node:http2';
import { join } from 'node:path';

/** Makes an authority and two certificates of it, as PEM: the server's for 127.0.0.1, and a client's. */
export function makeCertificates(folder) {
  const file = (name) => join(folder, name);
  const openssl = (...args) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'ignore'] });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.crt'),
    '-days',
    '2',
    '-subj',
    '/CN=ca',
  );
  for (const [name, use] of [
    ['server', 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth'],
    ['client', 'extendedKeyUsage=clientAuth'],
  ]) {
    writeFileSync(file(`${name}.ext`), `basicConstraints=CA:FALSE\n${use}\n`);
    openssl('req', ...newKey, '-keyout', file(`${name}.key`), '-out', file(`${name}.csr`), '-subj', `/CN=${name}`);
    const by = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2'];
    openssl(
      'x509',
      '-req',
      '-in',
      file(`${name}.csr`),
      ...by,
      '-out',
      file(`${name}.crt`),
      '-extfile',
      file(`${name}.ext`),
    );
  }
  const pem = (name) => readFileSync(file(name), 'utf8');
  return {
    ca: pem('ca.crt'),
    server: { cert: pem('server.crt'), key: pem('server.key') },
    client: { cert: pem('client.crt'), key: pem('client.key') },
  };
}

const [PERMISSION_DENIED, UNAUTHENTICATED] = ['7', '16'];
/** What Temporal Cloud does by tcld alone. */
const OF_OPERATORS = /OperatorService|RegisterNamespace|UpdateNamespace/;

/** `asks` is what the door asks for: `nothing`, `api key` or `certificate`. */
export async function temporalDoor({ behind, certificates, asks, apiKey, isCloud }) {
  const there = connect(`http://${behind}`);
  const requestCert = asks === 'certificate';
  const server = createSecureServer({
    ...certificates.server,
    ca: certificates.ca,
    requestCert,
    rejectUnauthorized: requestCert,
  });
  const sessions = new Set();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const refuse = (status, message) => {
      const said = { 'grpc-status': status, 'grpc-message': message };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...said }, { endStream: true });
    };
    if (asks === 'api key' && headers.authorization !== `Bearer ${apiKey}`) return refuse(UNAUTHENTICATED, 'no key');
    if (isCloud && OF_OPERATORS.test(headers[':path'])) return refuse(PERMISSION_DENIED, 'Request unauthorized.');
    forward(stream, there.request({ ...headers, ':authority': behind, ':scheme': 'http' }));
    return undefined;
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
    if (flags & constants.NGHTTP2_FLAG_END_STREAM) return stream.respond(answer, { endStream: true });
    stream.respond(answer, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(last));
    call.pipe(stream);
    return undefined;
  });
  call.on('trailers', (trailers) => {
    last = trailers;
  });
  stream.pipe(call);
}
