/**
 * Bad requests by name, each with its answer. They have the right signature unless the signature is what is wrong, so that
 * the same request would be refused from the gateway too.
 */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { app, ipn, otherApp, sign } from '../support';
import { chunk, chunked, LAST, request } from './wire';

const body = ipn();
const signature = sign(body);
const half = body.length >> 1;
const long = Buffer.concat([body, Buffer.alloc(524_289 - body.length, 32)]);
const path = (text: string) => request({ line: `POST ${text} HTTP/1.1` });
const method = (text: string) => request({ line: `${text} /ipn/${app.app_id} HTTP/1.1` });
const type = (text: string | undefined) => request({ headers: { 'Content-Type': text } });
const signed = (text: string | undefined) => request({ headers: { 'Service-Signature': text } });
const length = (text: string) => request({ headers: { 'Content-Length': text } });
const transfer = (text: string) => chunked(chunk(body) + LAST, { headers: { 'Transfer-Encoding': text } });
const line = (text: string) => request({ lines: [text] });
/** A body that a stranger made up and signed with another key. */
const forged = (text: string | Buffer) => {
  const made = Buffer.from(text);
  return request({ body: made, headers: { 'Service-Signature': sign(made, otherApp) } });
};
const compressed = (bytes: Buffer, encoding: string) =>
  request({ body: bytes, headers: { 'Content-Encoding': encoding, 'Service-Signature': sign(bytes) } });

/** No answer: the connection is closed. */
export const NOTHING = 0;

export interface BadRequest {
  bytes: Buffer;
  /** The statuses of its answers: one for each request on the connection. */
  answers: number[];
  /** The sender closes its half. Otherwise the server would wait for more until its time limit. */
  hangsUp?: boolean;
}

const bad = (status: number, bytes: Buffer): BadRequest => ({ bytes, answers: status === NOTHING ? [] : [status] });
const cutShort = (status: number, bytes: Buffer): BadRequest => ({ ...bad(status, bytes), hangsUp: true });

