/**
 * Every place where a call can fail, and what each says about the order: `not-sent` where certainly nothing left this
 * process, `unknown` for everything else that is not an answer. Nothing is ever repeated by the client itself.
 */
import dns from 'node:dns';
import { gzipSync } from 'node:zlib';
import { OPERATIONS } from './operations';
import { answerJson, failureOf, gateways, sendable } from './support';

const open = gateways();
const pix = sendable('pix');
const success = JSON.stringify({ code: '10000', msg: 'Success', trade_no: 't-1', trade_status: 'PROCESSING' });
const head = (length: number) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

describe('nothing was sent, so the call may be made again', () => {
  const notSent = {
    outcome: 'not-sent',
    retryable: true,
    operation: '/trade/pay',
    out_trade_no: '2026-0001-PIX',
    code: undefined,
    http_status: undefined,
  };

  test('nobody listens', async () => {
    const failure = await failureOf(open.client(await open.nobody()).pay(pix));
    expect(failure).toMatchObject(notSent);
    expect(failure.message).toContain('could not be reached');
    expect(failure.message).toContain('ECONNREFUSED');
  });

  test('the name is not known', async () => {
    const lookup = jest.spyOn(dns, 'lookup').mockImplementation(((...args: unknown[]) => {
      const done = args.at(-1) as (error: Error) => void;
      done(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
    }) as never);
    try {
      const failure = await failureOf(open.client({ base_url: 'https://gateway.invalid' }).pay(pix));
      expect(failure).toMatchObject(notSent);
      expect(failure.message).toContain('ENOTFOUND');
      expect(lookup).toHaveBeenCalledTimes(1);
    } finally {
      lookup.mockRestore();
    }
  });

  test('the connection does not come to stand in time', async () => {
    // A TCP connection stands at once; that of TLS over it never does.
    const gateway = await open.tcp(() => {}, 'https');
    const failure = await failureOf(open.client(gateway, { connect_timeout_ms: 20 }).pay(pix));
    expect(failure).toMatchObject(notSent);
    expect(failure.message).toContain('UND_ERR_CONNECT_TIMEOUT');
    expect(gateway.sockets).toHaveLength(1);
  });

  test('the other side does not speak TLS', async () => {
    const gateway = await open.tcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'https');
    expect(await failureOf(open.client(gateway).pay(pix))).toMatchObject(notSent);
  });

  test('the other side’s certificate is one that nobody vouches for', async () => {
    const gateway = await open.tls();
    const failure = await failureOf(open.client(gateway).pay(pix));
    expect(failure).toMatchObject(notSent);
    expect(failure.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(gateway.received).toEqual([]);
  });

  test('the other side resets while TLS is being agreed on', async () => {
    const gateway = await open.tcp((socket) => socket.once('data', () => socket.resetAndDestroy()), 'https');
    expect(await failureOf(open.client(gateway).pay(pix))).toMatchObject(notSent);
  });

  test('every one of many orders that wait for a connection', async () => {
    const client = open.client(await open.nobody());
    const orders = Array.from({ length: 40 }, (_, i) => ({ ...pix, out_trade_no: `order-${i}` }));
    const failures = await Promise.all(orders.map((order) => failureOf(client.pay(order))));
    expect(new Set(failures.map(({ outcome }) => outcome))).toEqual(new Set(['not-sent']));
  });

  test('a query, too', async () => {
    const failure = await failureOf(open.client(await open.nobody()).query({ trade_no: 't-1' }));
    expect(failure).toMatchObject({ outcome: 'not-sent', retryable: true, operation: '/trade/query' });
    expect(failure.message).toContain('trade t-1');
  });
});

describe('the request may have left, so only a query can tell', () => {
  const unknown = { outcome: 'unknown', retryable: true, operation: '/trade/pay', out_trade_no: '2026-0001-PIX' };

  /** What a server does with a connection, by bare sockets; it must never see the request twice. */
  const PLACES: [place: string, act: (socket: import('node:net').Socket) => void][] = [
    ['an end as soon as the connection stands', (socket) => socket.end()],
    ['a reset after the request', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['an end after the request', (socket) => socket.once('data', () => socket.end())],
    [
      'a reset within the answer’s head',
      (socket) => socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nconte', () => socket.resetAndDestroy())),
    ],
    ['an end within the answer’s head', (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nconte'))],
    ['an end after the head', (socket) => socket.once('data', () => socket.end(head(success.length)))],
    ['half a body', (socket) => socket.once('data', () => socket.end(head(success.length) + success.slice(0, -1)))],
    [
      'half a chunked body, although what came is whole JSON',
      (socket) =>
        socket.once('data', () =>
          socket.end(
            `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${success.length.toString(16)}\r\n${success}\r\n`,
          ),
        ),
    ],
    ['something that is not HTTP', (socket) => socket.once('data', () => socket.end(`${success}\n`))],
    ['an answer with more bytes than it says', (socket) => socket.once('data', () => socket.end(head(9) + success))],
  ];

  test.each(PLACES)('%s', async (_, act) => {
    const gateway = await open.tcp(act);
    const failure = await failureOf(open.client(gateway).pay(pix));
    expect(failure).toMatchObject(unknown);
    expect(failure.message).toContain('unknown');
    expect(gateway.sockets).toHaveLength(1);
  });

  test('a reset as soon as the connection stands, which the connector may see before anything was written', async () => {
    const gateway = await open.tcp((socket) => socket.resetAndDestroy());
    const { outcome, retryable } = await failureOf(open.client(gateway).pay(pix));
    expect(['not-sent', 'unknown']).toContain(outcome);
    expect(retryable).toBe(true);
    expect(gateway.sockets).toHaveLength(1);
  });

  test('no answer in time', async () => {
    const gateway = await open.http(() => {});
    const failure = await failureOf(open.client(gateway, { answer_timeout_ms: 30 }).pay(pix));
    expect(failure).toMatchObject({ ...unknown, http_status: undefined });
    expect(failure.message).toContain('UND_ERR_HEADERS_TIMEOUT');
    expect(gateway.received).toHaveLength(1);
  });

  test('a head in time, and then no body', async () => {
    const gateway = await open.tcp((socket) => socket.once('data', () => socket.write(head(success.length))));
    const failure = await failureOf(open.client(gateway, { answer_timeout_ms: 30 }).pay(pix));
    expect(failure).toMatchObject(unknown);
    expect(failure.message).toContain('UND_ERR_BODY_TIMEOUT');
  });

  test('a byte now and then, for ever', async () => {
    const gateway = await open.tcp((socket) => {
      socket.once('data', () => {
        socket.write(head(1_000_000));
        const drip = setInterval(() => socket.write(' '), 10);
        socket.on('close', () => clearInterval(drip));
      });
    });
    const settings = { connect_timeout_ms: 100, answer_timeout_ms: 100 };
    expect(await failureOf(open.client(gateway, settings).pay(pix))).toMatchObject(unknown);
  });

  test('an answer of more bytes than an answer may have, with its length said', async () => {
    const gateway = await open.http((response) => response.end(success.padEnd(101)));
    const client = open.client(gateway, { max_answer_bytes: 100 });
    expect(await failureOf(client.pay(pix))).toMatchObject(unknown);
  });

  test('an answer of more bytes than an answer may have, in chunks', async () => {
    const gateway = await open.http((response) => {
      response.write(success.padEnd(60));
      response.end(' '.repeat(60));
    });
    expect(await failureOf(open.client(gateway, { max_answer_bytes: 100 }).pay(pix))).toMatchObject(unknown);
  });

  test('an answer of just as many bytes is read', async () => {
    const gateway = await open.http((response) => response.end(success.padEnd(100)));
    await expect(open.client(gateway, { max_answer_bytes: 100 }).pay(pix)).resolves.toMatchObject({ trade_no: 't-1' });
  });

  test.each([301, 302, 303, 307, 308])('a redirect, which is not followed: %i', async (status) => {
    const gateway = await open.http((response) => response.writeHead(status, { location: '/elsewhere' }).end());
    expect(await failureOf(open.client(gateway).pay(pix))).toMatchObject({ ...unknown, http_status: status });
    expect(gateway.received.map(({ path }) => path)).toEqual(['/trade/pay']);
  });

  test.each<[string, number, string | Buffer]>([
    ['a proxy’s refusal', 403, '<html>\n<head><title>403 Forbidden</title></head>\n'],
    ['a proxy’s bare words', 401, '401 Unauthorized'],
    ['a bad gateway', 502, '<html><body><h1>502 Bad Gateway</h1></body></html>'],
    ['an overload without a word', 503, ''],
    ['a time-out of a proxy', 504, 'upstream request timeout'],
    ['an error in another JSON', 500, '{"error":"internal","trace":"abc"}'],
    ['nothing at all', 204, ''],
    ['an empty answer', 200, ''],
    ['a page', 200, '<!doctype html><title>Maintenance</title>'],
    ['bytes that are not UTF-8', 200, Buffer.from('{"code":"10000","city":"São Paulo"}', 'latin1')],
    ['a packed answer that nobody asked for', 200, gzipSync(success)],
    ['a list', 200, `[${success}]`],
    ['null', 200, 'null'],
    ['half of a JSON', 200, success.slice(0, -1)],
    ['a JSON that names a key twice, with two values', 200, `{"code":"40001",${success.slice(1)}`],
  ])('%s with HTTP %i', async (_, status, body) => {
    const gateway = await open.http((response) => response.writeHead(status).end(body));
    const failure = await failureOf(open.client(gateway).pay(pix));
    expect(failure).toMatchObject({ ...unknown, http_status: status, code: undefined });
    expect(failure.message).toContain(`HTTP ${status}`);
    expect(gateway.received).toHaveLength(1);
  });
});

describe('what an answer is called does not decide what it is', () => {
  test.each(['text/html', 'text/plain; charset=latin1', 'application/octet-stream', undefined])(
    'JSON is read where its type is %s',
    async (type) => {
      const gateway = await open.http((response) => {
        if (type) response.setHeader('content-type', type);
        response.end(success);
      });
      await expect(open.client(gateway).pay(pix)).resolves.toMatchObject({ trade_no: 't-1' });
    },
  );

  test('a page is none where its type is JSON', async () => {
    const gateway = await open.http((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('<html></html>');
    });
    expect(await failureOf(open.client(gateway).pay(pix))).toMatchObject({ outcome: 'unknown', http_status: 200 });
  });
});

describe('numbers beyond any double', () => {
  test.each(['1e999', '-1e999', '9'.repeat(400), `0.${'1'.repeat(400)}`, '123456789012345678901234567890'])(
    '%.40s is kept as it was written',
    async (number) => {
      const gateway = await open.http((response) =>
        response.end(`{"code":10000,"trade_no":${number},"trade_status":"PROCESSING","order_amount":${number}}`),
      );
      await expect(open.client(gateway).pay(pix)).resolves.toMatchObject({ trade_no: number });
      await expect(open.client(gateway).query({ trade_no: 't-1' })).resolves.toMatchObject({
        trade_no: number,
        order_amount: number,
      });
    },
  );
});

describe.each(OPERATIONS)('$path', ({ path, request, call, creates, about }) => {
  const after = async (body: unknown, status = 200) => {
    const gateway = await open.http(answerJson(body, status));
    const failure = await failureOf(call(open.client(gateway), request));
    expect(gateway.received).toHaveLength(1);
    return failure;
  };

  test('is not sent where nobody listens', async () => {
    const failure = await failureOf(call(open.client(await open.nobody()), request));
    expect(failure).toMatchObject({ outcome: 'not-sent', retryable: true, operation: path });
    expect(failure.message).toContain(`${path} for ${about} (ECONNREFUSED)`);
  });

  test('is unknown where the connection is reset after the request', async () => {
    const gateway = await open.tcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const failure = await failureOf(call(open.client(gateway), request));
    expect(failure).toMatchObject({ outcome: 'unknown', retryable: true, operation: path });
    expect(failure.message).toContain(`${path} for ${about} did not arrive`);
    expect(gateway.sockets).toHaveLength(1);
  });

  test('is unknown where the answer is none', async () => {
    const failure = await after({ hello: 'world' }, 502);
    expect(failure).toMatchObject({ outcome: 'unknown', retryable: true, http_status: 502 });
    expect(failure.message).toContain(`${path} for ${about} with HTTP 502`);
  });

  test('may be made again after an outage', async () => {
    expect(await after({ code: '20000', msg: 'Service Currently Unavailable' })).toMatchObject({
      outcome: creates ? 'not-created' : 'unknown',
      retryable: true,
    });
  });

  test('is refused for its credentials, and may not simply be made again', async () => {
    const failure = await after({ code: '40002', sub_code: 'invalid-signature', sub_msg: 'invalid signature' }, 400);
    expect(failure).toMatchObject({
      outcome: creates ? 'not-created' : 'unknown',
      retryable: false,
      code: '40002',
      sub_code: 'invalid-signature',
      http_status: 400,
    });
    expect(failure.message).toBe(
      `The gateway refused ${path} for ${about}: code 40002, sub_code invalid-signature (invalid signature).`,
    );
  });

  test('is unknown by a code that nobody knows', async () => {
    expect(await after({ code: '49999', sub_code: 'new' })).toMatchObject({ outcome: 'unknown', retryable: false });
  });

  test('that names a field of its request did nothing', async () => {
    for (const sub_code of ['timestamp', ...Object.keys(request)].filter((name) => name !== 'out_request_no')) {
      expect(await after({ code: '40002', msg: 'Business Failed', sub_code })).toMatchObject({
        sub_code,
        outcome: creates ? 'not-created' : 'unknown',
      });
    }
  });
});

describe('a refusal is read from its JSON, whatever the HTTP status', () => {
  const STATUSES = [200, 400, 401, 403, 422, 500, 502];

  test.each<[string, object, object]>([
    [
      'a business failure',
      { code: '40002', msg: 'Business Failed', sub_code: 'currency-not-supported', sub_msg: 'not here' },
      { outcome: 'not-created', retryable: false, code: '40002', sub_code: 'currency-not-supported' },
    ],
    [
      'a wrong signature',
      { code: '40002', msg: 'Business Failed', sub_code: 'invalid-signature', sub_msg: 'invalid signature' },
      { outcome: 'not-created', retryable: false, sub_code: 'invalid-signature' },
    ],
    [
      'an outage',
      { code: 20000, msg: 'Service Currently Unavailable' },
      { outcome: 'not-created', retryable: true, code: '20000' },
    ],
    [
      'a duplicate',
      { code: '40002', sub_code: 'duplicate-out_trade_no', sub_msg: 'out_trade_no is duplicate' },
      { outcome: 'unknown', retryable: false, sub_code: 'duplicate-out_trade_no' },
    ],
    [
      'a card that was refused',
      { code: '90001', msg: 'Bank Request Fail', sub_code: 101 },
      { outcome: 'created-refused', retryable: false, sub_code: '101' },
    ],
    [
      'a field of the order',
      { code: '40002', sub_code: 'buyer_id', sub_msg: 'buyer_id can not be empty.' },
      { outcome: 'not-created', retryable: false, sub_code: 'buyer_id' },
    ],
    [
      'a code that nobody knows',
      { code: '49999', sub_code: 'new' },
      { outcome: 'unknown', retryable: false, code: '49999' },
    ],
    [
      'a failure without words',
      { msg: 'Business Failed', code: '40002' },
      { outcome: 'unknown', code: '40002', sub_code: undefined },
    ],
  ])('%s', async (_, body, expected) => {
    for (const status of STATUSES) {
      const gateway = await open.http(answerJson(body, status));
      const failure = await failureOf(open.client(gateway).pay(pix));
      expect(failure).toMatchObject({ ...expected, http_status: status, out_trade_no: '2026-0001-PIX' });
      expect(gateway.received).toHaveLength(1);
    }
  });

  test.each([
    'out_trade_no',
    'order_amount',
    'notify_url',
    'customer.name',
    'customer.identify.number',
    'address.zip_code',
    'address.city',
    'address.street_number',
    'account_verification_code',
  ])('that names the field %s means that there is no order', async (sub_code) => {
    const gateway = await open.http(answerJson({ code: '40002', msg: 'Business Failed', sub_code }, 400));
    expect(await failureOf(open.client(gateway).pay(pix))).toMatchObject({ outcome: 'not-created', sub_code });
  });

  test('its words are kept for whoever reads the error', async () => {
    const gateway = await open.http(
      answerJson({ code: '40002', sub_code: 'currency-not-supported', sub_msg: 'USD is not\n supported  here' }),
    );
    const { message } = await failureOf(open.client(gateway).pay(pix));
    expect(message).toBe(
      'The gateway refused /trade/pay for order 2026-0001-PIX: code 40002, sub_code currency-not-supported (USD is not supported here).',
    );
  });

  test('an error of any length stays a short one', async () => {
    const long = 'x'.repeat(100_000);
    const gateway = await open.http(answerJson({ code: long, sub_code: long, sub_msg: long }));
    const failure = await failureOf(open.client(gateway).pay(pix));
    expect(failure.message.length + JSON.stringify(failure).length).toBeLessThan(2_000);
  });
});

describe('a query that fails says nothing of the trade', () => {
  test.each([
    ['a refusal', { code: '40002', msg: 'Business Failed', sub_code: 'trade-not-exist' }],
    ['a refusal that a creation would believe', { code: '40002', sub_code: 'currency-not-supported' }],
    ['a refusal that would mean a refused payment', { code: '90001', sub_code: '101' }],
    ['missing arguments', { code: '40001', msg: 'Missing Required Arguments' }],
    ['an outage', { code: '20000' }],
    ['a success without a status', { code: '10000', msg: 'Success', trade_no: 't-1' }],
    ['a success with an empty status', { code: '10000', msg: 'Success', trade_status: '' }],
    ['neither', { hello: 'world' }],
  ])('%s: unknown', async (_, body) => {
    for (const status of [200, 400, 404, 500]) {
      const gateway = await open.http(answerJson(body, status));
      const failure = await failureOf(open.client(gateway).query({ out_trade_no: 'o-1' }));
      expect(failure).toMatchObject({ outcome: 'unknown', operation: '/trade/query', out_trade_no: 'o-1' });
    }
  });
});

test('a call that failed does not spoil the ones after it', async () => {
  let calls = 0;
  const gateway = await open.http((response) => {
    calls += 1;
    if (calls === 1) response.destroy();
    else response.end(success);
  });
  const client = open.client(gateway);
  expect(await failureOf(client.pay(pix))).toMatchObject({ outcome: 'unknown' });
  await expect(client.pay(pix)).resolves.toMatchObject({ trade_no: 't-1' });
});
