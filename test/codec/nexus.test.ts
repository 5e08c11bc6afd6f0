/** Payloads of Nexus tasks: the codec has no context there, and yet the answer is for the workflow that asked. */
import type { Payload, SerializationContext } from '@temporalio/common';
import { asyncLocalStorage } from '@temporalio/nexus/lib/context';
import { EncryptionCodec } from '../../src/codec';
import { decoded, key, metadata, payload } from './support';

const PAYMENTS = key('payments');
const SHOP = key('shop');
const payments = new EncryptionCodec([PAYMENTS, SHOP], { refused: 'mark' });
const shop = new EncryptionCodec([SHOP]);

const workflow = (workflowId: string, namespace = 'shop'): SerializationContext => ({
  type: 'workflow',
  namespace,
  workflowId,
});
const SALE = workflow('sale-1');

/** Runs as the SDK runs a Nexus task. The codec uses nothing of the task but that it is one. */
const inTask = <T>(run: () => Promise<T>): Promise<T> => asyncLocalStorage.run(Object.create(null), run);

async function asked(question: Payload): Promise<Payload> {
  return inTask(async () => {
    await payments.decode([question]);
    const [answer] = await payments.encode([payload({ outcome: 'SUCCESS' })]);
    return answer ?? {};
  });
}

const questionOf = async (context: SerializationContext | undefined, by = shop, value: unknown = { app_id: 'a' }) =>
  (await by.encode([payload(value)], context))[0] ?? {};

test('an answer is encrypted with the key of the question, and only the workflow that asked reads it', async () => {
  const answer = await asked(await questionOf(SALE));
  expect(metadata(answer)).toMatchObject({
    'encryption-key-id': 'shop',
    'encryption-context': '["shop","sale-1"]',
  });
  const [read = {}] = await shop.decode([answer], SALE);
  expect(decoded(read)).toEqual({ outcome: 'SUCCESS' });
  await expect(shop.decode([answer], workflow('sale-2'))).rejects.toThrow(/made for another workflow/);
});

test('answers of tasks that run at the same moment are not mixed up', async () => {
  const questions = await Promise.all(['one', 'two', 'three'].map((id) => questionOf(workflow(id))));
  const answers = await Promise.all(questions.map(asked));
  expect(answers.map((answer) => metadata(answer)['encryption-context'])).toEqual(
    ['one', 'two', 'three'].map((id) => `["shop","${id}"]`),
  );
});

test('a task without a question has an answer that no workflow reads', async () => {
  const [answer = {}] = await inTask(() => payments.encode([payload({ outcome: 'SUCCESS' })]));
  expect(metadata(answer)).not.toHaveProperty('encryption-context');
  await expect(shop.decode([answer], SALE)).rejects.toThrow();
});

test.each<[string, () => Promise<Payload>]>([
  ['in clear text', async () => payload({ app_id: 'a' })],
  ['of a key that the payments do not have', () => questionOf(SALE, new EncryptionCodec([key('other')]))],
  ['that was moved from one of our workflows', () => questionOf(workflow('after-sale:a:1', 'payments'), payments)],
  [
    'that was moved from an activity',
    () => questionOf({ type: 'activity', namespace: 'shop', workflowId: 'sale-1', activityId: '1', isLocal: false }),
  ],
  ['that a person has typed', () => questionOf({ type: 'workflow', namespace: 'shop', workflowId: '' })],
  ['without an owner', () => questionOf(undefined)],
])('a question %s is refused for good, and the refusal is readable without keys', async (_, make) => {
  const question = await make();
  const codecs = [payments, new EncryptionCodec([PAYMENTS, SHOP], { refused: 'mark', acceptsClearText: true })];
  for (const codec of codecs) {
    await inTask(async () => {
      await expect(codec.decode([question])).rejects.toMatchObject({
        type: 'PayloadValidationError',
        nonRetryable: true,
      });
      const refusal = payload({ message: 'why' });
      expect(await codec.encode([refusal])).toEqual([refusal]);
    });
  }
});

test('outside of Nexus tasks nothing changes: without an owner, a payload is for who may look at all', async () => {
  const [one = {}] = await payments.encode([payload(1)]);
  expect(metadata(one)).toMatchObject({ 'encryption-key-id': 'payments' });
  expect(metadata(one)).not.toHaveProperty('encryption-context');
});
