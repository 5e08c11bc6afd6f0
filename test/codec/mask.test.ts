/** What people may see in Temporal UI: the fields that are listed, and nothing that was not thought of. */
import fc from 'fast-check';
import card from '../../examples/orders/credit-card.json';
import wallet from '../../examples/orders/wallet-card-number.json';
import { ROLES } from '../../src/codec';
import { MASK, masked } from '../../src/codec/mask';
import type { AfterSaleState } from '../../src/workflows/contract';
import { publishedOrders } from '../harness/orders';

/** The values that a masked order still tells, as text. */
const told = (value: unknown, role: (typeof ROLES)[number]) => JSON.stringify(masked(value, role));

describe.each(ROLES)('a %s', (role) => {
  test('never sees a card token, a PIN, an identity number, a card number or a sealed field', () => {
    const order = {
      ...card.request,
      ...wallet.request,
      token: 'tok_canary',
      account_verification_code: '4821',
      account_number: '4111111111111111',
      customer: { identify: { number: '50284414727', type: 'CPF' } },
      user: { identify: { number: '50284414728' } },
      card: { card_no: '411111******1111' },
      sealed: 'eyJhbGci.canary',
    };
    const seen = told({ request: order, user_info: order.user }, role);
    for (const secret of ['canary', '4821', '4111', '50284414727', '50284414728']) expect(seen).not.toContain(secret);
    expect(masked(order, role)).toMatchObject({ customer: { identify: { number: MASK, type: 'CPF' } } });
  });

  test('sees which fields there are, and what says nothing of a person', () => {
    const { request } = card;
    const shown = masked(request, role);
    expect(Object.keys(Object(shown))).toEqual(Object.keys(request));
    const { out_trade_no, method, order_amount, order_currency } = request;
    expect(shown).toMatchObject({ out_trade_no, method, order_amount, order_currency, token: MASK, ip: MASK });
  });

  test('sees nothing of a field that nobody has thought of, at any depth', () => {
    const unknown = fc.string({ minLength: 1 }).map((name) => `x-${name}`);
    fc.assert(
      fc.property(fc.array(unknown, { minLength: 1, maxLength: 5 }), fc.boolean(), (path, listed) => {
        const leaf: unknown = listed ? ['canary', ['canary']] : 'canary';
        const value = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), leaf);
        expect(told(value, role)).not.toContain('canary');
      }),
    );
  });

  test.each([['text'], [4821], [true]])('sees nothing of a bare %j', (value) => {
    expect(masked(value, role)).toBe(MASK);
    expect(masked([value], role)).toEqual([MASK]);
  });

  test('sees that a field is empty', () => {
    expect(masked({ attention: null, token: null, customer: { email: '' } }, role)).toEqual({
      attention: null,
      token: null,
      customer: { email: '' },
    });
  });

  test('sees why something failed, and the names that a workflow gives its queries', () => {
    const failure = { message: 'the gateway refused', stack_trace: 'at pay' };
    expect(masked(failure, role)).toEqual(failure);
    const metadata = {
      definition: { type: 'payment', queryDefinitions: [{ name: 'state' }] },
      currentDetails: '**PAID**',
    };
    expect(masked(metadata, role)).toEqual(metadata);
  });
});

test('a viewer sees every amount of a sale and its refunds, and nothing that people wrote about them', () => {
  const state: AfterSaleState = {
    app_id: 'app-1',
    out_trade_no: 'order-1',
    trade_no: '2026030212000000001',
    trade_status: 'REFUND_PART',
    order_amount: '150.00',
    order_currency: 'BRL',
    method: 'PIX',
    attention: 'unknown-refund',
    refunded_amount: '10.01',
    refunding_amount: '20.02',
    refunds: [
      {
        out_request_no: 'refund-2',
        refund_amount: '20.02',
        refund_currency: 'BRL',
        partial: true,
        refund_status: 'REFUND_PROCESSING',
        outcome: null,
        confirmed_by: null,
        attention: null,
        requested_at: '2026-03-02T12:00:00.000Z',
        started_at: null,
        answer: { refund_amount: '20.02', refund_status: 'REFUND_PROCESSING', recovered: false },
        failure: { type: 'OverRefund', message: 'more than is left', details: { left: '119.97' } },
        resolved: null,
      },
    ],
    ledger_complete: false,
    watched_until: '2026-09-02T12:00:00.000Z',
    history: [{ time: '2026-03-02T12:00:00.000Z', from: 'SUCCESS', to: 'REFUND_PART', source: 'query' }],
  };
  expect(masked(state, 'viewer')).toEqual(state);

  const order = { refund_amount: '20.02', refund_reason: 'Mariana called', bank_info: { account_no: '0001' } };
  expect(masked(order, 'viewer')).toEqual({
    refund_amount: '20.02',
    refund_reason: MASK,
    bank_info: { account_no: MASK },
  });
});

test('name, email and phone are for support, and nobody else', () => {
  const buyer = { customer: { name: 'Mariana', email: 'm@example.com', phone: '11999990000' } };
  expect(masked(buyer, 'support')).toEqual(buyer);
  expect(masked(buyer, 'viewer')).toEqual({ customer: { name: MASK, email: MASK, phone: MASK } });
});

test('of all published orders a viewer sees nothing personal', () => {
  const PERSONAL = ['customer', 'address', 'ip', 'buyer_id', 'token', 'account_number', 'account_verification_code'];
  for (const { request } of publishedOrders()) {
    const leaves = Object.entries(request).flatMap(([name, value]) => (PERSONAL.includes(name) ? leavesOf(value) : []));
    const seen = told(request, 'viewer');
    for (const leaf of leaves.filter((text) => text.length > 3))
      expect([leaf, seen.includes(leaf)]).toEqual([leaf, false]);
  }
});

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}