export const BAD_REQUESTS: Record<string, BadRequest> = {
  // — Not whole —
  'nothing at all': cutShort(NOTHING, Buffer.alloc(0)),
  'half a request line': cutShort(400, Buffer.from('POST /ipn/sho')),
  'half its headers': cutShort(400, request().subarray(0, 60)),
  'headers without their end': cutShort(400, Buffer.from('POST /ipn/shop-1 HTTP/1.1\r\nHost: w\r\n')),
  'half its body': cutShort(400, request().subarray(0, request().length - half)),
  'headers and no body': cutShort(400, request().subarray(0, request().length - body.length)),
  'a body shorter than it says': cutShort(400, length(String(body.length + 1))),
  'chunks without the last one': cutShort(400, chunked(chunk(body))),
  'half a chunk': cutShort(400, chunked(chunk(body).slice(0, half))),

  // — Chunks —
  'a chunk whose size is not a number': bad(400, chunked(`xyz\r\n${body}\r\n${LAST}`)),
  'a chunk of a negative size': bad(400, chunked(`-1\r\n${body}\r\n${LAST}`)),
  'a chunk of more bytes than numbers count': bad(400, chunked(`fffffffffffffffff\r\n${body}\r\n${LAST}`)),
  'a chunk without its size': bad(400, chunked(`\r\n${body}\r\n${LAST}`)),
  'a chunk whose size has 0x': bad(400, chunked(`0x${chunk(body)}${LAST}`)),
  'a chunk longer than it says': bad(400, chunked(`1\r\n${body}\r\n${LAST}`)),
  'a chunk with an extension of 20,000 bytes': bad(413, chunked(`1;${'a'.repeat(20_000)}\r\n{\r\n${LAST}`)),
  'chunks that end with line feeds alone': bad(400, chunked((chunk(body) + LAST).replaceAll('\r\n', '\n'))),
  'chunks that grow too long': bad(413, chunked(chunk(long.subarray(0, 300_000)).repeat(2) + LAST, { body: long })),
  'a chunk for every byte of a long body': bad(400, chunked(chunk(Buffer.from('x')).repeat(60_000) + LAST)),
  'a signature that comes after the chunks': bad(
    401,
    chunked(`${chunk(body)}0\r\nService-Signature: ${signature}\r\n\r\n`, {
      headers: { 'Service-Signature': undefined, Trailer: 'Service-Signature' },
    }),
  ),
  'chunks and a length': bad(400, chunked(chunk(body) + LAST, { headers: { 'Content-Length': '5' } })),
  'a transfer encoding that is unknown': bad(400, transfer('xchunked')),
  'a transfer encoding that is not the last': bad(400, transfer('chunked, gzip')),
  'the transfer encoding identity': bad(400, transfer('identity')),
  'the transfer encoding chunked in quotes': bad(400, transfer('"chunked"')),
  'a space before the colon of Transfer-Encoding': bad(400, line('Transfer-Encoding : chunked')),
  'a tab before the colon of Transfer-Encoding': bad(400, line('Transfer-Encoding\t: chunked')),

  // — Lengths —
  'two lengths': bad(400, line('Content-Length: 1')),
  'the same length twice': bad(400, line(`Content-Length: ${body.length}`)),
  'two lengths in one': bad(400, length(`${body.length}, ${body.length}`)),
  'a negative length': bad(400, length('-1')),
  'a length with a plus': bad(400, length(`+${body.length}`)),
  'a length in hexadecimal': bad(400, length('0x10')),
  'a length that is not a number': bad(400, length('many')),
  'a length of more digits than a number holds': bad(400, length('9'.repeat(30))),
  'a length of 100 GB': bad(413, length('100000000000')),
  'one byte too many': bad(413, request({ body: long })),
  'a second request in what its length leaves over': {
    bytes: request({
      headers: { 'Content-Length': '2', Connection: 'keep-alive' },
      body: Buffer.from(`{}GET /admin HTTP/1.1\r\nHost: w\r\nConnection: close\r\n\r\n`),
    }),
    // The first answer closes the connection.
    answers: [401],
  },

  // — Headers —
  'no host': bad(400, request({ headers: { Host: undefined } })),
  'a header without a colon': bad(400, line('nonsense')),
  'a header without a name': bad(400, line(': value')),
  'a header whose name has a space': bad(400, line('X Name: value')),
  'a header with a NUL': bad(400, line('X-Name: a\0b')),
  'a header with a carriage return': bad(400, line('X-Name: a\rb')),
  'a header that goes on in the next line': bad(400, request({ lines: ['X-Name: a', ' b'] })),
  'a header of 64 KiB': bad(431, line(`X-Name: ${'a'.repeat(65_536)}`)),
  '5,000 headers': bad(431, request({ lines: Array.from({ length: 5_000 }, (_, i) => `X-${i}: a`) })),
  'an expectation that is unknown': bad(417, line('Expect: money')),

  // — Signatures —
  'no signature': bad(401, signed(undefined)),
  'an empty signature': bad(401, signed('')),
  'its signature twice': bad(401, line(`Service-Signature: ${signature}`)),
  'its signature and that of another app': bad(401, line(`service-signature: ${sign(body, otherApp)}`)),
  'two signatures in one header': bad(401, signed(`${signature}, ${signature}`)),
  'its signature in uppercase': bad(401, signed(signature.toUpperCase())),
  'its signature without its last digit': bad(401, signed(signature.slice(0, -1))),
  'its signature with one digit more': bad(401, signed(`${signature}0`)),
  'its signature with a name before it': bad(401, signed(`sha256=${signature}`)),
  'its signature in base64': bad(401, signed(Buffer.from(signature, 'hex').toString('base64'))),
  'its signature in quotes': bad(401, signed(`"${signature}"`)),
  'its signature in the other scheme': bad(401, signed(`t=1645516741,v2=${signature}`)),
  'the signature of nothing': bad(401, signed(sign(Buffer.alloc(0)))),
  'zeros for a signature': bad(401, signed('0'.repeat(64))),
  'its signature in digits of another script': bad(
    401,
    signed(signature.replaceAll('0', '\u00b9').replace(/1/g, '\u00b2')),
  ),
  'another app’s signature': bad(401, signed(sign(body, otherApp))),
  'its body written differently': bad(
    401,
    request({ body: Buffer.from(body.toString().replace(':', ': ')), headers: { 'Service-Signature': signature } }),
  ),
  'its body with a line end': bad(
    401,
    request({ body: Buffer.concat([body, Buffer.from('\n')]), headers: { 'Service-Signature': signature } }),
  ),
  'its body with a BOM': bad(
    401,
    request({ body: Buffer.concat([Buffer.from('\ufeff'), body]), headers: { 'Service-Signature': signature } }),
  ),

  // — Methods —
  GET: bad(404, method('GET')),
  PUT: bad(404, method('PUT')),
  PATCH: bad(404, method('PATCH')),
  DELETE: bad(404, method('DELETE')),
  OPTIONS: bad(404, method('OPTIONS')),
  TRACE: bad(404, method('TRACE')),
  'a method that is unknown': bad(400, method('BREW')),
  'post in lowercase': bad(400, method('post')),
  'GET that calls itself POST': bad(
    404,
    request({ line: 'GET /ipn/shop-1 HTTP/1.1', lines: ['X-HTTP-Method-Override: POST'] }),
  ),
  CONNECT: bad(NOTHING, request({ line: 'CONNECT gateway.example:443 HTTP/1.1' })),

  // — Addresses —
  'another protocol': bad(400, Buffer.from('EHLO webhook\r\n\r\n')),
  'TLS where there is none': bad(400, Buffer.from('16030100a5010000a10303', 'hex')),
  'HTTP/2 without asking': bad(400, Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
  'HTTP/9.9': bad(400, request({ line: 'POST /ipn/shop-1 HTTP/9.9' })),
  'no version': bad(415, Buffer.from('POST /ipn/shop-1\r\n\r\n')),
  'another server’s address': bad(404, path('http://elsewhere.example/admin')),
  'an asterisk': bad(404, path('*')),
  'a path that leads out': bad(404, path('/ipn/../../etc/passwd')),
  'a path that leads out, encoded': bad(401, path('/ipn/..%2f..%2fetc%2fpasswd')),
  'a path that cannot be decoded': bad(404, path('/ipn/%zz')),
  'a path that is not UTF-8': bad(404, path('/ipn/%ff%fe')),
  'a path with a NUL': bad(401, path('/ipn/shop-1%00')),
  'a path with a line end': bad(401, path('/ipn/shop-1%0d%0a')),
  'two slashes': bad(404, path('//ipn/shop-1')),
  'a path of 10,000 bytes': bad(404, path(`/ipn/${'a'.repeat(10_000)}`)),
  'a path of 100,000 bytes': bad(431, path(`/ipn/${'a'.repeat(100_000)}`)),
  'another app by a second path': bad(401, path('/ipn/shop-1%2fshop-2')),
  'an app called __proto__': bad(401, path('/ipn/__proto__')),
  'an app called constructor': bad(401, path('/ipn/constructor')),
  'an app’s name in capitals': bad(401, path('/ipn/SHOP-1')),
  'an app’s name with a space': bad(401, path('/ipn/shop-1%20')),

  // — Types —
  'no type': bad(415, type(undefined)),
  'plain text': bad(415, type('text/plain')),
  'a form': bad(415, type('application/x-www-form-urlencoded')),
  'a form with files': bad(415, type('multipart/form-data; boundary=x')),
  XML: bad(415, type('application/xml')),
  'nearly JSON': bad(415, type('application/json5')),
  'two types in one': bad(415, type('application/json, text/plain')),
  'two types': bad(415, line('Content-Type: text/plain')),
  'a type that is not a media type': bad(415, type('json')),
  'a type of 10,000 bytes': bad(415, type('a'.repeat(10_000))),
  'gzip, signed as it is': bad(415, compressed(gzipSync(body), 'gzip')),
  'brotli, signed as it is': bad(415, compressed(brotliCompressSync(body), 'br')),
  'gzip, signed as it was': bad(
    415,
    request({ body: gzipSync(body), headers: { 'Content-Encoding': 'gzip', 'Service-Signature': signature } }),
  ),
  'a gigabyte of zeros in gzip': bad(415, compressed(gzipSync(Buffer.alloc(1 << 24)), 'gzip, gzip, gzip')),

  // — Bodies with a wrong signature: they are not parsed —
  'an empty body': bad(401, forged('')),
  'JSON 30,000 deep': bad(401, forged('['.repeat(30_000) + ']'.repeat(30_000))),
  '64 KiB of opening brackets': bad(401, forged('['.repeat(65_536))),
  'a prototype in the body': bad(401, forged('{"__proto__":{"polluted":true}}')),
  'a constructor in the body': bad(401, forged('{"constructor":{"prototype":{"polluted":true}}}')),
  'a huge number': bad(401, forged(`{"amount":${'9'.repeat(60_000)}}`)),
  'an infinite number': bad(401, forged('{"amount":1e999999999}')),
  'bytes that are not UTF-8': bad(401, forged(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))),
  'a BOM': bad(401, forged(`\ufeff${body}`)),
  'UTF-16': bad(401, forged(Buffer.from(body.toString(), 'utf16le'))),
  NULs: bad(401, forged(Buffer.alloc(1_000))),
  'a line that would forge our log': bad(401, forged('{"app_id":"x\\r\\n{\\"level\\":30}"}\r\n{"level":30}')),
  '6,000 keys': bad(401, forged(`{${Array.from({ length: 6_000 }, (_, i) => `"${i}":1`).join()}}`)),
  'a key twice': bad(401, forged('{"app_id":"shop-2","app_id":"shop-1"}')),

  // — Many at once —
  '100 forgeries in one go': {
    bytes: Buffer.concat([
      ...Array.from({ length: 99 }, () =>
        request({ headers: { 'Service-Signature': '0'.repeat(64), Connection: 'keep-alive' } }),
      ),
      signed('0'.repeat(64)),
    ]),
    // The first answer closes the connection.
    answers: [401],
  },
};

