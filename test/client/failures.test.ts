/** The failure of a workflow becomes the error that callers catch. */
import { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  AccountNotCanceledError,
  AccountPendingError,
  InvalidAccountError,
  InvalidOrderError,
  isPaymentFailure,
  NotAnsweredError,
  NotCreatedError,
  PaymentPendingError,
  PaymentsClient,
} from '../../src/client';
import { accountErrorOf, paymentErrorOf, refundErrorOf } from '../../src/client/failures';
import { GRPC_STATUS } from '../../src/temporal/call-errors';
import { connectOnceAsked } from '../../src/temporal/closed-connection';
import { publishedOrder } from '../harness/orders';
import { thrownBy } from '../harness/thrown';
import { FakeTemporal, GRPC } from '../webhook/support';

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

// At a deadline the server may cancel the call before the client gives it up.
test.each([
  ['does not answer in time', GRPC.DEADLINE_EXCEEDED],
  ['cancels the call at its deadline', GRPC.CANCELLED],
])('where Temporal %s, a payment and an account are pending: nobody knows what became of them', async (_, code) => {
  const temporal = new FakeTemporal();
  const payments = new PaymentsClient({ client: temporal.client, app_id: 'shop-1', answerTimeoutMs: 1_000 });
  const identify = { type: 'CURP', number: 'HESO900101MDFRFF09' };
  const customer = { buyer_id: 'buyer-mx-1', name: 'Sofía Hernández', email: 'sofia@example.com', identify };
  temporal.failures = [code];
  await expect(payments.accounts.create({ customer })).rejects.toThrow(AccountPendingError);
  temporal.failures = [code];
  await expect(payments.createCheckout(publishedOrder('checkout'))).rejects.toThrow(PaymentPendingError);
  temporal.failures = [code];
  await expect(payments.state('order-1')).rejects.toThrow(PaymentPendingError);
});

test('where Temporal was never reached, nobody is told that it keeps the order', async () => {
  const connection = connectOnceAsked({ address: '127.0.0.1:1' });
  const payments = new PaymentsClient({ client: new Client({ connection }), app_id: 'shop-1', answerTimeoutMs: 1_000 });
  const error = await thrownBy(payments.createCheckout(publishedOrder('checkout')));
  await connection.close();
  expect(error).toBeInstanceOf(PaymentPendingError);
  expect(error).not.toMatchObject({ message: expect.stringContaining('Temporal keeps order') });
});

// A restart of Temporal, or a connection that was reset: the call may have been taken, so no caller may give it up.
test.each(['UNAVAILABLE', 'INTERNAL', 'UNKNOWN', 'RESOURCE_EXHAUSTED'] as const)(
  'where Temporal cannot be reached (%s), every call says that the same call may help',
  async (name) => {
    const temporal = new FakeTemporal();
    const { client } = temporal;
    const payments = new PaymentsClient({ client, app_id: 'shop-1', answerTimeoutMs: 1_000 });
    const customer = { buyer_id: 'buyer-mx-1', name: 'Sofía Hernández', email: 'sofia@example.com' };
    const identify = { type: 'CURP', number: 'HESO900101MDFRFF09' };
    const calls: Record<string, () => Promise<unknown>> = {
      pay: () => payments.createCheckout(publishedOrder('checkout')),
      state: () => payments.state('order-1'),
      cancel: () => payments.cancel('order-1'),
      refund: () => payments.refund('order-1'),
      refunds: () => payments.refunds('order-1'),
      banks: () => payments.banks({ method: 'OpenFinance' }),
      'accounts.create': () => payments.accounts.create({ customer: { ...customer, identify } }),
      'accounts.get': () => payments.accounts.get('A1'),
      'accounts.deposits': () => payments.accounts.deposits('A1'),
      'accounts.cancel': () => payments.accounts.cancel('A1'),
      'accounts.recheck': () => payments.accounts.recheck('A1'),
      'accounts.quantity': () => payments.accounts.quantity(),
    };
    const told: Record<string, unknown> = {};
    for (const [call, ask] of Object.entries(calls)) {
      temporal.failures = [GRPC_STATUS[name]];
      const error = await thrownBy(ask());
      told[call] =
        isPaymentFailure(error) || error instanceof AccountPendingError || error instanceof NotAnsweredError
          ? [error.type, error.retryable]
          : error;
    }
    const pending = ['PaymentPending', true];
    const asked = Object.keys(calls).map((call) => [call, call === 'banks' ? ['NotAnswered', true] : pending]);
    expect(told).toEqual(Object.fromEntries(asked));
  },
);

test('where Temporal cannot be reached, the message names the order, and says that the same call is safe', async () => {
  const temporal = new FakeTemporal();
  const payments = new PaymentsClient({ client: temporal.client, app_id: 'shop-1', answerTimeoutMs: 1_000 });
  temporal.failures = [GRPC_STATUS.UNAVAILABLE];
  const said = /^Temporal could not be reached.* order order-1: it may have\. Make the same call again, .*safe/;
  await expect(payments.state('order-1')).rejects.toThrow(said);
});
