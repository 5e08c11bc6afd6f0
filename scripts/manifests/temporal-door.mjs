// A Temporal server behind TLS that asks for what an overlay promises: a client certificate, or an API key; and that refuses operators'
// calls where it stands for Temporal Cloud.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { join } from 'node:path';
import { refusedByCloud, temporalProxy } from '../../test/harness/temporal-proxy.cjs';

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

const UNAUTHENTICATED = '16';

/** `asks` is what the door asks for: `nothing`, `api key` or `certificate`. */
export function temporalDoor({ behind, certificates, asks, apiKey, isCloud }) {
  const isAsked = asks === 'certificate';
  const { server: own, ca } = certificates;
  const server = createSecureServer({ ...own, ca, requestCert: isAsked, rejectUnauthorized: isAsked });
  return temporalProxy(behind, server, (headers) => {
    if (asks === 'api key' && headers.authorization !== `Bearer ${apiKey}`)
      return { status: UNAUTHENTICATED, message: 'no key' };
    return isCloud ? refusedByCloud(headers) : undefined;
  });
}
