/**
 * What the types of the client promise to a merchant's compiler. The lines that are never run are
 * compiled by `npm run typecheck`: each `@ts-expect-error` fails there where the compiler no longer objects.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import {
  isPaymentFailure,
  NotCreatedError,
  OverRefundError,
  type PaymentDataOf,
  type PaymentFailure,
  type PaymentsClient,
} from '../../src/client';
import { paymentErrorOf, refundErrorOf } from '../../src/client/failures';
import { dataOfCheckout, dataOfMethod, dataOfRefund } from '../../src/client/payment-data';
import type { MerchantEvent, PaymentState } from '../../src/contract';
import { parseDirectPayment, parseRefund } from '../../src/gateway';
import { built } from '../harness/built';
import { ROOT } from '../harness/terminal';

const order = { out_trade_no: 'o-1', order_currency: 'BRL', order_amount: '1.00', subject: 's', buyer_id: 'b' };

/** Compiled only. */
export async function compiled(payments: PaymentsClient, state: PaymentState): Promise<void> {
  const pix = await payments.pay({ ...order, method: 'PIX' });
  if (pix.complete) pix.qr_code satisfies string;
  // @ts-expect-error: after a lost answer the code may be missing
  pix.qr_code satisfies string;
  // @ts-expect-error: a PIX has no barcode
  pix.barcode satisfies string | undefined;

  const boleto = await payments.pay({ ...order, method: 'Boleto' });
  if (boleto.complete) boleto.barcode satisfies string;
  const spei = await payments.pay({ ...order, method: 'SPEI' });
  if (spei.complete) [spei.clabe, spei.bank_name] satisfies (string | undefined)[];

  // @ts-expect-error: a misspelt field of a PIX
  pix.qrcode satisfies unknown;
  // @ts-expect-error: a PIX has no page of a wallet
  pix.wallet_url satisfies unknown;
  if ('new_field' in pix) pix.new_field satisfies unknown;

  const later = await payments.pay({ ...order, method: 'a method that is new' as string });
  [later.pay_url, later.qr_code] satisfies (string | undefined)[];
  // @ts-expect-error: what the gateway may add is not known
  later.new_field satisfies string;
  await payments.pay({ ...order, method: 'PIX', order_currency: 'XTS' as string });
  // @ts-expect-error: a misspelt method
  await payments.pay({ ...order, method: 'Pixx' });
  // @ts-expect-error: a method is written as the gateway writes it
  await payments.pay({ ...order, method: 'pix' });
  // @ts-expect-error: a currency is written in upper case
  await payments.pay({ ...order, method: 'PIX', order_currency: 'brl' });
  // @ts-expect-error: a PIX is paid in BRL
  await payments.pay({ ...order, method: 'PIX', order_currency: 'MXN' });
  await payments.pay({ ...order, method: 'BNCR', order_currency: 'USD' });
  await payments.pay({ ...order, method: 'CreditCard', order_currency: 'MXN' });
  // A setting of the worker may add a currency to a method.
  await payments.pay({ ...order, method: 'PIX', order_currency: 'USD' as string });
  // @ts-expect-error: a SPEI is paid in MXN
  await payments.createCheckout({ ...order, trade_type: 'WEB', method: 'SPEI', order_currency: 'BRL' });
  // @ts-expect-error: a misspelt method of a checkout
  await payments.createCheckout({ ...order, trade_type: 'WEB', method: 'Boletto' });

  const checkout = await payments.createCheckout({ ...order, trade_type: 'WEB', return_url: 'https://shop.example' });
  if (checkout.complete) checkout.web_url satisfies string;
  // @ts-expect-error: after a lost answer the address may be missing
  checkout.web_url satisfies string;
  const refunded = await payments.refund('o-1', { amount: '1.00' });
  [refunded.refund_status, refunded.trade_no] satisfies (string | undefined)[];
  // @ts-expect-error: a misspelt field
  refunded.refundStatus satisfies unknown;
  await payments.refund('o-1');
  // @ts-expect-error: an amount is a text
  await payments.refund('o-1', { amount: 1 });
  // @ts-expect-error: the currency is the order's
  await payments.refund('o-1', { amount: '1.00', refund_currency: 'BRL' });

  state.trade_status satisfies string | null;
  if (state.trade_status === 'SUCCESS' || state.method === 'PIX' || state.order_currency === 'BRL') return;
  // @ts-expect-error: an amount is a text
  await payments.pay({ ...order, method: 'PIX', order_amount: 1 });
  // @ts-expect-error: a misspelt field
  await payments.pay({ ...order, method: 'PIX', timeoutExpress: '90m' });
}