/** Bodies with a good signature, as from a gateway with a bug, and what becomes of them. */
export const STRANGE_BUT_SIGNED: Record<string, { body: Buffer; becomes: 'signal' | 'stray' | 'refused' }> = {
  'an empty body': { body: Buffer.alloc(0), becomes: 'stray' },
  'JSON 30,000 deep': { body: Buffer.from('['.repeat(30_000) + ']'.repeat(30_000)), becomes: 'stray' },
  '64 KiB of opening brackets': { body: Buffer.from('['.repeat(65_536)), becomes: 'stray' },
  'objects 10,000 deep': { body: Buffer.from('{"a":'.repeat(10_000)), becomes: 'stray' },
  'a BOM': { body: Buffer.concat([Buffer.from('\ufeff'), body]), becomes: 'stray' },
  'bytes that are not UTF-8': { body: Buffer.concat([body, Buffer.from([0xff])]), becomes: 'stray' },
  'UTF-16': { body: Buffer.from(body.toString(), 'utf16le'), becomes: 'stray' },
  NULs: { body: Buffer.alloc(1_000), becomes: 'stray' },
  'a list': { body: Buffer.from(`[${body}]`), becomes: 'stray' },
  'two notifications': { body: Buffer.concat([body, body]), becomes: 'stray' },
  'a key twice with two meanings': {
    body: Buffer.from(body.toString().replace('{', '{"trade_no":"2",')),
    becomes: 'stray',
  },
  'an order number that is an object': { body: ipn({ out_trade_no: { a: 1 } }), becomes: 'stray' },
  'an order number of 65 characters': { body: ipn({ out_trade_no: 'a'.repeat(65) }), becomes: 'stray' },
  'another app in its body': { body: ipn({ app_id: otherApp.app_id }), becomes: 'refused' },
  'a prototype': {
    body: Buffer.from(body.toString().replace('{', '{"__proto__":{"polluted":true},')),
    becomes: 'signal',
  },
  'a constructor': { body: ipn({ constructor: { prototype: { polluted: true } } }), becomes: 'signal' },
  'a huge number': { body: Buffer.from(body.toString().replace('"150.00"', '9'.repeat(1_000))), becomes: 'signal' },
  'an infinite number': { body: Buffer.from(body.toString().replace('"150.00"', '1e400')), becomes: 'signal' },
  '5,000 more keys': {
    body: ipn(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1]))),
    becomes: 'signal',
  },
  'half an emoji': { body: Buffer.from(body.toString().replace('PIX', '\\ud83d')), becomes: 'signal' },
  'line ends and colours in its fields': { body: ipn({ method: 'PIX\r\n\u001b[31m{"level":60}' }), becomes: 'signal' },
};
