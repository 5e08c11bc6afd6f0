/** The installment query (section 4.6): every plan with its exact decimals. */

import { checkRequest } from '../../src/gateway/check';
import { INSTALLMENTS, readPlans } from '../../src/gateway/installments';
import { parseExact } from '../../src/gateway/json';
import { answerJson, failureOf, faults, gateways, type Json } from './support';

const open = gateways();
const plans = (text: string) => readPlans(parseExact(text) as Json);

test('a request has a currency and an amount, and nothing else', () => {
  expect(faults(() => checkRequest(INSTALLMENTS.rules, { method: 'CreditCard' }))).toEqual({
    currency: 'required',
    amount: 'required',
    method: 'unknown field',
  });
});

describe('a response', () => {
  test.each([
    ['{"stage":3,"amount_each":33.34,"amount":100.02,"rate":0.0199}', 'numbers'],
    ['{"stage":"3","amount_each":"33.34","amount":"100.02","rate":"0.0199"}', 'strings'],
  ])('may have %s', (plan) => {
    expect(plans(`{"fee":[${plan}]}`)).toEqual([{ stage: 3, amount_each: '33.34', amount: '100.02', rate: '0.0199' }]);
  });

  test('keeps trailing zeros and unknown fields, and may lack the rate', () => {
    expect(plans('{"fee":[{"stage":1,"amount_each":200.00,"amount":99999999999999.99,"label":"sem juros"}]}')).toEqual([
      { stage: 1, amount_each: '200.00', amount: '99999999999999.99', label: 'sem juros' },
    ]);
  });

  test('without a list of plans with their numbers of installments is unreadable', () => {
    for (const text of [
      '{}',
      '{"fee":"none"}',
      '{"fee":{}}',
      '{"fee":[{}]}',
      '{"fee":[{"stage":"all"}]}',
      '{"fee":[1]}',
    ]) {
      expect(plans(text)).toBeUndefined();
    }
  });

  test('without code and msg is a success by its plans', async () => {
    const gateway = await open.http(answerJson({ fee: [{ stage: 1, amount: '5.00' }] }));
    await expect(open.client(gateway).installments({ currency: 'BRL', amount: '5.00' })).resolves.toEqual([
      { stage: 1, amount: '5.00' },
    ]);
  });

  test('with a success code but no plans is unknown and retryable', async () => {
    const gateway = await open.http(answerJson({ code: '10000', msg: 'Success' }));
    const failure = await failureOf(open.client(gateway).installments({ currency: 'BRL', amount: '5.00' }));
    expect(failure).toMatchObject({ outcome: 'unknown', retryable: true });
    expect(failure.message).toContain('the success lacks fee');
  });
});
