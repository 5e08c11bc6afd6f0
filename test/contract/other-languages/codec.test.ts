/** The encryption format in TypeScript and Python: each reads what the other writes, and both refuse the same. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Payload } from '@temporalio/common';
import { z } from 'zod';
import { EncryptionCodec, PayloadDecryptionError } from '../../../src/codec';
import type { PayloadOwner } from '../../../src/codec/payload-owner';
import { key, metadata, payload, setting } from '../../codec/support';
import { pythonWith } from '../../harness/python';
import { PythonForks } from '../../harness/python-forks';

const EXAMPLE = join(__dirname, '../../../clients/python');

const OLD = key('2026-01');
const NEW = key('2026-07');
const codec = new EncryptionCodec([NEW, OLD]);

const HERE: PayloadOwner = { namespace: 'payments', workflowId: 'payment:app-1:order-1' };
const ELSEWHERE: PayloadOwner = { namespace: 'payments', workflowId: 'payment:app-1:order-2' };
const ANOTHER_NAMESPACE: PayloadOwner = { ...HERE, namespace: 'staging' };
const NAMESPACE_ALONE: PayloadOwner = { namespace: 'payments' };
const ACTIVITY: PayloadOwner = { ...HERE, type: 'activity', activityId: '7' };

/** The owners that a payload may be encrypted for. */
const OWNERS = [
  undefined,
  NAMESPACE_ALONE,
  HERE,
  ACTIVITY,
  { namespace: 'pagos é', workflowId: 'payment:"1"\\\n\u2028:pedido-ñ-😀' },
];
const MIGRATING = { PAYMENTS_ENCRYPTION_KEYS: setting(NEW, OLD), PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT: 'true' };
const VALUES = [
  { customer: { name: 'Mariana Souza Lima 😀' } },
  'text',
  0,
  null,
  undefined,
  new Uint8Array([0, 255]),
  [],
];

let folder: string;
let forks: PythonForks;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'codec-'));
  forks = await PythonForks.start(await pythonWith(join(EXAMPLE, 'requirements.txt')), folder, EXAMPLE);
});

afterAll(async () => {
  await forks?.end();
  if (folder) await rm(folder, { recursive: true, force: true });
});

interface Task {
  do: 'encode' | 'decode';
  payload: Payload;
  owner?: PayloadOwner | undefined;
  settings?: Record<string, string>;
}

const base64Bytes = z.base64().transform((text) => Buffer.from(text, 'base64'));
const answer = z.union([
  z.strictObject({ payload: z.strictObject({ metadata: z.record(z.string(), base64Bytes), data: base64Bytes }) }),
  z.strictObject({ error: z.string(), message: z.string() }),
  z.strictObject({ encrypts: z.literal(false) }),
]);
type Answer = z.output<typeof answer>;

const base64 = (bytes?: Uint8Array | null) => Buffer.from(bytes ?? []).toString('base64');

/** Runs the tasks in Python, in order. `keys`: its PAYMENTS_ENCRYPTION_KEYS. */
async function inPython(tasks: Task[], keys = setting(NEW, OLD)): Promise<Answer[]> {
  const file = join(folder, 'tasks.json');
  const given = tasks.map(({ payload: { metadata: fields, data }, ...task }) => ({
    ...task,
    payload: {
      metadata: Object.fromEntries(Object.entries(fields ?? {}).map(([name, bytes]) => [name, base64(bytes)])),
      data: base64(data),
    },
  }));
  await writeFile(file, JSON.stringify(given));
  const program = forks.run([join(__dirname, 'codec_program.py'), file], {
    PATH: process.env.PATH,
    PYTHONPATH: EXAMPLE,
    PYTHONDONTWRITEBYTECODE: '1',
    ...(keys === '' ? {} : { PAYMENTS_ENCRYPTION_KEYS: keys }),
  });
  const { code, printed, complaint } = await program.end();
  expect({ code, complaint, answers: printed.length }).toEqual({
    code: 0,
    complaint: undefined,
    answers: tasks.length,
  });
  return printed.map((one) => answer.parse(one));
}

const payloadsOf = (answers: Answer[]): Payload[] =>
  answers.map((answer) => {
    if ('payload' in answer) return answer.payload;
    throw new Error(`Python gave no payload: ${JSON.stringify(answer)}`);
  });

async function encrypted(value: unknown, owner?: PayloadOwner, by = codec): Promise<Payload> {
  const [one] = await by.encode([payload(value)], owner);
  if (!one) throw new Error('Nothing was encrypted.');
  return one;
}

/** A payload's content, for comparison. */
const content = ({ data, ...one }: Payload) => ({ metadata: metadata(one), data: base64(data) });

const CASES = OWNERS.flatMap((owner) => VALUES.map((value) => ({ owner, clear: payload(value) })));

