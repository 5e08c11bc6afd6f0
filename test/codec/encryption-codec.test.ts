/** Payload encryption: what it hides, what it restores, and what it refuses. */
import { defaultPayloadConverter, type Payload, type SerializationContext, ValueError } from '@temporalio/common';
import fc from 'fast-check';
import { EncryptionCodec, PayloadDecryptionError } from '../../src/codec';
import { failureConverter } from '../../src/codec/failure-converter';
import { FOREIGN_PAYLOAD, operatorActions } from '../../src/contract';
import { decoded, key, metadata, payload } from './support';

const OLD = key('2026-01');
const NEW = key('2026-07');
const codec = new EncryptionCodec([NEW, OLD]);

const order = (workflowId: string, namespace = 'payments'): SerializationContext => ({
  type: 'workflow',
  namespace,
  workflowId,
});
const HERE = order('payment:app-1:order-1');
const ACTIVITY: SerializationContext = {
  type: 'activity',
  namespace: 'payments',
  workflowId: 'payment:app-1:order-1',
  activityId: '7',
  isLocal: false,
};

async function encrypted(value: unknown, context?: SerializationContext, by = codec): Promise<Payload> {
  const [one] = await by.encode([payload(value)], context);
  if (!one) throw new Error('Nothing was encrypted.');
  return one;
}

async function read(one: Payload, context?: SerializationContext, by = codec): Promise<unknown> {
  const [clear] = await by.decode([one], context);
  return decoded(clear ?? {});
}

/** The message with which a payload is refused. */
async function refusal(one: Payload, context?: SerializationContext, by = codec): Promise<string> {
  const error: unknown = await by.decode([one], context).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PayloadDecryptionError);
  return error instanceof PayloadDecryptionError ? error.message : '';
}

const withBytes = (one: Payload, change: (bytes: Buffer) => Buffer): Payload => ({
  ...one,
  data: change(Buffer.from(one.data ?? [])),
});