/** Compiled only: each branch knows what its event has. */
export function heard(event: MerchantEvent): string {
  switch (event.type) {
    case 'transition':
      return `${event.transition.to} ${event.payment.outcome}`;
    case 'attention':
    case 'attention.overdue':
      // @ts-expect-error: what needs a person is no transition
      event.transition satisfies unknown;
      return event.payment.attention satisfies string;
    case 'sold':
    case 'attention.cleared':
      event.payment.attention satisfies null;
      return `${event.payment.outcome}`;
    case 'refund':
      return `${event.refund.outcome} ${event.refund.failure?.message}`;
    case 'failed':
      return `${event.failure.type} ${event.failure.message}`;
    case 'deposit':
      return event.deposit.amount;
    case 'deposit-set-aside':
      return event.set_aside.because;
    case 'account-status':
    case 'account-attention':
    case 'account-attention.overdue':
    case 'account-attention.cleared':
      return `${event.account.status} ${event.account.attention}`;
    case 'stuck-payments':
      return `${event.sweep.stuck}`;
    default:
      return event satisfies never;
  }
}

/** Compiled, and run below: each branch knows the fields of its error. */
function told(error: PaymentFailure): string {
  switch (error.type) {
    case 'InvalidRequest':
      return error.issues.map(({ field, rule }) => `${field} ${rule}`).join();
    case 'NotCreated':
      return `${error.code} ${error.sub_code} ${error.may_exist}`;
    case 'OverRefund':
      return `left ${error.left satisfies string}`;
    case 'DifferentRequest':
      return error.fields.join();
    case 'DuplicateOrder':
      return `${error.trade_no} ${error.trade_status} ${error.order_amount}`;
    case 'PaymentPending':
      return `${error.because satisfies 'PaymentPending' | 'RefundPending' | 'Closing' | 'NotAnswered'} ${error.code}`;
    case 'NotCanceled':
      return `${error.outcome} ${error.trade_status}`;
    case 'NotRefunded':
      return `${error.out_request_no} ${error.outcome} ${error.ledger_complete} ${error.resolved?.by} ${error.http_status}`;
    case 'DuplicateRefund':
    case 'NotFound':
      return error.message;
    default:
      return error satisfies never;
  }
}

test('an error tells its literal type, its fields, and whether the same call may succeed later', () => {
  const refused: unknown = new NotCreatedError('no', 'o-1', { code: '40002', sub_code: 'x', retryable: true });
  if (!isPaymentFailure(refused)) throw new Error('It is one.');
  expect(told(refused)).toBe('40002 x false');
  expect(refused.retryable).toBe(true);
  expect(new NotCreatedError('no', 'o-1', { retryable: true, may_exist: true }).retryable).toBe(false);
  expect(told(new OverRefundError('no', 'o-1', { left: '3.00' }))).toBe('left 3.00');
  expect(isPaymentFailure(new Error('NotCreated'))).toBe(false);
});

test.each([
  [
    refundErrorOf,
    'DuplicateOrder',
    { trade_no: 'T1', trade_status: 'SUCCESS', order_amount: '1.00' },
    'T1 SUCCESS 1.00',
  ],
  [refundErrorOf, 'RefundPending', {}, 'RefundPending undefined'],
  [refundErrorOf, 'NotAnswered', { code: '20000' }, 'NotAnswered 20000'],
  [paymentErrorOf, 'PaymentPending', { code: '20000' }, 'PaymentPending 20000'],
  [paymentErrorOf, 'NotCanceled', { outcome: 'CANCEL', trade_status: 'CANCEL' }, 'CANCEL CANCEL'],
  [
    refundErrorOf,
    'NotRefunded',
    {
      out_request_no: 'r-1',
      outcome: 'REFUSED',
      resolved: { by: 'ana', reason: 'x' },
      ledger_complete: false,
      http_status: 200,
    },
    'r-1 REFUSED false ana 200',
  ],
] as const)('the details of a failure are fields of its error (%#: %s %s)', (read, type, details, said) => {
  const error: unknown = read(ApplicationFailure.nonRetryable('said', type, details), 'o-1');
  if (!isPaymentFailure(error)) throw new Error('It is one.');
  expect(told(error)).toBe(said);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject(details);
});

test('an error as JSON has its type, and its details beside the number of the order', () => {
  const error = new OverRefundError('Too much.', 'o-1', { left: '3.00' });
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    ...{ type: 'OverRefund', message: 'Too much.', out_trade_no: 'o-1', retryable: false, left: '3.00' },
  });
});

test('a checkout is complete with its address, and not without', () => {
  const data = { out_trade_no: 'o-1', trade_no: 'T1', trade_status: 'PROCESSING' };
  const web_url = 'https://pay.example/T1';
  expect(dataOfCheckout({ ...data, web_url, recovered: false })).toEqual({
    ...data,
    web_url,
    recovered: false,
    complete: true,
  });
  expect(dataOfCheckout({ ...data, recovered: true })).toEqual({ ...data, recovered: true, complete: false });
  expect(dataOfCheckout({ ...data, web_url: '', recovered: true })).toMatchObject({ complete: false });
});