test('Python decrypts what TypeScript encrypted', async () => {
  const tasks = await Promise.all(
    CASES.map(async ({ owner, clear }): Promise<Task> => {
      const [one = {}] = await codec.encode([clear], owner);
      return { do: 'decode', payload: one, owner };
    }),
  );
  expect(payloadsOf(await inPython(tasks)).map(content)).toEqual(CASES.map(({ clear }) => content(clear)));
});

test('TypeScript decrypts what Python encrypted, and both write the same metadata', async () => {
  const written = payloadsOf(
    await inPython(CASES.map(({ owner, clear }) => ({ do: 'encode', payload: clear, owner }))),
  );
  for (const [i, { owner, clear }] of CASES.entries()) {
    const [one = {}] = await codec.decode([written[i] ?? {}], owner);
    expect(content(one)).toEqual(content(clear));
    expect(metadata(written[i] ?? {})).toEqual(metadata(await encrypted('anything', owner)));
  }
  const texts = written.map(({ data }) => base64(data));
  expect(new Set(texts).size).toBe(CASES.length);
});

test('both refuse clear text, Python takes it while keys are introduced, and decrypts with the older key', async () => {
  const clear = payload('from before');
  const refused = { error: 'PayloadDecryptionError', message: expect.stringContaining('it is in clear text') };
  expect(await inPython([{ do: 'decode', payload: clear, owner: HERE }])).toEqual([refused]);
  await expect(codec.decode([clear], HERE)).rejects.toThrow('it is in clear text');
  const old = await encrypted('old', HERE, new EncryptionCodec([OLD]));
  const read = await inPython([
    { do: 'decode', payload: clear, owner: HERE, settings: MIGRATING },
    { do: 'decode', payload: old, owner: HERE },
  ]);
  expect(payloadsOf(read).map(content)).toEqual([content(clear), content(payload('old'))]);
});

test('both accept a payload if only one side knows its namespace or workflow', async () => {
  const scheduled = { namespace: 'payments', workflowId: 'nightly-2026-03-02T12:00:00Z' };
  const pairs: [made: PayloadOwner | undefined, read: PayloadOwner | undefined][] = [
    [NAMESPACE_ALONE, HERE],
    [{ ...ACTIVITY, activityId: undefined }, ACTIVITY],
    [HERE, NAMESPACE_ALONE],
    [HERE, undefined],
    [{ ...scheduled, workflowId: 'nightly' }, scheduled],
  ];
  const news = { by: 'ana' };
  const clear = content(payload(news));
  const made = await Promise.all(pairs.map(([owner]) => encrypted(news, owner)));
  const read = await inPython(made.map((one, i) => ({ do: 'decode', payload: one, owner: pairs[i]?.[1] })));
  expect(payloadsOf(read).map(content)).toEqual(pairs.map(() => clear));

  const byPython = payloadsOf(
    await inPython(pairs.map(([owner]) => ({ do: 'encode', payload: payload(news), owner }))),
  );
  for (const [i, [, reader]] of pairs.entries()) {
    const [one = {}] = await codec.decode([byPython[i] ?? {}], reader);
    expect(content(one)).toEqual(clear);
  }
});

const changed = (one: Payload, at: number): Payload => {
  const data = Buffer.from(one.data ?? []);
  const index = at < 0 ? data.length + at : at;
  data[index] = (data[index] ?? 0) ^ 1;
  return { ...one, data };
};
const cut = (one: Payload, length: number): Payload => ({
  ...one,
  data: Buffer.from(one.data ?? []).subarray(0, length),
});
const beside = (one: Payload, name: string, text: string): Payload => ({
  ...one,
  metadata: { ...one.metadata, [name]: Buffer.from(text) },
});
const without = (one: Payload, name: string): Payload => ({
  ...one,
  metadata: Object.fromEntries(Object.entries(one.metadata ?? {}).filter(([other]) => other !== name)),
});

const MOVED = /^A payload of workflow \S+ cannot be decrypted: it was made for another workflow, activity or namespace/;
const CHANGED =
  /^A payload of workflow \S+ cannot be decrypted: it was changed after its encryption, or it was encrypted with another key/;
const UNKNOWN =
  /^A payload of workflow \S+ cannot be decrypted: it was encrypted with the key ".*", and \S+ has 2026-07, 2026-01\./;
const stranger = new EncryptionCodec([key('somebody-else')]);
const namesake = new EncryptionCodec([key('2026-07')]);

