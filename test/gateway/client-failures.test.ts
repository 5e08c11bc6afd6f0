/**
 * Every way in which a call can fail, and its outcome: `not-sent` if certainly nothing left this process, `unknown` for
 * everything else that is not an answer. The client itself repeats nothing.
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

describe('not-sent: the call may be repeated', () => {
  const notSent = {
    outcome: 'not-sent',
    retryable: true,
    operation: '/trade/pay',
    out_trade_no: '2026-0001-PIX',
    code: undefined,
    http_status: undefined,
  };

  test('if the host name is unknown', async () => {
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

  test('if connecting takes too long', async () => {
    // A TCP connection stands at once; that of TLS over it never does.
    const gateway = await open.tcp(() => {}, 'https');
    const failure = await failureOf(open.client(gateway, { connect_timeout_ms: 20 }).pay(pix));
    expect(failure).toMatchObject(notSent);
    expect(failure.message).toContain('UND_ERR_CONNECT_TIMEOUT');
    expect(gateway.sockets).toHaveLength(1);
  });

  test('if the other side does not speak TLS', async () => {
    const gateway = await open.tcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'https');
    expect(await failureOf(open.client(gateway).pay(pix))).toMatchObject(notSent);
  });

  test('if the certificate of the other side is not trusted', async () => {
    const gateway = await open.tls();
    const failure = await failureOf(open.client(gateway).pay(pix));
    expect(failure).toMatchObject(notSent);
    expect(failure.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(gateway.received).toEqual([]);
  });

  test('if the other side resets during the TLS handshake', async () => {
    const gateway = await open.tcp((socket) => socket.once('data', () => socket.resetAndDestroy()), 'https');
    expect(await failureOf(open.client(gateway).pay(pix))).toMatchObject(notSent);
  });

  test('for each of many orders that wait for a connection', async () => {
    const client = open.client(await open.nobody());
    const orders = Array.from({ length: 40 }, (_, i) => ({ ...pix, out_trade_no: `order-${i}` }));
    const failures = await Promise.all(orders.map((order) => failureOf(client.pay(order))));
    expect(new Set(failures.map(({ outcome }) => outcome))).toEqual(new Set(['not-sent']));
  });
});

describe('unknown: the request may have been sent', () => {
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

  test('after a reset as soon as the connection is open', async () => {
    const gateway = await open.tcp((socket) => socket.resetAndDestroy());
    const { outcome, retryable } = await failureOf(open.client(gateway).pay(pix));
    expect(['not-sent', 'unknown']).toContain(outcome);
    expect(retryable).toBe(true);
    expect(gateway.sockets).toHaveLength(1);
  });

  test('after no response in time', async () => {
    const gateway = await open.http(() => {});
    const failure = await failureOf(open.client(gateway, { answer_timeout_ms: 30 }).pay(pix));
    expect(failure).toMatchObject({ ...unknown, http_status: undefined });
    expect(failure.message).toContain('UND_ERR_HEADERS_TIMEOUT');
    expect(gateway.received).toHaveLength(1);
  });

  test('after a head in time but no body', async () => {
    const gateway = await open.tcp((socket) => socket.once('data', () => socket.write(head(success.length))));
    const failure = await failureOf(open.client(gateway, { answer_timeout_ms: 30 }).pay(pix));
    expect(failure).toMatchObject(unknown);
    expect(failure.message).toContain('UND_ERR_BODY_TIMEOUT');
  });

  test('after a response of a byte now and then, for ever', async () => {
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

  test('after a response that is too large, with its length', async () => {
    const gateway = await open.http((response) => response.end(success.padEnd(101)));
    const client = open.client(gateway, { max_answer_bytes: 100 });
    expect(await failureOf(client.pay(pix))).toMatchObject(unknown);
  });

  test('after a response that is too large, in chunks', async () => {
    const gateway = await open.http((response) => {
      response.write(success.padEnd(60));
      response.end(' '.repeat(60));
    });
    expect(await failureOf(open.client(gateway, { max_answer_bytes: 100 }).pay(pix))).toMatchObject(unknown);
  });

  test('a response of exactly the largest size is read', async () => {
    const gateway = await open.http((response) => response.end(success.padEnd(100)));
    await expect(open.client(gateway, { max_answer_bytes: 100 }).pay(pix)).resolves.toMatchObject({ trade_no: 't-1' });
  });

  test.each([301, 302, 303, 307, 308])('after a redirect %i, which is not followed', async (status) => {
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
    ['a packed answer that nobody asked for', 200, gzipSync(success)],
  ])('%s with HTTP %i', async (_, status, body) => {
    const gateway = await open.http((response) => response.writeHead(status).end(body));
    const failure = await failureOf(open.client(gateway).pay(pix));
    expect(failure).toMatchObject({ ...unknown, http_status: status, code: undefined });
    expect(failure.message).toContain(`HTTP ${status}`);
    expect(gateway.received).toHaveLength(1);
  });
});

describe('the content type of a response does not matter', () => {
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
});

describe('numbers beyond any double', () => {
  test.each(['1e999', '-1e999', '9'.repeat(400), `0.${'1'.repeat(400)}`, '123456789012345678901234567890'])(
    '%.40s is kept as it was sent; of an amount that is no money, its first 64 characters',
    async (number) => {
      const gateway = await open.http((response) =>
        response.end(`{"code":10000,"trade_no":${number},"trade_status":"PROCESSING","order_amount":${number}}`),
      );
      await expect(open.client(gateway).pay(pix)).resolves.toMatchObject({ trade_no: number });
      await expect(open.client(gateway).query({ out_trade_no: 'o-1' })).resolves.toMatchObject({
        trade_no: number,
        order_amount: number.slice(0, 64),
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

  test('is not-sent if nobody listens', async () => {
    const failure = await failureOf(call(open.client(await open.nobody()), request));
    expect(failure).toMatchObject({ outcome: 'not-sent', retryable: true, operation: path });
    expect(failure.message).toContain(`${path} for ${about} (ECONNREFUSED)`);
  });

  test('is unknown if the connection is reset after the request', async () => {
    const gateway = await open.tcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const failure = await failureOf(call(open.client(gateway), request));
    expect(failure).toMatchObject({ outcome: 'unknown', retryable: true, operation: path });
    expect(failure.message).toContain(`${path} for ${about} did not arrive`);
    expect(/carried out/.test(failure.message)).toBe(!/query$|quantity$|bank-list$|installments$/.test(path));
    expect(gateway.sockets).toHaveLength(1);
  });

  test('is unknown if the response is not an answer', async () => {
    const failure = await after({ hello: 'world' }, 502);
    expect(failure).toMatchObject({ outcome: 'unknown', retryable: true, http_status: 502 });
    expect(failure.message).toContain(`${path} for ${about} with HTTP 502`);
    const isQuestion = /query$|quantity$|bank-list$|installments$/.test(path);
    expect(failure.message).toMatch(
      isQuestion ? /: it can be asked again\.$/ : /whether it was carried out is unknown\.$/,
    );
  });

  test('may be repeated after an outage', async () => {
    expect(await after({ code: '20000', msg: 'Service Currently Unavailable' })).toMatchObject({
      outcome: creates ? 'not-created' : 'unknown',
      retryable: true,
    });
  });

  test('is not retryable if the credentials are refused', async () => {
    const failure = await after({ code: '40002', sub_code: 'invalid-signature', sub_msg: 'invalid signature' }, 400);
    expect(failure).toMatchObject({
      outcome: creates ? 'not-created' : 'unknown',
      retryable: false,
      code: '40002',
      sub_code: 'invalid-signature',
      http_status: 400,
    });
    expect(failure.message).toBe(`The gateway refused ${path} for ${about}: code 40002, sub_code invalid-signature.`);
  });

  test('is unknown with an unlisted code', async () => {
    expect(await after({ code: '49999', sub_code: 'new' })).toMatchObject({ outcome: 'unknown', retryable: false });
  });

  test('is not-created if the refusal names a field of the request', async () => {
    for (const sub_code of ['timestamp', ...Object.keys(request)].filter((name) => name !== 'out_request_no')) {
      expect(await after({ code: '40002', msg: 'Business Failed', sub_code })).toMatchObject({
        sub_code,
        outcome: creates ? 'not-created' : 'unknown',
      });
    }
  });
});

describe('a refusal is read from its JSON with any HTTP status', () => {
  const STATUSES = [200, 400, 401, 403, 422, 500, 502];

  test.each<[string, object, object]>([
    [
      'a business failure',
      { code: '40002', msg: 'Business Failed', sub_code: 'currency-not-supported', sub_msg: 'not here' },
      { outcome: 'not-created', retryable: false, code: '40002', sub_code: 'currency-not-supported' },
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
  ])('%s', async (_, body, expected) => {
    for (const status of STATUSES) {
      const gateway = await open.http(answerJson(body, status));
      const failure = await failureOf(open.client(gateway).pay(pix));
      expect(failure).toMatchObject({ ...expected, http_status: status, out_trade_no: '2026-0001-PIX' });
      expect(gateway.received).toHaveLength(1);
    }
  });

  test.each(['out_trade_no', 'customer.identify.number', 'address.zip_code'])(
    'that names the field %s means that there is no order',
    async (sub_code) => {
      const gateway = await open.http(answerJson({ code: '40002', msg: 'Business Failed', sub_code }, 400));
      expect(await failureOf(open.client(gateway).pay(pix))).toMatchObject({ outcome: 'not-created', sub_code });
    },
  );

  test('a long text of the gateway is left out', async () => {
    const long = 'x'.repeat(100_000);
    const gateway = await open.http(answerJson({ code: long, sub_code: long, sub_msg: long }));
    const failure = await failureOf(open.client(gateway).pay(pix));
    expect(failure.message.length + JSON.stringify(failure).length).toBeLessThan(1_000);
  });
});

describe('a failed query says nothing about the trade', () => {
  test.each([
    ['a refusal that a creation would believe', { code: '40002', sub_code: 'currency-not-supported' }],
    ['a refusal that would mean a refused payment', { code: '90001', sub_code: '101' }],
    ['a success without a status', { code: '10000', msg: 'Success', trade_no: 't-1' }],
    ['a success with an empty status', { code: '10000', msg: 'Success', trade_status: '' }],
  ])('%s: unknown', async (_, body) => {
    for (const status of [200, 400, 404, 500]) {
      const gateway = await open.http(answerJson(body, status));
      const failure = await failureOf(open.client(gateway).query({ out_trade_no: 'o-1' }));
      expect(failure).toMatchObject({ outcome: 'unknown', operation: '/trade/query', out_trade_no: 'o-1' });
    }
  });
});

test('a failed call does not affect later ones', async () => {
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