describe('a payload', () => {
  test('is decrypted to the same value, for any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string(), fc.string(), async (value, namespace, workflowId) => {
        const context = order(workflowId, namespace);
        const json = JSON.parse(JSON.stringify(value));
        expect(await read(await encrypted(json, context), context)).toEqual(json);
      }),
    );
  });

  test('is decrypted with its metadata, and bytes stay bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (bytes) => {
        const clear = payload(bytes);
        const [again] = await codec.decode(await codec.encode([clear], HERE), HERE);
        expect(metadata(again ?? {})).toEqual(metadata(clear));
        expect(Buffer.from(again?.data ?? [])).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test('shows nothing but its key’s id and its workflow', async () => {
    const one = await encrypted({ customer: { name: 'Mariana Souza Lima' } }, HERE);
    expect(metadata(one)).toEqual({
      encoding: 'binary/encrypted',
      'encryption-key-id': '2026-07',
      'encryption-context': '["payments","payment:app-1:order-1"]',
    });
    const bytes = Buffer.from(one.data ?? []).toString('latin1');
    for (const word of ['Mariana', 'customer', 'json/plain']) expect(bytes).not.toContain(word);
  });

  test('of undefined is encrypted too, and an empty list stays empty', async () => {
    const nothing = await encrypted(undefined, HERE);
    expect(metadata(nothing).encoding).toBe('binary/encrypted');
    expect(await read(nothing, HERE)).toBeUndefined();
    expect(await codec.encode([], HERE)).toEqual([]);
    expect(await codec.decode([], HERE)).toEqual([]);
  });

  test('has different bytes each time it is encrypted', async () => {
    const some = await Promise.all(Array.from({ length: 50 }, () => encrypted('the same', HERE)));
    expect(new Set(some.map(({ data }) => Buffer.from(data ?? []).toString('hex'))).size).toBe(50);
  });

  test('in clear text is refused for every reader, of any encoding, and does not appear in the message', async () => {
    for (const clear of [payload({ kind: 'direct' }), payload(undefined), payload(Buffer.from('direct')), {}]) {
      for (const reader of [HERE, ACTIVITY, undefined]) expect(await refusal(clear, reader)).toContain('in clear text');
      expect(await refusal(clear, HERE)).not.toContain('direct');
    }
  });

  test('in clear text passes unchanged while keys are introduced, and in what Temporal keeps of schedules', async () => {
    const clear = payload({ kind: 'direct' });
    const migrating = new EncryptionCodec([NEW], { acceptsClearText: true });
    expect(await migrating.decode([clear], HERE)).toEqual([clear]);
    expect(await codec.decode([clear], order('temporal-sys-scheduler:nightly'))).toEqual([clear]);
  });

  test('in clear text passes unchanged in what Temporal says of an activity that was called off between two attempts, alone', async () => {
    const calledOff = payload('ACTIVITY_ID_NOT_STARTED');
    expect(await codec.decode([calledOff], ACTIVITY)).toEqual([calledOff]);
    expect(await refusal(calledOff, HERE)).toContain('in clear text');
    expect(await refusal(payload('ACTIVITY_ID_NOT_STARTED '), ACTIVITY)).toContain('in clear text');
  });

  test('that is refused in a Worker is left as one that no converter reads, of a workflow and of an activity', async () => {
    const worker = new EncryptionCodec([NEW], { refused: 'mark' });
    for (const reader of [HERE, ACTIVITY]) {
      const [marked = {}] = await worker.decode([payload({ kind: 'direct' })], reader);
      expect(() => decoded(marked)).toThrow(
        /Unknown encoding: refused-for-good \(A payload of workflow .* in clear text/,
      );
      expect(Buffer.from(marked.data ?? []).toString()).not.toContain('direct');
    }
  });

  test('that a Worker refused fails its task in words that need no key, and quote nothing of it', async () => {
    const worker = new EncryptionCodec([NEW], { refused: 'mark' });
    const [marked = {}] = await worker.decode([await encrypted('direct', HERE, new EncryptionCodec([OLD]))], HERE);
    const told = (error: unknown) => failureConverter.errorToFailure(error, defaultPayloadConverter);
    const failure = told(
      await Promise.resolve(marked)
        .then(decoded)
        .catch((error: unknown) => error),
    );
    expect(failure).toMatchObject({
      message: expect.stringMatching(
        /^A payload of workflow .* encrypted with the key ".*Add that key after the others\.$/,
      ),
      stackTrace: '',
    });
    expect(failure.encodedAttributes).toBeUndefined();
    expect(told(new ValueError('Unknown encoding: direct')).message).toBe('Encoded failure');
  });

  test('of an activity that other keys might read fails the task of its workflow, which is tried until a worker has them', async () => {
    const worker = new EncryptionCodec([NEW], { refused: 'mark' });
    const theirs = await encrypted(1, ACTIVITY, new EncryptionCodec([OLD]));
    expect(await refusal(theirs, ACTIVITY, worker)).toContain('Add that key');
  });

  test('that no worker will ever read tells the sandbox so, and one that other keys or another namespace might read does not', async () => {
    const worker = new EncryptionCodec([NEW], { refused: 'mark' });
    const isForGood = async (one: Payload, reader = HERE) => {
      const [marked = {}] = await worker.decode([one], reader);
      return FOREIGN_PAYLOAD in metadata(marked);
    };
    const typed = await encrypted({ kind: '***' }, order(''));
    const moved = await encrypted('of another', order('payment:app-1:order-2'));
    for (const one of [payload({ kind: 'direct' }), typed, moved, await encrypted(1, ACTIVITY)])
      expect(await isForGood(one)).toBe(true);
    const unknown = await encrypted('mine', HERE, new EncryptionCodec([OLD]));
    const impostors = await encrypted('mine', HERE, new EncryptionCodec([key('2026-07')]));
    const elsewhere = await encrypted('mine', order('payment:app-1:order-1', 'renamed'));
    const relabelled = {
      ...moved,
      metadata: { ...moved.metadata, 'encryption-context': Buffer.from('["payments","x"]') },
    };
    const cut = withBytes(await encrypted('mine', HERE), (bytes) => bytes.subarray(1));
    for (const one of [unknown, impostors, elsewhere, relabelled, cut]) expect(await isForGood(one)).toBe(false);
  });
});

describe('rotation', () => {
  test('uses the first key to encrypt and all to decrypt', async () => {
    const before = await encrypted('old news', HERE, new EncryptionCodec([OLD]));
    expect(metadata(before)['encryption-key-id']).toBe('2026-01');
    expect(await read(before, HERE)).toBe('old news');
    expect(metadata(await encrypted('news', HERE))['encryption-key-id']).toBe('2026-07');
  });

  test('decrypts with a staged key, which is after the others, before it encrypts with it', async () => {
    const staged = new EncryptionCodec([OLD, NEW]);
    expect(metadata(await encrypted('news', HERE, staged))['encryption-key-id']).toBe('2026-01');
    expect(await read(await encrypted('from the future', HERE), HERE, staged)).toBe('from the future');
  });
});

