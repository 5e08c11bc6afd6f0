/** What an operator's command says where Temporal, or something else, fails in the middle of it. */
import { ServiceError, WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { answered } from '../../src/cli/operator/decide';
import { tellFailure } from '../../src/cli/tell-failure';
import { GRPC_STATUS } from '../../src/temporal/call-errors';
import { FakeTemporal } from '../webhook/support';

const { argv } = process;
let [out, errors] = ['', ''];
beforeEach(() => {
  [out, errors] = ['', ''];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    errors += String(text);
    return true;
  });
});
afterEach(() => {
  process.argv = argv;
  jest.restoreAllMocks();
});

function refusal(code: number, details = 'Request unauthorized.'): ServiceError {
  const cause = Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} });
  return new ServiceError('Failed to list', { cause });
}

test.each(['PERMISSION_DENIED', 'UNAUTHENTICATED'] as const)('%s of Temporal is a sentence and exit code 2', (name) => {
  expect(tellFailure(refusal(GRPC_STATUS[name]))).toBe(2);
  expect(errors).toMatch(/^Temporal refuses it: .*Request unauthorized\.\n$/);
  expect(out).toBe('');
});

test('an error that nobody foresaw is a line of JSON for programs, and keeps its stack on standard error', () => {
  process.argv = [...argv, '--json'];
  expect(tellFailure(refusal(GRPC_STATUS.ALREADY_EXISTS))).toBe(1);
  expect(JSON.parse(out)).toEqual({ error: { type: 'Unexpected', message: expect.stringContaining('unauthorized') } });
  expect(errors).toMatch(/^ServiceError: Failed to list\n +at /);
});

describe('where Temporal restarts while a command reads', () => {
  const { env } = process;
  afterEach(() => {
    process.env = env;
  });

  test.each([
    ['UNAVAILABLE', '10.0.0.1:7233', '10.0.0.1:7233'],
    ['RESOURCE_EXHAUSTED', '', 'localhost:7233'],
  ] as const)('%s is a sentence with the address, and the exit code of what is not known yet', (name, set, address) => {
    process.env = { TEMPORAL_ADDRESS: set, GATEWAY_APP_ID: 'shop', TEMPORAL_API_KEY: 'canary' };
    expect(tellFailure(refusal(GRPC_STATUS[name], 'no connection'))).toBe(3);
    expect(errors).toBe(
      `Temporal cannot be reached at ${address}, or takes no calls just now (${GRPC_STATUS[name]}: no connection). Ask again in a moment. If it stays so, run npx payment-gateway dev in this folder, or set TEMPORAL_ADDRESS.\n`,
    );
    expect(out).toBe('');
  });

  test('programs get it as a line of JSON', () => {
    process.argv = [...argv, '--json'];
    expect(tellFailure(refusal(GRPC_STATUS.UNAVAILABLE))).toBe(3);
    const message = expect.stringContaining('Temporal cannot be reached at');
    expect(JSON.parse(out)).toEqual({ error: { type: 'TemporalUnreachableError', message } });
    expect(errors).toBe('');
  });
});

const { client } = new FakeTemporal();
const told = { workflowId: 'after-sale:shop:order-1', update: 'resolve', settles: null, before: null };
const failing = (error: Error) => async () => {
  throw error;
};
const TASK_FAILS = refusal(
  GRPC_STATUS.FAILED_PRECONDITION,
  'Unable to perform workflow execution update: Workflow Task in failed state.',
);
const LATE = new WorkflowUpdateRPCTimeoutOrCancelledError('late');

test.each([
  [
    'whose task fails each time',
    TASK_FAILS,
    /^resolve of after-sale:\S+ was not taken: .*PAYMENTS_ENCRYPTION_KEYS.*runbook/,
  ],
  [
    'that Temporal’s restart broke off',
    refusal(GRPC_STATUS.UNAVAILABLE),
    /^resolve of .* Temporal could not be reached.*show/,
  ],
  ['that nobody answers in time', LATE, /^resolve of .* is not answered yet\. It may still be/],
])('a decision on a workflow %s ends with a sentence, and is not known yet', async (_, error, said) => {
  expect(await answered({ client }, { ...told, send: failing(error) }, {})).toBe(3);
  expect(errors).toMatch(said);
  expect(errors).not.toMatch(/^ +at /m);
});

test.each([
  ['is not answered', LATE, 3, /^Nothing was decided: before resolve, recheck of after-sale:\S+ is not answered yet/],
  ['is not taken', TASK_FAILS, 3, /^Nothing was decided: before resolve, recheck of after-sale:\S+ was not taken/],
  [
    'is refused',
    new WorkflowUpdateFailedError(
      'failed',
      ApplicationFailure.create({ type: 'PaymentPending', message: '5 callers wait' }),
    ),
    1,
    /^Nothing was decided: before resolve, recheck of after-sale:\S+: 5 callers wait/,
  ],
] as const)(
  'where the look before a decision %s, nothing was decided, and the command says so',
  async (_, error, code, said) => {
    const send = jest.fn();
    expect(await answered({ client }, { ...told, before: failing(error), send }, {})).toBe(code);
    expect(errors).toMatch(said);
    expect(errors).not.toContain('It may still be:');
    expect(send).not.toHaveBeenCalled();
  },
);

test.each([
  ['no-answer', 3],
  [null, 0],
])('a recheck after which the state has the attention %s ends with the exit code %s', async (attention, code) => {
  const send = async () => ({ attention });
  expect(await answered({ client }, { ...told, update: 'recheck', send }, {})).toBe(code);
});
