// The table of test/contract/interface drives every rule of sections 4 and 8. Here is what it does not drive.
import type { Simulator } from '../../src/simulator';
import { call, type Json, order, publishedOrders, start } from './support';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await start();
});
afterAll(() => simulator.close());

const paths: Record<string, string> = { direct: '/trade/pay', checkout: '/trade/create' };
let count = 0;
const unique = () => `rule-${++count}`;

/** The sub_code with which an order is refused; `null` if it is accepted. */
async function refusal(request: Json, path = '/trade/pay'): Promise<unknown> {
  const { status, body } = await call(simulator, path, request);
  expect(status).toBe(body.code === '10000' ? 200 : 400);
  return body.sub_code ?? null;
}

/** An order with a new number and some changes. */
const changed = (file: string, changes: Json) => order(file, { out_trade_no: unique(), ...changes });

describe('published orders', () => {
  test.each(publishedOrders())(
    '$file is accepted, with its payment data',
    async ({ kind, request, expect: expected }) => {
      const { body } = await call(simulator, paths[kind] ?? '', {
        notify_url: 'https://shop.example.com/ipn',
        ...request,
      });
      expect(body).toMatchObject({ code: '10000', msg: 'Success', out_trade_no: request.out_trade_no });
      expect(Object.keys(body)).toEqual(expect.arrayContaining([...(expected.payment_data ?? [])]));
      if (expected.trade_status_at_creation) expect(body.trade_status).toBe(expected.trade_status_at_creation);
    },
  );

  // A gateway takes unknown fields; the merchant's side refuses a misspelt one.
  const refused = publishedOrders('invalid').filter(({ file }) => file !== 'misspelt-field.json');
  test.each(refused)(
    '$file is refused with the field that breaks the rule',
    async ({ kind, request, expect: expected }) => {
      const { status, body } = await call(simulator, paths[kind] ?? '', {
        notify_url: 'https://shop.example.com/ipn',
        ...request,
      });
      expect(status).toBe(400);
      expect(expected.refused).toContain(body.sub_code);
      expect(body.code).toMatch(/^4000[12]$/);
      expect(body.sub_msg).toContain(String(body.sub_code));
    },
  );

  test('an unknown field is ignored', async () => {
    expect(await refusal(changed('spei', { cancelation_express: '3d', version: '2.0' }))).toBeNull();
  });
});

describe('rules that the table of the interface does not drive', () => {
  test('a PIX order needs an identity if the setting pixIdentify says so', async () => {
    simulator.configure({ pixIdentify: 'required' });
    expect(await refusal(changed('pix', {}))).toBe('customer.identify.number');
    simulator.configure({ pixIdentify: 'optional' });
    expect(await refusal(changed('pix', {}))).toBeNull();
  });
  test('a required field that is missing is refused with 40001 and its name', async () => {
    const { body } = await call(simulator, '/trade/create', changed('checkout', { trade_type: undefined }));
    expect(body).toMatchObject({ code: '40001', msg: 'Missing Required Arguments', sub_code: 'trade_type' });
  });
  test('a required field that is empty is refused with 40002 and its name', async () => {
    const { body } = await call(simulator, '/trade/pay', changed('pix', { buyer_id: '' }));
    expect(body).toMatchObject({ code: '40002', sub_code: 'buyer_id', sub_msg: 'buyer_id can not be empty.' });
  });
  test('an optional field that is empty is accepted', async () => {
    expect(await refusal(changed('pix', { content: '', timeout_express: '', channel: '' }))).toBeNull();
  });
  test('a notify_url that is no web address is refused', async () => {
    expect(await refusal(changed('pix', { notify_url: 'shop.example.com/ipn' }))).toBe('notify_url');
    expect(await refusal(changed('checkout', { notify_url: 'ftp://shop.example.com' }), '/trade/create')).toBe(
      'notify_url',
    );
  });
  test('an unknown method is refused with no-method-supported', async () => {
    expect(await refusal(changed('pix', { method: 'pix' }))).toBe('no-method-supported');
    expect(await refusal(changed('checkout', { method: 'Bitcoin' }), '/trade/create')).toBe('no-method-supported');
  });
  test('the method CASH, as the interface writes it once, is Cash', async () => {
    expect(await refusal(changed('cash', { method: 'CASH' }))).toBeNull();
  });
  test.each([
    ['José Hernández 1⃣', 'customer.name'],
    ['José Hernández 3rd #1 *', null],
  ])('a name %s with a keycap is refused, one with its signs alone is accepted: %s', async (name, expected) => {
    expect(await refusal(changed('spei', { 'customer.name': name }))).toBe(expected);
  });
  test('an email with + is refused also if the method needs none', async () => {
    expect(await refusal(changed('pix', { 'customer.email': 'a+b@example.com' }))).toBe('customer.email');
  });
  test('an account number of another method than a wallet can be any text', async () => {
    expect(await refusal(changed('bank-transfer-ecuador', { account_number: '12-4324' }))).toBeNull();
  });
});