describe('a payload that was moved', () => {
  test('to another workflow is refused there', async () => {
    const id = fc.string({ minLength: 1 });
    await fc.assert(
      fc.asyncProperty(id, id, async (one, other) => {
        fc.pre(one !== other);
        expect(await refusal(await encrypted('mine', order(one)), order(other))).toContain('made for another workflow');
      }),
    );
  });

  test.each(['', 'null', '{}', '[]', '[1]', '["payments",2]', '["payments","a","b",3]', 'not JSON'])(
    'with the label %j is not accepted here',
    async (label) => {
      const mine = await encrypted('mine', HERE);
      const moved = { ...mine, metadata: { ...mine.metadata, 'encryption-context': Buffer.from(label) } };
      expect(await refusal(moved, HERE)).toMatch(/another workflow|changed after its encryption/);
    },
  );

  test('between a workflow and its activities, or from one activity to another, is refused', async () => {
    expect(await read(await encrypted('argument', ACTIVITY), { ...ACTIVITY, isLocal: true })).toBe('argument');
    expect(await refusal(await encrypted('argument', ACTIVITY), HERE)).toContain('another workflow, activity');
    expect(await refusal(await encrypted('result', HERE), ACTIVITY)).toContain('another workflow, activity');
    expect(await refusal(await encrypted('result', ACTIVITY), { ...ACTIVITY, activityId: '8' })).toContain('moved');
    // An SDK of another language does not know the id when it schedules the activity.
    const { activityId: _unknown, ...unnamed } = ACTIVITY;
    expect(await read(await encrypted('argument', unnamed), ACTIVITY)).toBe('argument');
  });

  test('by a schedule to a workflow that it starts is accepted, and in other workflows refused', async () => {
    const argument = await encrypted('nightly', order('report'));
    expect(await read(argument, order('report-2026-11-21T09:22:24Z'))).toBe('nightly');
    for (const id of [
      'report-1',
      'report-2026-11-21T09:22:24Z-1',
      'report2026-11-21T09:22:24Z',
      'a-2026-11-21T09:22:24Z',
    ]) {
      expect(await refusal(argument, order(id))).toContain('another workflow');
    }
  });

  test('by a run of a merchant’s schedule reaches the next run, or reads as nothing where its key was removed', async () => {
    const result = await encrypted({ up_to: 7 }, order('report-2026-11-21T09:22:24Z'), new EncryptionCodec([OLD]));
    const next = order('report-2026-11-22T09:22:24Z');
    expect(await read(result, next)).toEqual({ up_to: 7 });
    expect(await read(result, next, new EncryptionCodec([NEW]))).toBeUndefined();
    expect(await refusal(result, order('reports-2026-11-22T09:22:24Z'))).toContain('another workflow');
    expect(await refusal(result, order('report'))).toContain('another workflow');
  });

  test.each(['stuck-sweep', 'reconciliation:app-1:daily'])(
    'by a run of %s reads as nothing in the next run: with its key, without it, and in clear text',
    async (job) => {
      const next = order(`${job}-2026-11-22T09:22:24Z`);
      const worker = new EncryptionCodec([NEW, OLD], { refused: 'mark' });
      const result = await encrypted({ stuck: 0 }, order(`${job}-2026-11-21T09:22:24Z`));
      expect(await read(result, next, worker)).toBeUndefined();
      expect(await read(result, next, new EncryptionCodec([OLD], { refused: 'mark' }))).toBeUndefined();
      expect(await read(payload({ stuck: 0 }), next, worker)).toBeUndefined();
      expect(await refusal(payload({ stuck: 0 }), next)).toContain('in clear text');
      const activity = { ...ACTIVITY, workflowId: `${job}-2026-11-22T09:22:24Z` };
      await expect(read(payload(1), activity, worker)).rejects.toThrow('in clear text');
    },
  );

  test('of an order whose number ends like the time of a schedule is refused in every other order', async () => {
    const order1 = order('payment:app-1:order-2026-11-21T09:22:24Z');
    const mine = await encrypted('mine', order1);
    expect(await read(mine, order1)).toBe('mine');
    expect(await refusal(mine, order('payment:app-1:order-2026-11-22T09:22:24Z'))).toContain('another workflow');
    expect(await refusal(await encrypted('mine', order('payment:app-1:order')), order1)).toContain('another workflow');
  });
});

