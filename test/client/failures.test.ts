/** The failure of a workflow becomes the error that callers catch. */
import { ApplicationFailure } from '@temporalio/common';
import { AccountNotCanceledError, InvalidAccountError, InvalidOrderError, NotCreatedError } from '../../src/client';
import { accountErrorOf, paymentErrorOf, refundErrorOf } from '../../src/client/failures';

const failure = (type: string, ...details: unknown[]) => ApplicationFailure.nonRetryable('said', type, ...details);
const issues = [{ field: 'order_amount', rule: 'must be larger than 0' }];

test.each([
  ['an order', paymentErrorOf, InvalidOrderError],
  ['a refund', refundErrorOf, InvalidOrderError],
  ['an account', accountErrorOf, InvalidAccountError],
])('an InvalidRequest of %s keeps its issues', (_, read, kind) => {
  const error = read(failure('InvalidRequest', { issues }), 'no-1');
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({ message: 'said', issues, details: { issues } });
});

test.each([
  ['no details', []],
  ['details that are no object', ['text']],
  ['no list of them', [{ issues: 'text' }]],
])('an InvalidRequest with %s has no issues', (_, details) => {
  expect(paymentErrorOf(failure('InvalidRequest', ...details), 'no-1')).toMatchObject({ issues: [] });
  expect(accountErrorOf(failure('InvalidRequest', ...details), 'key-1')).toMatchObject({ issues: [] });
});

test('a refusal keeps the gateway’s code', () => {
  const details = { code: '40002', sub_code: 'invalid-signature' };
  const order = paymentErrorOf(failure('NotCreated', details), 'no-1');
  expect(order).toBeInstanceOf(NotCreatedError);
  expect(order).toMatchObject({ message: 'said', out_trade_no: 'no-1', details });
  const account = accountErrorOf(failure('NotCanceled', details), 'A1');
  expect(account).toBeInstanceOf(AccountNotCanceledError);
  expect(account).toMatchObject({ message: 'said', key: 'A1', details });
});

test.each([
  ['a failure of another type', failure('Other')],
  ['no failure', new Error('x')],
  ['nothing', undefined],
])('%s gives no error of ours', (_, cause) => {
  for (const read of [paymentErrorOf, refundErrorOf, accountErrorOf]) expect(read(cause, 'x')).toBeUndefined();
});
