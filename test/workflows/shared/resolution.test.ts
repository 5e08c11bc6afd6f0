/** What a decision has to say of who made it, and why (promise 8). */
import { assertResolution } from '../../../src/workflows/shared/request-rules';

const DECISION = { by: 'ana', reason: 'looked' };

test.each([
  ['without a name', { by: undefined }],
  ['with the command’s own YOU as the name', { by: 'YOU' }],
  ['without a reason', { reason: '' }],
  ['with the command’s own WHY as the reason', { reason: 'WHY' }],
  ['with a reason of 100 kB', { reason: 'x'.repeat(100_000) }],
])('a decision %s is refused', (_how, said) => {
  expect(() => assertResolution({ ...DECISION, ...said })).toThrow('Nothing was changed.');
});

test('a decision with a name and a reason is taken', () => {
  expect(() => assertResolution(DECISION)).not.toThrow();
});