describe('a caller that does not know the workflow', () => {
  test('decrypts a payload of any workflow', async () => {
    expect(await read(await encrypted('mine', HERE))).toBe('mine');
  });

  const typed = async (value: unknown) =>
    (await codec.encode([payload(value)], { namespace: 'payments' }))[0] ?? fail('nothing was encrypted');

  test('may encrypt for a namespace: our workflows take what says who decides, and no other namespace does', async () => {
    const resolution = { outcome: 'CANCEL', by: 'ana', reason: 'sent back' };
    expect(await read(await typed(resolution), HERE)).toEqual(resolution);
    expect(await refusal(await typed(resolution), order('any', 'elsewhere'))).toContain('namespace');
    expect(await refusal(await typed(resolution), ACTIVITY)).toContain('moved');
  });

  test('may type every decision that a page of Temporal UI says to type', async () => {
    const ids = [
      'payment:a:1',
      'after-sale:a:1',
      'event-delivery:x:payment:a:1',
      'reconciliation:a:1',
      'spei-account:a:1',
    ];
    const inputs = ids.flatMap((id) => operatorActions(id).flatMap(({ input }) => (input ? [input] : [])));
    expect(inputs.length).toBeGreaterThan(6);
    const account = { account_id: '7', by: 'ana', reason: 'it is in the dashboard' };
    for (const value of [...inputs, account]) expect(await read(await typed(value), HERE)).toEqual(value);
  });

  test('cannot move money by what it typed: an order, a refund or a notification, with a name or without', async () => {
    const refund = { refund_amount: '1.00', refund_currency: 'BRL' };
    const start = { kind: 'order', app_id: 'a', order: { method: 'PIX', order_amount: '1.00' } };
    const notification = { app_id: 'a', out_trade_no: '1', trade_status: 'SUCCESS', digest: 'd' };
    const named = [refund, start, notification, [{ event: 'x' }]].map((value) => ({
      by: 'ana',
      reason: 'x',
      ...value,
    }));
    const nameless = [{ by: '' }, { by: 1 }, { by: 'ana', reason: {} }, 'ana', null, undefined, Buffer.from('x')];
    for (const value of [refund, ...named, ...nameless]) {
      for (const workflow of [
        'payment:a:1',
        'after-sale:a:1',
        'spei-account:a:1',
        'event-delivery:handler:payment:a:1',
      ]) {
        expect(await refusal(await typed(value), order(workflow))).toContain('typed by a person');
      }
      expect(await read(await typed(value), order('a-merchants-own'))).toEqual(value);
    }
  });

  test('gives no workflow a payload without an owner', async () => {
    expect(await refusal(await encrypted('memo'), HERE)).toContain('moved here');
    expect(await refusal(await encrypted('memo'), ACTIVITY)).toContain('moved here');
  });

  test('reads, where it only looks, payloads of every owner', async () => {
    const looks = new EncryptionCodec([NEW], { readsAll: true });
    for (const owner of [HERE, ACTIVITY, order('x', 'elsewhere'), undefined]) {
      expect(await read(await encrypted('mine', owner), order('fake', 'default'), looks)).toBe('mine');
    }
  });
});

describe('a changed payload', () => {
  test('is refused, for a change of any bit', async () => {
    const one = await encrypted({ amount: '150.00' }, HERE);
    const length = one.data?.length ?? 0;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: length - 1 }), fc.nat({ max: 7 }), async (at, bit) => {
        const flipped = withBytes(one, (bytes) => {
          bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
          return bytes;
        });
        expect(await refusal(flipped, HERE)).toContain('changed after its encryption');
      }),
    );
  });

  test('is refused if it is shortened, lengthened or empty', async () => {
    const one = await encrypted({ amount: '150.00' }, HERE);
    for (let left = 0; left < (one.data?.length ?? 0); left += 1) {
      expect(
        await refusal(
          withBytes(one, (bytes) => bytes.subarray(0, left)),
          HERE,
        ),
      ).toContain('changed after its encryption');
    }
    expect(
      await refusal(
        withBytes(one, (bytes) => Buffer.concat([bytes, Buffer.alloc(1)])),
        HERE,
      ),
    ).toContain('changed');
    expect(await refusal({ metadata: one.metadata ?? {} }, HERE)).toContain('changed');
  });

  test('is refused without its content or a key in the message', async () => {
    const one = await encrypted('Mariana Souza Lima', HERE);
    const said = [
      await refusal(
        withBytes(one, (bytes) => bytes.subarray(1)),
        HERE,
      ),
      await refusal(one, order('another')),
      await refusal(one, HERE, new EncryptionCodec([OLD])),
    ].join('\n');
    expect(said).not.toContain('Mariana');
    for (const secret of [OLD, NEW]) expect(said).not.toContain(Buffer.from(secret.key).toString('base64'));
  });
});
