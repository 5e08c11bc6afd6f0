/** Virtual accounts by SPEI (sections 2.3, 3.2 and 4.8). */
import { parseNewSpeiAccount } from '../../src/gateway';
import { checkRequest } from '../../src/gateway/check';
import { ACCOUNT_QUANTITY, CANCEL_ACCOUNT, QUERY_ACCOUNT } from '../../src/gateway/virtual-accounts';
import { operation } from './operations';
import { answerJson, edited, failureOf, faults, gateways, type Json } from './support';

const open = gateways();
const { request } = operation('/virtual-account/spei/create');
const reading = (changes: Json) => faults(() => parseNewSpeiAccount(edited(request, changes)));
const answering = async (body: unknown) => open.client(await open.http(answerJson(body)));

describe('a new account', () => {
  const REQUIRED = ['customer.buyer_id', 'customer.email', 'customer.identify.number', 'customer.identify.type'];

  test('requires a customer', () => {
    expect(Object.keys(reading({ customer: undefined })).sort()).toEqual([...REQUIRED].sort());
  });

  test('with fields of an order is refused', () => {
    expect(reading({ buyer_id: 'b-1', out_trade_no: 'o-1', 'customer.surname': 'Lima' })).toEqual({
      buyer_id: 'unknown field',
      out_trade_no: 'unknown field',
      'customer.surname': 'unknown field',
    });
  });
});

describe('the other requests', () => {
  test.each([CANCEL_ACCOUNT, QUERY_ACCOUNT])('$rules.operation has an account_id and nothing else', ({ rules }) => {
    expect(faults(() => checkRequest(rules, {}))).toEqual({ account_id: 'required' });
    expect(faults(() => checkRequest(rules, { account_id: '' }))).toEqual({ account_id: 'must not be empty' });
    expect(faults(() => checkRequest(rules, { account_id: 'a-1', reason: 'x' }))).toEqual({ reason: 'unknown field' });
  });

  test('the quantity requires nothing; a sample sends an account_id', () => {
    expect(faults(() => checkRequest(ACCOUNT_QUANTITY.rules, {}))).toEqual({});
    expect(faults(() => checkRequest(ACCOUNT_QUANTITY.rules, { account_id: 'a-1' }))).toEqual({});
    expect(faults(() => checkRequest(ACCOUNT_QUANTITY.rules, { region: 'MEX' }))).toEqual({ region: 'unknown field' });
  });
});

describe('an account in a response', () => {
  const account = { account_id: 'a-1', account_number: '646180157000000004', provider: 'STP', status: 'ACTIVE' };

  test('keeps all fields, with or without code and msg', async () => {
    const whole = { ...account, buyer_id: '0001', beneficiary_name: 'Gateway', limits: { day: 3 } };
    for (const body of [whole, { code: 10000, msg: 'Success', ...whole }]) {
      const client = await answering(body);
      await expect(client.createSpeiAccount(request)).resolves.toEqual(whole);
      await expect(client.querySpeiAccount('a-1')).resolves.toEqual(whole);
      await expect(client.cancelSpeiAccount('a-1')).resolves.toEqual(whole);
    }
  });

  test('keeps the digits of a CLABE that is a number', async () => {
    const gateway = await open.http((response) =>
      response.end('{"code":"10000","account_id":17,"account_number":646180157000000004}'),
    );
    await expect(open.client(gateway).createSpeiAccount(request)).resolves.toMatchObject({
      account_id: '17',
      account_number: '646180157000000004',
    });
  });

  test('may have an unknown status', async () => {
    const client = await answering({ ...account, status: 'FROZEN' });
    await expect(client.querySpeiAccount('a-1')).resolves.toMatchObject({ status: 'FROZEN' });
  });

  test('has the requested id if the response has none', async () => {
    const client = await answering({ code: '10000', status: 'CANCELED' });
    await expect(client.cancelSpeiAccount('a-1')).resolves.toEqual({ account_id: 'a-1', status: 'CANCELED' });
  });

  test('without an id after a creation is unknown', async () => {
    const failure = await failureOf((await answering({ code: '10000', msg: 'Success' })).createSpeiAccount(request));
    expect(failure).toMatchObject({ outcome: 'unknown', operation: '/virtual-account/spei/create' });
  });

  test('without a status after a query is unknown', async () => {
    const client = await answering({ code: '10000', account_id: 'a-1' });
    expect(await failureOf(client.querySpeiAccount('a-1'))).toMatchObject({ outcome: 'unknown', retryable: true });
  });
});

describe('the quantity', () => {
  test.each<[Json, number]>([
    [{ code: '10000', available_quantity: 3 }, 3],
    [{ available_quantity: '0' }, 0],
    [{ used: 2000, unused: 1000 }, 1000],
  ])('%j means %i left', async (body, left) => {
    await expect((await answering(body)).speiAccountQuantity()).resolves.toMatchObject({ available_quantity: left });
  });

  test.each([{ code: '10000' }, { code: '10000', available_quantity: '' }, { available_quantity: 'many' }])(
    '%j is unreadable',
    async (body) => {
      const failure = await failureOf((await answering(body)).speiAccountQuantity());
      expect(failure).toMatchObject({ outcome: 'unknown', retryable: true });
    },
  );
});