/** Payloads that a reader at HERE must refuse, and the message. */
const REFUSED: [what: string, made: () => Promise<Payload>, words: RegExp][] = [
  ['an unknown key', () => encrypted('x', HERE, stranger), UNKNOWN],
  ['another key of the same name', () => encrypted('x', HERE, namesake), CHANGED],
  ['another workflow’s payload', () => encrypted('x', ELSEWHERE), MOVED],
  ['nobody’s payload', () => encrypted('x', undefined), MOVED],
  ['an activity’s payload', () => encrypted('x', ACTIVITY), MOVED],
  ['another namespace’s payload', () => encrypted('x', ANOTHER_NAMESPACE), MOVED],
  ['another namespace’s payload, without a workflow', () => encrypted('x', { namespace: 'staging' }), MOVED],
  [
    'moved, with a corrected context',
    async () => beside(await encrypted('x', ELSEWHERE), 'encryption-context', '["payments","payment:app-1:order-1"]'),
    CHANGED,
  ],
  [
    'moved, with the context removed',
    async () => without(await encrypted('x', ELSEWHERE), 'encryption-context'),
    MOVED,
  ],
  [
    'another key’s id in its metadata',
    async () => beside(await encrypted('x', HERE), 'encryption-key-id', '2026-01'),
    CHANGED,
  ],
  ['no key’s id in its metadata', async () => without(await encrypted('x', HERE), 'encryption-key-id'), UNKNOWN],
  [
    'a context that is not JSON',
    async () => beside(await encrypted('x', HERE), 'encryption-context', 'payments'),
    MOVED,
  ],
  [
    'a context that is not a list',
    async () => beside(await encrypted('x', HERE), 'encryption-context', '{"0":"payments"}'),
    MOVED,
  ],
  [
    'a context with a number',
    async () => beside(await encrypted('x', HERE), 'encryption-context', '["payments",1]'),
    MOVED,
  ],
  ['a changed salt', async () => changed(await encrypted('x', HERE), 0), CHANGED],
  ['a changed ciphertext', async () => changed(await encrypted('x', HERE), 32), CHANGED],
  ['a changed tag', async () => changed(await encrypted('x', HERE), -1), CHANGED],
  ['a tag cut short', async () => cut(await encrypted('x', HERE), -1), CHANGED],
  ['nothing but salt and a tag', async () => cut(await encrypted('x', HERE), 48), CHANGED],
  ['less than a salt', async () => cut(await encrypted('x', HERE), 20), CHANGED],
  ['nothing at all', async () => cut(await encrypted('x', HERE), 0), CHANGED],
];

test('both refuse a wrong payload with the same message', async () => {
  const made = await Promise.all(REFUSED.map(([, make]) => make()));
  const answers = await inPython(made.map((one) => ({ do: 'decode', payload: one, owner: HERE })));
  for (const [i, [what, , words]] of REFUSED.entries()) {
    expect([what, answers[i]]).toEqual([
      what,
      { error: 'PayloadDecryptionError', message: expect.stringMatching(words) },
    ]);
    const reason: unknown = await codec.decode([made[i] ?? {}], HERE).catch((error: unknown) => error);
    expect(reason).toBeInstanceOf(PayloadDecryptionError);
    expect([what, String(Reflect.get(Object(reason), 'message'))]).toEqual([what, expect.stringMatching(words)]);
  }
});

test('TypeScript refuses what Python encrypted for another workflow, or with another key', async () => {
  const task: Task = { do: 'encode', payload: payload('x'), owner: ELSEWHERE };
  const [moved = {}] = payloadsOf(await inPython([task]));
  await expect(codec.decode([moved], HERE)).rejects.toThrow(MOVED);
  const [foreign = {}] = payloadsOf(await inPython([{ ...task, owner: HERE }], setting(key('2026-07'))));
  await expect(codec.decode([foreign], HERE)).rejects.toThrow(CHANGED);
});

test('Python reads keys from the setting or its file, and no error quotes a key', async () => {
  const file = join(folder, 'keys');
  await writeFile(file, `${setting(NEW)}\n${setting(OLD)}\n`);
  const fromFile = { PAYMENTS_ENCRYPTION_KEYS_FILE: file };
  const one = await encrypted('x', HERE);
  const read: Task = { do: 'decode', payload: one, owner: HERE };
  expect(payloadsOf(await inPython([{ ...read, settings: fromFile }], '')).map(content)).toEqual([
    content(payload('x')),
  ]);
  const clear = { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' };
  expect(await inPython([read, { ...read, settings: { PAYMENTS_ENCRYPTION_KEYS: '' } }], '')).toEqual(
    [1, 2].map(() => ({ error: 'ConfigError', message: expect.stringContaining('is not set') })),
  );
  expect(await inPython([{ ...read, settings: clear }], '')).toEqual([{ encrypts: false }]);

  const secret = base64(NEW.key);
  const wrong = [`${setting(NEW)},${setting(NEW)}`, secret, `${setting(NEW)},x:${secret.slice(4)}`, ','];
  const refusals = await inPython(
    [
      { ...read, settings: { PAYMENTS_ENCRYPTION_KEYS: setting(NEW), ...fromFile } },
      ...wrong.map((text) => ({ ...read, settings: { PAYMENTS_ENCRYPTION_KEYS: text } })),
    ],
    '',
  );
  expect(refusals).toEqual([
    { error: 'ConfigError', message: expect.stringContaining('both set') },
    ...wrong.map(() => ({ error: 'ConfigError', message: expect.stringContaining('must be id:base64 of 32 bytes') })),
  ]);
  expect(JSON.stringify(refusals)).not.toContain(secret.slice(4));
});
