/** Whether two requests are the same order: what differs is named by its path, never by its value. */
import * as fc from 'fast-check';
import { differentOrder, differingFields, fieldsUnlikeKnown, orderOf, VOLATILE_FIELDS } from '../../src/contract';
import { fieldPaths } from '../../src/gateway/fields';
import { DIRECT_PAYMENT } from '../../src/gateway/pay';
import { edited, published } from '../gateway/support';
import { order } from '../harness/orders';

const boleto = published('boleto');
const sealed = (text: string) => ({ sealed: text });

const amount = (order_amount: string) => ({ ...boleto, order_amount });
const { content: _content, ...withoutContent } = boleto;

test.each<[what: string, one: object, other: object, differing: string[]]>([
  ['that is written the same', boleto, structuredClone(boleto), []],
  ['with its currency in small letters', boleto, { ...boleto, order_currency: 'brl' }, []],
  ['with its fields in another order', boleto, Object.fromEntries(Object.entries(boleto).reverse()), []],
  ['with a decimal less', amount('150.0'), amount('150.00'), []],
  ['without decimals', amount('150'), amount('150.00'), []],
  ['of the largest amount with a decimal less', amount('99999999999999.9'), amount('99999999999999.90'), []],
  ['with an optional field that is undefined', withoutContent, { ...boleto, content: undefined }, []],
  ['with an optional field that is null', withoutContent, { ...boleto, content: null }, []],
  ['of an amount that is no decimal, and the same text', amount('x'), amount('x'), []],
  ['of an amount that is no decimal', amount('x'), amount('1.00'), ['order_amount']],
  [
    'of an amount that a double cannot tell apart',
    amount('99999999999999.98'),
    amount('99999999999999.99'),
    ['order_amount'],
  ],
  ['with another list', { regions: ['BRA'] }, { regions: ['BRA', 'MEX'] }, ['regions.1']],
  ['of another kind', { kind: 'direct', ...boleto }, { kind: 'checkout', ...boleto }, ['kind']],
  [
    'with three other fields',
    boleto,
    edited(boleto, { order_amount: '1.00', 'customer.email': 'x@example.com', region: 'BRA' }),
    ['customer.email', 'order_amount', 'region'],
  ],
])('an order %s', (_, one, other, differing) => {
  expect(differingFields(one, other).sort()).toEqual(differing);
});

describe('an order that is asked for again', () => {
  const payment = order({ ip: '203.0.113.7', fingerprint: 'one' });
  const withOther = (field: string, value: unknown = 'another') => order({ ...payment.request, [field]: value });

  test.each(Object.keys(VOLATILE_FIELDS))('is the same with another %s, or without one', (field) => {
    expect(fieldsUnlikeKnown(withOther(field), payment, null)).toEqual([]);
    expect(fieldsUnlikeKnown(payment, withOther(field), null)).toEqual([]);
    expect(fieldsUnlikeKnown(withOther(field, undefined), payment, null)).toEqual([]);
  });

  test('is another one with any other field of the interface, and with a field that the interface lacks', () => {
    const fields = [...fieldPaths(DIRECT_PAYMENT.rules.shape), 'brand_new'].filter((path) => !path.includes('.'));
    const telling = fields.filter((field) => !(field in VOLATILE_FIELDS));
    expect(telling.length).toBeGreaterThan(15);
    for (const field of telling) expect(fieldsUnlikeKnown(withOther(field), payment, null)).toContain(field);
  });
});