test('the answer to a refund has texts where its type says so', () => {
  const known = { out_request_no: 'r-1', trade_no: 'T1', refund_status: 'REFUNDED', further: 1, recovered: false };
  expect(dataOfRefund({ ...known, refund_amount: 30 })).toEqual(known);
});

test('in a clone, too, programs get the built package: tsx follows `paths`, and shows ES modules nothing of an `export *` of sources', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
  expect(read('tsconfig.json').compilerOptions.paths).toBeUndefined();
  for (const [path, to] of Object.entries(z.record(z.string(), z.unknown()).parse(read('package.json').exports)))
    if (path !== './package.json')
      expect(to).toMatchObject({ 'source-of-a-clone': expect.stringMatching(/^\.\/src\//) });
});

describe('payment data of a PIX', () => {
  const data = { out_trade_no: 'o-1', trade_status: 'PROCESSING', qr_code: '0002', recovered: false };
  const read = (change: object): PaymentDataOf<'PIX'> => dataOfMethod('PIX', { ...data, ...change });

  test('is complete with its code', () => {
    expect(read({})).toEqual({ ...data, complete: true });
    expect(dataOfMethod('pix', data).complete).toBe(true);
  });

  test.each([
    ['without it', { qr_code: undefined }],
    ['with an empty one', { qr_code: '' }],
    ['with a number in its place', { qr_code: 2 }],
  ])('is not complete %s, and a field that is typed as text is text or absent', (_, change) => {
    const { complete, qr_code } = read(change);
    expect(complete).toBe(false);
    expect(qr_code === undefined || qr_code === '').toBe(true);
  });
});

test.each(['OXXO', 'Lottery', 'PSE', 'Efecty'])(
  'data of %s, which is paid on its page alone, is complete with the page',
  (method) => {
    const found = { out_trade_no: 'o-1', trade_status: 'PROCESSING', recovered: true };
    expect(dataOfMethod(method, found).complete).toBe(false);
    expect(dataOfMethod(method, { ...found, pay_url: 'https://gateway.example/pay' }).complete).toBe(true);
  },
);

describe('the published types', () => {
  let text = '';
  beforeAll(async () => {
    await built();
    text = readFileSync(join(ROOT, 'lib/gateway/orders.d.ts'), 'utf8');
  });

  test('say the rule of every field of an order beside it', () => {
    const lines = text.split('\n');
    const fields = lines.flatMap((line, at) =>
      /^ {4}\w+\??: /.test(line) ? [[line.trim(), lines[at - 1]?.trim()]] : [],
    );
    expect(fields.length).toBeGreaterThan(50);
    expect(fields.filter(([, above]) => !above?.endsWith('*/'))).toEqual([]);
  });

  test.each(['payments', 'accounts', 'connect'])('say at each call of client/%s how it is called', (file) => {
    const lines = readFileSync(join(ROOT, `lib/client/${file}.d.ts`), 'utf8').split('\n');
    const calls = lines.flatMap((line, at) => {
      const [, name] = /^(?: {4}|export declare function )(?!constructor|close)(\w+)(?:<.*)?\(/.exec(line) ?? [];
      return name === undefined ? [] : [{ name, above: lines.slice(0, at).join('\n') }];
    });
    expect(calls.length).toBeGreaterThan(0);
    const commentAbove = (above: string) => above.slice(above.lastIndexOf('/**'));
    expect(calls.filter(({ above }) => !commentAbove(above).includes('@example')).map(({ name }) => name)).toEqual([]);
  });

  test.each<[string, (input: unknown) => unknown]>([
    ['OrderFields', parseDirectPayment],
    ['RefundOptions', parseRefund],
  ])('name the limit of each text of %s that the rules have', (type, parse) => {
    const block = new RegExp(`export type ${type} = \\{(.*?)\\n\\};`, 's').exec(text)?.[1] ?? '';
    const said = [...block.matchAll(/at most (\d+) characters[^\n]*\n {4}(\w+)\??:/g)];
    expect(said.length).toBeGreaterThan(1);
    for (const [, limit = '', field = ''] of said) {
      expect([field, rulesBroken(parse, { [field]: 'x'.repeat(Number(limit) + 1) })]).toEqual([
        field,
        `at most ${limit} characters`,
      ]);
      expect([field, rulesBroken(parse, { [field]: 'x'.repeat(Number(limit)) })]).not.toEqual([
        field,
        `at most ${limit} characters`,
      ]);
    }
  });
});

const wrong = z.object({ issues: z.array(z.object({ field: z.string(), rule: z.string() })) });

/** The rule that the one given field breaks; undefined for none. */
function rulesBroken(parse: (input: unknown) => unknown, input: Record<string, unknown>): string | undefined {
  try {
    parse(input);
  } catch (error) {
    return wrong.parse(error).issues.find(({ field }) => field in input)?.rule;
  }
  return undefined;
}
