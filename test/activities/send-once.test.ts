/** An order, a refund or an account is sent by one attempt at most: whatever is thrown once it may have left is an unknown outcome. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type ActivityExecuteInput, DefaultLogger } from '@temporalio/worker';
import { CallDeferredError } from '../../src/activities/failures';
import { type Sending, SendingBorder, SendingCodec, sendOnce } from '../../src/activities/send-once';
import { GatewayError, InvalidRequestError } from '../../src/gateway';
import { notingClient } from '../harness/noting-client';

const OPERATION = '/trade/pay';
const SENT = { operation: OPERATION, what: 'Order 17', out_trade_no: '17' };

/** What Temporal's server keeps between the attempts of one activity. */
let kept: unknown;
/** How often a request left. */
let requests: number;
let stores: (details: unknown) => Promise<void>;
beforeEach(() => {
  kept = undefined;
  requests = 0;
  stores = async (details) => {
    kept = details;
  };
});

type Attempt = (sending: Sending) => Promise<unknown>;
type MockOptions = NonNullable<ConstructorParameters<typeof MockActivityEnvironment>[1]>;

/** One attempt as Temporal runs it: its heartbeats are there for the next one. */
async function attempt(act: Attempt, options: Pick<MockOptions, 'logger' | 'interceptors'> = {}): Promise<unknown> {
  const environment = new MockActivityEnvironment(
    { heartbeatDetails: kept },
    {
      client: notingClient((details) => stores(details)),
      logger: new DefaultLogger('ERROR', () => undefined),
      ...options,
    },
  );
  environment.on('heartbeat', (details) => {
    kept = details;
  });
  const run = () => sendOnce<unknown>(SENT, act, (outcome) => ({ is: 'unknown', ...outcome }));
  return environment.run(run).catch((error: unknown) => error);
}

/** Sends, and what comes of it. */
const sends =
  (outcome: () => unknown): Attempt =>
  async ({ beforeSending }) => {
    await beforeSending();
    requests += 1;
    return outcome();
  };
const fails = (error: unknown) => () => {
  throw error;
};
const refused = (outcome: 'not-sent' | 'not-created', retryable = true) =>
  new GatewayError(outcome, { outcome, retryable, operation: OPERATION });

const UNKNOWN = { is: 'unknown', error: { outcome: 'unknown', operation: OPERATION, out_trade_no: '17' } };

test('an attempt whose request was answered returns the answer', async () => {
  expect(await attempt(sends(() => ({ trade_no: 'T1' })))).toEqual({ trade_no: 'T1' });
});

const circle: { self?: unknown } = {};
circle.self = circle;
const deeper = Array.from({ length: 20_000 }).reduce<unknown>((inner) => [inner], null);

test.each<[what: string, outcome: () => unknown]>([
  ['a mistake of ours', fails(new TypeError('ñ'.repeat(4_000)))],
  ['an error of nobody’s', fails('a text')],
  ['a failure that would be retried', fails(ApplicationFailure.create({ message: 'again' }))],
  ['a failure that would not be retried', fails(ApplicationFailure.nonRetryable('over'))],
  [
    'a gateway that did not answer',
    fails(new GatewayError('?', { outcome: 'unknown', retryable: true, operation: OPERATION })),
  ],
  ['a result that holds itself', () => circle],
  ['a result that is nested too deep', () => ({ deeper })],
  ['a result that is too large', () => ({ text: 'x'.repeat(1_000_001) })],
  ['a result with a number that no JSON has', () => ({ n: 1n })],
])('%s, after the request may have left, is an unknown outcome', async (_, outcome) => {
  const told = await attempt(sends(outcome));
  expect(told).toMatchObject({ is: 'unknown', error: { outcome: 'unknown', operation: OPERATION } });
  expect(JSON.stringify(told)).not.toContain('ñ');
});

test('a logger that throws does not change an unknown outcome', async () => {
  const logger = new DefaultLogger('WARN', fails(new Error('the disk is full')));
  expect(await attempt(sends(fails(new Error('lost'))), { logger })).toMatchObject(UNKNOWN);
});

test.each<[what: string, outcome: () => unknown]>([
  ['ended', () => ({ trade_no: 'T1' })],
  ['failed', fails(new Error('lost'))],
  ['was told that nothing was created for good, and its answer was lost', () => ({ is: 'not-created' })],
])('an attempt after one that has sent and %s says unknown, and sends nothing', async (_, outcome) => {
  await attempt(sends(outcome));
  // Somebody around the activity throws, or the worker dies: Temporal makes another attempt.
  expect(await attempt(sends(() => ({ trade_no: 'T2' })))).toMatchObject(UNKNOWN);
  expect(requests).toBe(1);
});

test('an attempt whose heartbeat somebody else has overwritten says unknown', async () => {
  kept = { rows: 3 };
  expect(await attempt(sends(() => ({ trade_no: 'T1' })))).toMatchObject(UNKNOWN);
  expect(requests).toBe(0);
});