describe('who asks for another order under a number is told what has it', () => {
  const first = {
    ...{ out_trade_no: 'order-1', trade_no: 'T1', order_amount: '150.00', order_currency: 'BRL' },
    ...{ trade_status: 'PROCESSING', outcome: null, confirmed_by: null, attention: null },
  } as const;
  const told = (state: object) => differentOrder({ ...first, ...state }, ['subject']).message;

  test('its trade, state and amount, and in the details too', () => {
    expect(told({})).toContain('subject differs');
    expect(told({})).toContain('trade T1, PROCESSING, 150.00 BRL');
    expect(differentOrder(first, ['subject']).details).toEqual([
      { fields: ['subject'], trade_no: 'T1', trade_status: 'PROCESSING', order_amount: '150.00', outcome: null },
    ]);
  });

  test.each([
    ['may still be paid', {}],
    ['may exist, before the gateway has said so', { trade_no: null, trade_status: null, order_amount: null }],
    ['was ended by a person, and its trade is open', { outcome: 'CANCEL', confirmed_by: 'operator' }],
    [
      'was ended by a person before the gateway had shown it',
      { outcome: 'CANCEL', confirmed_by: 'operator', trade_status: null },
    ],
    ['ended, and a person has to look', { outcome: 'EXPIRED', attention: 'unconfirmed-notification' }],
  ])('and that a new number could charge the buyer twice where the first %s', (_, state) => {
    expect(told(state)).toContain('a new out_trade_no could charge the buyer twice');
  });

  test('that there is nothing more to charge where it is paid', () =>
    expect(told({ trade_status: 'SUCCESS', outcome: 'SUCCESS' })).toContain('nothing more to charge'));

  test('that a new try takes a new number where it ended without a payment, and no money has come since', () =>
    expect(told({ trade_status: 'REFUSED', outcome: 'REFUSED' })).toMatch(
      /money may have come since: read its state first\. .*not SUCCESS, a new try of this sale takes a new/,
    ));
});

describe('sealed secrets', () => {
  const [one, another] = [sealed('eyJhbGciOi.one'), sealed('eyJhbGciOi.another')];

  test.each(['token', 'account_verification_code'])(
    'two seals of %s are not compared: each seal is another text',
    (field) => {
      expect(differingFields({ ...boleto, [field]: one }, { ...boleto, [field]: another })).toEqual([]);
    },
  );

  test('an order with a secret differs from one without it, and only the field is named', () => {
    expect(differingFields({ ...boleto, token: one }, boleto)).toEqual(['token']);
    expect(differingFields(boleto, { ...boleto, token: one })).toEqual(['token']);
    expect(differingFields({ ...boleto, token: one }, { ...boleto, token: 'tok_bare' })).toEqual(['token']);
  });
});

describe('for any two orders', () => {
  const order = fc.record(
    {
      out_trade_no: fc.string(),
      order_amount: fc.constantFrom('1', '1.0', '1.00', '2.50'),
      customer: fc.record({ name: fc.string(), identify: fc.record({ number: fc.string() }) }, { requiredKeys: [] }),
      token: fc.string().map(sealed),
    },
    { requiredKeys: [] },
  );

  test('no order differs from itself, and the comparison is symmetric', () => {
    fc.assert(
      fc.property(order, order, (a, b) => {
        expect(differingFields(a, structuredClone(a))).toEqual([]);
        expect(differingFields(a, b).sort()).toEqual(differingFields(b, a).sort());
      }),
    );
  });

  test('a named difference is a path and holds no value', () => {
    const paths = ['out_trade_no', 'order_amount', 'customer.name', 'customer.identify.number', 'token'];
    fc.assert(
      fc.property(order, order, (a, b) => {
        for (const path of differingFields(a, b)) expect(paths).toContain(path);
      }),
    );
  });
});

describe('the order of a run', () => {
  const order = {
    kind: 'direct' as const,
    request: { out_trade_no: 'order-1', order_amount: '1.00', order_currency: 'BRL' },
  };

  test('is its own input', () => {
    expect(orderOf({ app_id: 'app', ...order })).toEqual(order);
  });

  test('is not known where it takes on a trade that exists already', () => {
    expect(orderOf({ kind: 'adopt', app_id: 'app', out_trade_no: 'order-1' })).toBeUndefined();
  });
});
