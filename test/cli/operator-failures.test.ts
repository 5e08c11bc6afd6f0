/** What an operator's command says where Temporal, or something else, fails in the middle of it. */
import { ServiceError } from '@temporalio/client';
import { tellFailure } from '../../src/cli/operator/connection';
import { GRPC_STATUS } from '../../src/temporal/call-errors';

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

function refusal(code: number): ServiceError {
  const cause = Object.assign(new Error(`${code}: Request unauthorized.`), {
    ...{ code, details: 'Request unauthorized.', metadata: {} },
  });
  return new ServiceError('Failed to list', { cause });
}

test.each(['PERMISSION_DENIED', 'UNAUTHENTICATED'] as const)('%s of Temporal is a sentence and exit code 2', (name) => {
  expect(tellFailure(refusal(GRPC_STATUS[name]))).toBe(2);
  expect(errors).toMatch(/^Temporal refuses it: .*Request unauthorized\.\n$/);
  expect(out).toBe('');
});

test('an error that nobody foresaw is a line of JSON for programs, and keeps its stack on standard error', () => {
  process.argv = [...argv, '--json'];
  expect(tellFailure(refusal(GRPC_STATUS.UNAVAILABLE))).toBe(1);
  expect(JSON.parse(out)).toEqual({ error: { type: 'Unexpected', message: expect.stringContaining('unauthorized') } });
  expect(errors).toMatch(/^ServiceError: Failed to list\n +at /);
});
