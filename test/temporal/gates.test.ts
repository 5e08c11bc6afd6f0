/** Which gates a worker opens, and how Temporal learns of them. */
import { defaultPayloadConverter } from '@temporalio/common';
import { publishedGates } from '../../src/temporal/gates';

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
