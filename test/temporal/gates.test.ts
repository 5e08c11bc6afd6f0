/** Which gates a worker opens, and how Temporal learns of them. */
import { defaultPayloadConverter } from '@temporalio/common';
import { publishedGates, publishGates } from '../../src/temporal/gates';

test('gates that were published are read again', () => {
  const gates = { release: '1.2.0', reads: ['one', 'two'], opens: ['one'] };
  expect(publishedGates({ 'payments.gates': defaultPayloadConverter.toPayload(gates) })).toEqual(gates);
});

test.each([
  ['nothing', undefined],
  ['no entry of ours', {}],
  ['an entry in other words', { 'payments.gates': defaultPayloadConverter.toPayload({ gates: 1 }) }],
])('%s of a version says nothing of its gates', (_what, metadata) => {
  expect(publishedGates(metadata)).toBeUndefined();
});

describe('a worker that starts', () => {
  const version = { deploymentName: 'payments', buildId: 'one' };
  const refusal = (code: number) => Object.assign(new Error('no'), { code, details: 'no', metadata: {} });

  /** What Temporal is asked, where it answers so, and what is logged. */
  async function publishing(answers: readonly (Error | undefined)[], hasVersion = true) {
    const asked: object[] = [];
    const warned: string[] = [];
    const workerDeploymentOptions = {
      version,
      useWorkerVersioning: true as const,
      defaultVersioningBehavior: 'AUTO_UPGRADE' as const,
    };
    const options = { namespace: 'default', identity: 'w', ...(hasVersion ? { workerDeploymentOptions } : {}) };
    const updateWorkerDeploymentVersionMetadata = async (request: object) => {
      const answer = answers[asked.length];
      asked.push(request);
      if (answer) throw answer;
      return {};
    };
    const connection = { workflowService: { updateWorkerDeploymentVersionMetadata } };
    const stop = new AbortController();
    await publishGates({ options, connection }, '1.0.0', stop.signal, (message) => warned.push(message));
    return { asked, warned };
  }

  test('publishes its gates once Temporal knows its version', async () => {
    const { asked, warned } = await publishing([refusal(5), undefined]);
    expect(warned).toEqual([]);
    expect(asked).toHaveLength(2);
    const payload = defaultPayloadConverter.toPayload({ release: '1.0.0', reads: [], opens: [] });
    expect(asked.at(-1)).toMatchObject({ deploymentVersion: version, upsertEntries: { 'payments.gates': payload } });
  });

  test('warns where it may not, and goes on', async () => {
    const { asked, warned } = await publishing([refusal(7)]);
    expect(asked).toHaveLength(1);
    expect(warned).toEqual([expect.stringContaining('payment-gateway deploy')]);
  });

  test('publishes nothing without a version', async () => {
    expect(await publishing([], false)).toEqual({ asked: [], warned: [] });
  });
});
