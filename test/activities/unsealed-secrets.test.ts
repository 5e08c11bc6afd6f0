/** An unsealed secret is refused in every form, raises attention, and is never quoted. */
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { gatewayActivities } from '../../src/activities';
import { newSealingKeys, seal } from '../../src/gateway';
import type { NewPayment } from '../../src/workflows';
import { type Json, published } from '../gateway/support';

const CARD = '4111111111111111';
const APP = 'app-1';
const order = published('credit-card');
const binding = { app_id: APP, out_trade_no: String(order.out_trade_no) };

let sent: unknown[];
let keys: Awaited<ReturnType<typeof newSealingKeys>>;
beforeAll(async () => {
  keys = await newSealingKeys('k1');
});
beforeEach(() => {
  sent = [];
});

/** The result of one try to create the order. */
async function create(changes: Json, kind: NewPayment['kind'] = 'direct', has_webhook = true): Promise<unknown> {
  const pay = async (request: unknown) => {
    sent.push(request);
    return { trade_no: 'T1', trade_status: 'PROCESSING' };
  };
  const query = () => Promise.reject(new Error('not asked here'));
  const activities = gatewayActivities({
    gateways: new Map([[APP, { pay, createCheckout: pay, query, refund: query }]]),
    sealingKeys: () => keys.privateJwks.keys,
    notifyUrl: has_webhook ? () => 'https://shop.example/ipn' : undefined,
  });
  const payment = { kind, app_id: APP, request: { ...order, ...changes } } as NewPayment;
  const input = {
    ...payment,
    send_before: Number.POSITIVE_INFINITY,
    reached: false,
    read_by: '00000000-0000-0000-0000-000000000000',
  };
  return new MockActivityEnvironment().run(activities['gateway.create'], input).catch((error: unknown) => error);
}

const SEAL = 'must be sealed to the worker’s public key: it would stay in the history';

test.each<[what: string, changes: Json, fields: string[], secret: string]>([
  ['a token', { token: 'tok_bare_canary' }, ['token'], 'tok_bare_canary'],
  ['a PIN', { token: undefined, account_verification_code: '9731' }, ['account_verification_code'], '9731'],
  [
    'both',
    { token: 'tok_bare_canary', account_verification_code: '9731' },
    ['token', 'account_verification_code'],
    '9731',
  ],
  ['a card number', { token: CARD }, ['token'], CARD],
  ['a card number as a JSON number', { token: Number(CARD) }, ['token'], CARD],
  ['a token that only claims to be sealed', { token: { sealed: 'tok_bare_canary' } }, ['token'], 'tok_bare_canary'],
  ['a token in an object', { token: { id: 'tok_bare_canary' } }, ['token'], 'tok_bare_canary'],
])('%s is refused', async (_, changes, fields, secret) => {
  const failure = await create(changes);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({
    type: 'InvalidRequest',
    nonRetryable: true,
    details: [{ attention: 'bare-secret', issues: fields.map((field) => ({ field, rule: SEAL })) }],
  });
  expect(JSON.stringify([String(failure), failure])).not.toContain(secret);
  expect(sent).toEqual([]);
});

test('an unsealed secret in a wrong order is refused together with the other faults', async () => {
  expect(await create({ token: 'tok_bare_canary', order_amount: '0' })).toMatchObject({
    details: [
      {
        attention: 'bare-secret',
        issues: [
          { field: 'token', rule: SEAL },
          { field: 'order_amount', rule: 'at least 0.01' },
        ],
      },
    ],
  });
});

test('an unsealed secret is refused in a checkout, and without the webhook’s address too', async () => {
  const issues = expect.arrayContaining([{ field: 'token', rule: SEAL }]);
  const refused = { details: [{ attention: 'bare-secret', issues }] };
  expect(await create({ token: 'tok_bare_canary' }, 'checkout')).toMatchObject(refused);
  expect(await create({ token: 'tok_bare_canary' }, 'direct', false)).toMatchObject(refused);
});

test('a card number that was sealed as a token is refused', async () => {
  const failure = await create({ token: await seal('4111 1111 1111 1111', keys.publicJwk, binding) });
  expect(failure).toMatchObject({
    type: 'InvalidRequest',
    details: [
      { attention: 'bare-secret', issues: [{ field: 'token', rule: expect.stringContaining('card’s own number') }] },
    ],
  });
  expect(String(failure)).not.toMatch(/4111/);
  expect(sent).toEqual([]);
});

test('a sealed token is sent, and nobody is told', async () => {
  expect(await create({ token: await seal('tok_1', keys.publicJwk, binding) })).toMatchObject({ is: 'created' });
  expect(sent).toEqual([expect.objectContaining({ token: 'tok_1' })]);
});

test('an order that breaks another rule raises no attention', async () => {
  const failure = await create({ token: undefined, order_amount: '0' });
  expect(failure).toMatchObject({ type: 'InvalidRequest', details: [{ issues: expect.any(Array) }] });
  expect(failure).not.toHaveProperty('details.0.attention');
});

test('an order that is sealed to a key which this worker lacks is left to another worker, and names the key', async () => {
  const { publicJwk } = await newSealingKeys('the-new-one');
  const failure = await create({ token: await seal('tok_canary', publicJwk, binding) });
  expect(failure).toMatchObject({ nonRetryable: false, message: expect.stringMatching(/the-new-one.*lack that key/) });
  expect(String(failure)).not.toContain('tok_canary');
  expect(sent).toEqual([]);
});
