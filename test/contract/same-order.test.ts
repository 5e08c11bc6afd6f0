/** Whether two requests are the same order: what differs is named by its path, never by its value. */
import * as fc from 'fast-check';
import { differingFields, orderOf } from '../../src/contract';
import { edited, published } from '../gateway/support';

const boleto = published('boleto');
const sealed = (text: string) => ({ sealed: text });

describe('the same order', () => {
  test('is the same where it is written the same', () =>
    expect(differingFields(boleto, structuredClone(boleto))).toEqual([]));

  test('is the same with its fields in another order', () => {
    const backwards = Object.fromEntries(Object.entries(boleto).reverse());
    expect(differingFields(boleto, backwards)).toEqual([]);
  });

  test.each([
    ['150.0', '150.00'],
    ['150', '150.00'],
    ['99999999999999.9', '99999999999999.90'],
  ])('with the amount as %s and as %s', (a, b) => {
    expect(differingFields({ ...boleto, order_amount: a }, { ...boleto, order_amount: b })).toEqual([]);
  });

  test('is the same with an optional field left out, undefined or null', () => {
    const with_ = (content: unknown) => edited(boleto, { content });
    expect(differingFields(with_(undefined), { ...boleto, content: undefined })).toEqual([]);
    expect(differingFields(with_(undefined), { ...boleto, content: null })).toEqual([]);
  });
});

describe('another order', () => {
  test.each([
    ['out_trade_no', 'another'],
    ['order_currency', 'MXN'],
    ['order_amount', '150.01'],
    ['order_amount', '99999999999999.99'],
    ['subject', 'Another order'],
    ['customer.name', 'Somebody Else'],
    ['customer.identify.number', '52998224725'],
    ['address.zip_code', '04538-133'],
    ['ip', '10.0.0.1'],
    ['content', undefined],
  ])('differs in %s', (path, value) => {
    expect(differingFields(boleto, edited(boleto, { [path]: value }))).toEqual([path]);
    expect(differingFields(edited(boleto, { [path]: value }), boleto)).toEqual([path]);
  });

  test('is named by every field that differs', () => {
    const other = edited(boleto, { order_amount: '1.00', 'customer.email': 'x@example.com', region: 'BRA' });
    expect(differingFields(boleto, other).sort()).toEqual(['customer.email', 'order_amount', 'region']);
  });

  test('differs by an amount that a double cannot tell apart', () => {
    expect(differingFields({ order_amount: '99999999999999.98' }, { order_amount: '99999999999999.99' })).toEqual([
      'order_amount',
    ]);
  });

  test('differs by an amount that is no decimal and not the same text', () => {
    expect(differingFields({ order_amount: 'x' }, { order_amount: 'x' })).toEqual([]);
    expect(differingFields({ order_amount: 'x' }, { order_amount: '1.00' })).toEqual(['order_amount']);
  });

  test('differs where a list differs', () => {
    expect(differingFields({ regions: ['BRA'] }, { regions: ['BRA', 'MEX'] })).toEqual(['regions.1']);
  });

  test('differs where a checkout replaces a direct payment', () => {
    expect(differingFields({ kind: 'direct', ...boleto }, { kind: 'checkout', ...boleto })).toEqual(['kind']);
  });
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

  test('is the input of the run before, where that is carried over', () => {
    const previous = { run_id: 'run-1', outcome: null, order };
    expect(orderOf({ kind: 'adopt', app_id: 'app', out_trade_no: 'order-1', previous })).toEqual(order);
  });

  test('is not known where no run created the order', () => {
    expect(orderOf({ kind: 'adopt', app_id: 'app', out_trade_no: 'order-1' })).toBeUndefined();
  });
});