test.each<[what: string, error: unknown]>([
  ['a rule is broken', new InvalidRequestError(OPERATION, [{ field: 'method', rule: 'required' }])],
  ['the limiter holds it back', new CallDeferredError('later', OPERATION, 1_000)],
  ['our own code fails', new RangeError('too deep')],
])('an attempt throws what it meets before it sends: %s', async (_, error) => {
  expect(await attempt(fails(error))).toBe(error);
  expect(await attempt(sends(() => ({ trade_no: 'T1' })))).toEqual({ trade_no: 'T1' });
});

const reports =
  (error: GatewayError): Attempt =>
  async (sending) => {
    await sends(() => undefined)(sending);
    return sending.madeNothing(error);
  };

test.each(['not-sent', 'not-created'] as const)('an attempt after one that was certainly %s sends', async (outcome) => {
  expect(await attempt(reports(refused(outcome)))).toMatchObject({ type: 'GatewayUnavailable', nonRetryable: false });
  let hasReached: boolean | undefined;
  const told = await attempt(async (sending) => {
    ({ hasReached } = sending);
    return sends(() => ({ trade_no: 'T1' }))(sending);
  });
  expect(told).toEqual({ trade_no: 'T1' });
  // A duplicate may be ours only where the gateway has answered before.
  expect(hasReached).toBe(outcome === 'not-created');
});

test('an attempt that could not connect keeps what the one before was told', async () => {
  await attempt(reports(refused('not-created')));
  await attempt(reports(refused('not-sent')));
  let hasReached: boolean | undefined;
  await attempt(async (sending) => {
    ({ hasReached } = sending);
  });
  expect(hasReached).toBe(true);
});

test('a refusal for good is a result, and no attempt follows', async () => {
  expect(await attempt(reports(refused('not-created', false)))).toMatchObject({ is: 'not-created' });
});

describe('the note that a request is about to leave', () => {
  test('is stored before the request leaves', async () => {
    let isStored = false;
    stores = async () => {
      await pause(20);
      isStored = true;
    };
    await attempt(
      sends(() => {
        expect(isStored).toBe(true);
        return {};
      }),
    );
    expect({ isStored, requests }).toEqual({ isStored: true, requests: 1 });
  });

  test.each(['ECONNREFUSED', 'the codec has no key'])(
    'where it cannot be stored (%s), nothing is sent, and the next attempt may',
    async (why) => {
      stores = fails(new Error(why));
      const failure = await attempt(sends(() => ({})));
      expect(failure).toBeInstanceOf(CallDeferredError);
      expect(String(failure)).toContain('Order 17 was not sent');
      expect(requests).toBe(0);
      stores = async (details) => {
        kept = details;
      };
      expect(await attempt(sends(() => ({ trade_no: 'T1' })))).toEqual({ trade_no: 'T1' });
    },
  );
});

describe('an interceptor of the merchant that throws', () => {
  const failing = {
    execute: async (input: ActivityExecuteInput, next: (input: ActivityExecuteInput) => Promise<unknown>) => {
      await next(input);
      throw new Error('the metrics are away');
    },
  };
  /** As in a Worker: ours stands outside. */
  const interceptors = [() => ({ inbound: new SendingBorder() }), () => ({ inbound: failing })];

  test('after the request has left leaves an unknown outcome, and no failure that the server would repeat', async () => {
    expect(
      await attempt(
        sends(() => ({ trade_no: 'T1' })),
        { interceptors },
      ),
    ).toMatchObject(UNKNOWN);
    expect(requests).toBe(1);
  });

  test('before anything has left fails the attempt, which may be repeated', async () => {
    const error = await attempt(async () => 'nothing was sent', { interceptors });
    expect(error).toMatchObject({ message: 'the metrics are away' });
  });
});

describe('a codec of the merchant that fails to encode the result', () => {
  const codec = new SendingCodec({
    encode: fails(new Error('the keys are away')),
    decode: async (payloads) => payloads,
  });
  /** As the SDK does it, after the activity. */
  const encoding = {
    execute: async (input: ActivityExecuteInput, next: (input: ActivityExecuteInput) => Promise<unknown>) => {
      await next(input);
      return codec.encode([]);
    },
  };
  const encoded = (act: Attempt) => attempt(act, { interceptors: [() => ({ inbound: encoding })] });

  test('after the request has left ends the activity: called off before a next attempt, it would say that nothing was sent', async () => {
    const ended = { nonRetryable: true, type: 'ResultNotKept' };
    expect(await encoded(sends(() => ({})))).toMatchObject(ended);
    // A next attempt says that nobody knows, which has to arrive as well.
    expect(await encoded(sends(() => ({})))).toMatchObject(ended);
    expect(requests).toBe(1);
  });

  test('before anything has left fails the attempt, which may be repeated', async () => {
    const failed = { message: 'the keys are away' };
    expect(await encoded(async () => 'nothing was sent')).toMatchObject(failed);
    expect(await encoded(async (sending) => sending.madeNothing(refused('not-created', false)))).toMatchObject(failed);
    await expect(codec.encode([])).rejects.toMatchObject(failed);
  });
});
