/** A workflow's failure as the error that callers catch, for payments and virtual accounts alike. */
import { ApplicationFailure } from '@temporalio/common';
import { AccountNotCanceledError, InvalidAccountError, InvalidOrderError, NotCreatedError } from '../../src/client';
import { fromAccountFailure } from '../../src/client/account-errors';
import { fromFailure, fromRefundFailure } from '../../src/client/errors';

const failure = (type: string, ...details: unknown[]) => ApplicationFailure.nonRetryable('said', type, ...details);
const issues = [{ field: 'order_amount', rule: 'must be larger than 0' }];

test.each([
  ['an order', fromFailure, InvalidOrderError],
  ['a refund', fromRefundFailure, InvalidOrderError],
  ['an account', fromAccountFailure, InvalidAccountError],
])('names the fields of %s that break a rule', (_, read, kind) => {
  const error = read(failure('InvalidRequest', { issues }), 'no-1');
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({ message: 'said', issues, details: { issues } });
});

test.each([
  ['no details', []],
  ['details that are no object', ['text']],
  ['no list of them', [{ issues: 'text' }]],
])('names no field where there are %s', (_, details) => {
  expect(fromFailure(failure('InvalidRequest', ...details), 'no-1')).toMatchObject({ issues: [] });
  expect(fromAccountFailure(failure('InvalidRequest', ...details), 'key-1')).toMatchObject({ issues: [] });
});

test('carries what the gateway said', () => {
  const details = { code: '40002', sub_code: 'invalid-signature' };
  const order = fromFailure(failure('NotCreated', details), 'no-1');
  expect(order).toBeInstanceOf(NotCreatedError);
  expect(order).toMatchObject({ message: 'said', out_trade_no: 'no-1', details });
  const account = fromAccountFailure(failure('NotCanceled', details), 'A1');
  expect(account).toBeInstanceOf(AccountNotCanceledError);
  expect(account).toMatchObject({ message: 'said', key: 'A1', details });
});

test.each([
  ['a failure of another type', failure('Other')],
  ['no failure', new Error('x')],
  ['nothing', undefined],
])('%s is none of ours', (_, cause) => {
  for (const read of [fromFailure, fromRefundFailure, fromAccountFailure]) expect(read(cause, 'x')).toBeUndefined();
});
