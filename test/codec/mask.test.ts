/** What people may see in Temporal UI: only the listed fields. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import fc from 'fast-check';
import card from '../../examples/orders/credit-card.json';
import wallet from '../../examples/orders/wallet-card-number.json';
import { failureConverter } from '../../src/codec/failure-converter';
import { MASK, masked, maskedPayload, type Role } from '../../src/codec/mask';
import type { PayloadOwner } from '../../src/codec/payload-owner';
import {
  type AfterSaleState,
  afterSaleWorkflowId,
  appAttentionWorkflowId,
  createSpeiAccountWorkflowId,
  EVENT_HANDLER,
  eventDeliveryWorkflowId,
  isOurSummary,
  lookupWorkflowId,
  paymentWorkflowId,
  reconciliationWorkflowId,
  STUCK_SWEEP_WORKFLOW_ID,
  speiAccountQuantityWorkflowId,
  speiAccountWorkflowId,
  startSummary,
  strayNotificationWorkflowId,
  typedFailure,
} from '../../src/contract';
import { publishedOrders } from '../harness/orders';
import { decoded, payload } from './support';

/** The masked value as text. */
const maskedText = (value: unknown, role: Role) => JSON.stringify(masked(value, role));

describe.each<Role>(['viewer', 'support'])('a %s', (role) => {
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
    const seen = maskedText({ request: order, user_info: order.user }, role);
    for (const secret of ['canary', '4821', '4111', '50284414727', '50284414728']) expect(seen).not.toContain(secret);
    expect(masked(order, role)).toMatchObject({ customer: { identify: { number: MASK, type: 'CPF' } } });
  });

  test('sees the names of all fields, and the values that identify nobody', () => {
    const { request } = card;
    const shown = masked(request, role);
    expect(Object.keys(Object(shown))).toEqual(Object.keys(request));
    const { out_trade_no, method, order_amount, order_currency } = request;
    expect(shown).toMatchObject({ out_trade_no, method, order_amount, order_currency, token: MASK, ip: MASK });
  });

  test('does not see the value of an unlisted field, at any depth', () => {
    const unknown = fc.string({ minLength: 1 }).map((name) => `x-${name}`);
    fc.assert(
      fc.property(fc.array(unknown, { minLength: 1, maxLength: 5 }), fc.boolean(), (path, listed) => {
        const leaf: unknown = listed ? ['canary', ['canary']] : 'canary';
        const value = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), leaf);
        expect(maskedText(value, role)).not.toContain('canary');
      }),
    );
  });

  test.each([['text'], [4821], [true]])('does not see %j without a field name', (value) => {
    expect(masked(value, role)).toBe(MASK);
    expect(masked([value], role)).toEqual([MASK]);
  });

  test('sees empty values', () => {
    expect(masked({ attention: null, token: null, customer: { email: '' } }, role)).toEqual({
      attention: null,
      token: null,
      customer: { email: '' },
    });
  });

  /** What a role sees of an error, as a worker writes it. */
  const seenOf = (error: Error) => {
    const { encodedAttributes } = failureConverter.errorToFailure(error, defaultPayloadConverter);
    if (!encodedAttributes) throw new Error('The failure is in clear');
    const owner = { type: 'workflow', namespace: 'default', workflowId: paymentWorkflowId('shop', '1') } as const;
    return decoded(maskedPayload(encodedAttributes, role, owner));
  };

  test('sees the text of our own failures, and of no others', () => {
    const text = 'mail to maria@example.com bounced';
    expect(seenOf(typedFailure('NotCreated', 'the gateway refused'))).toMatchObject({ message: 'the gateway refused' });
    for (const error of [
      new Error(text),
      new TypeError(text),
      ApplicationFailure.create({ type: 'Mail', message: text }),
    ])
      expect(seenOf(error)).toEqual({ message: MASK, stack_trace: MASK });
  });

  test('sees the names of a workflow’s queries', () => {
    const metadata = {
      definition: { type: 'payment', queryDefinitions: [{ name: 'state' }] },
      currentDetails: '**PAID**',
    };
    expect(masked(metadata, role)).toEqual(metadata);
  });
});

test('a failure’s payload has its message and stack only, as Temporal’s Java SDK takes no third', () => {
  const { encodedAttributes } = failureConverter.errorToFailure(
    typedFailure('NotCreated', 'refused'),
    defaultPayloadConverter,
  );
  if (!encodedAttributes) throw new Error('The failure is in clear');
  expect(decoded(encodedAttributes)).toEqual({ message: 'refused', stack_trace: expect.any(String) });
});

test('a viewer sees every amount of a sale and its refunds, and no text that people wrote', () => {
  const state: AfterSaleState = {
    app_id: 'app-1',
    payment: null,
    other_trades: [],
    out_trade_no: 'order-1',
    trade_no: '2026030212000000001',
    trade_status: 'REFUND_PART',
    order_amount: '150.00',
    order_currency: 'BRL',
    method: 'PIX',
    attention: 'unknown-refund',
    attention_since: '2026-03-01T12:00:00.000Z',
    taken: null,
    refunded_amount: '10.01',
    refunding_amount: '20.02',
    refunds: [
      {
        out_request_no: 'refund-2',
        trade_no: null,
        refund_amount: '20.02',
        refund_currency: 'BRL',
        partial: true,
        refund_status: 'REFUND_PROCESSING',
        outcome: null,
        confirmed_by: null,
        attention: null,
        requested_at: '2026-03-02T12:00:00.000Z',
        started_at: null,
        sent_at: null,
        attempt: 1,
        answer: {
          out_request_no: 'refund-2',
          refund_amount: '20.02',
          refund_status: 'REFUND_PROCESSING',
          recovered: false,
        },
        failure: { type: 'OverRefund', message: 'more than is left', details: { left: '119.97' } },
        resolved: null,
      },
    ],
    refunded_elsewhere: '0.00',
    ledger_complete: false,
    claims: [],
    bank_said: { trade_status: 'DISPUTE', time: '2026-03-02T12:00:00.000Z' },
    answer_by: '2026-03-09T12:00:00.000Z',
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

test('name, email and phone are shown to support and not to a viewer', () => {
  const buyer = { customer: { name: 'Mariana', email: 'm@example.com', phone: '11999990000' } };
  expect(masked(buyer, 'support')).toEqual(buyer);
  expect(masked(buyer, 'viewer')).toEqual({ customer: { name: MASK, email: MASK, phone: MASK } });
});

test('a viewer sees no personal data of any example order', () => {
  const PERSONAL = ['customer', 'address', 'ip', 'buyer_id', 'token', 'account_number', 'account_verification_code'];
  for (const { request } of publishedOrders()) {
    const leaves = Object.entries(request).flatMap(([name, value]) => (PERSONAL.includes(name) ? leavesOf(value) : []));
    const seen = maskedText(request, 'viewer');
    for (const leaf of leaves.filter((text) => text.length > 3))
      expect([leaf, seen.includes(leaf)]).toEqual([leaf, false]);
  }
});

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

describe('a decrypted payload', () => {
  const OURS = { type: 'workflow', namespace: 'payments', workflowId: 'payment:app-1:order-1' } as const;
  const THEIRS = { ...OURS, workflowId: 'newsletter' };
  const shownOf = (value: unknown, owner?: PayloadOwner) => decoded(maskedPayload(payload(value), 'support', owner));
  const theirMail = { to: 'maria@example.com', message: 'Dear Maria Souza', reference: 'CPF 50284414727' };

  test.each<[string, PayloadOwner | undefined]>([
    ['of the merchant’s own workflow', THEIRS],
    ['of the merchant’s own activity', { ...THEIRS, type: 'activity', activityId: '1' }],
    ['that names no workflow', { namespace: 'payments' }],
    ['that names nobody', undefined],
  ])('%s shows nothing, not even its keys', (_, owner) => {
    for (const value of [theirMail, { 'maria@example.com': theirMail }, [theirMail], 'Maria', 5028]) {
      expect(shownOf(value, owner)).toBe(MASK);
    }
    expect(shownOf({ message: 'Card 4111111111111111 of Maria declined', stack_trace: 'at x' }, owner)).toBe(MASK);
  });

  test('of the merchant’s own workflow shows the names of its handlers, which Temporal UI needs', () => {
    const definition = { type: 'newsletter', signalDefinitions: [{ name: 'stop' }] };
    const metadata = { definition, currentDetails: 'Maria reads it' };
    expect(shownOf(metadata, THEIRS)).toEqual({ definition });
  });

  test('of ours is masked by field, and a key that is no name of a field is hidden', () => {
    expect(shownOf({ method: 'PIX', 'maria@example.com': 'x', token: 'tok_1' }, OURS)).toEqual({
      method: 'PIX',
      [MASK]: MASK,
      token: MASK,
    });
  });

  test('of ours that is a summary is shown in full, and a merchant’s memo is not', () => {
    expect(shownOf('PIX 150.00 BRL · order-1', OURS)).toBe('PIX 150.00 BRL · order-1');
    expect(shownOf('asks the gateway for the trade', { ...OURS, type: 'activity', activityId: '1' })).toContain('asks');
    for (const memo of ['Maria Souza', '50284414727', 'until Maria pays', 'Maria 1']) {
      expect(shownOf(memo, OURS)).toBe(MASK);
    }
  });
});

test('what each workflow that is made here shows Temporal UI is shown, and not masked', () => {
  const ids = [
    ...[paymentWorkflowId('shop', 'o:1'), afterSaleWorkflowId('shop', 'o:1')],
    ...[appAttentionWorkflowId('shop', 'credentials'), strayNotificationWorkflowId('shop', 'ab')],
    ...[speiAccountWorkflowId('shop', 'A'), createSpeiAccountWorkflowId('shop', 'k')],
    ...[speiAccountQuantityWorkflowId('shop'), lookupWorkflowId('shop', 'bankList', 'x')],
    ...[reconciliationWorkflowId('shop', 'daily'), `${reconciliationWorkflowId('shop', 'daily')}-2026-03-02T04:00:00Z`],
    ...[STUCK_SWEEP_WORKFLOW_ID, `${STUCK_SWEEP_WORKFLOW_ID}-2026-03-02T12:15:00Z`],
    ...[
      eventDeliveryWorkflowId(EVENT_HANDLER, 'payment:shop:o'),
      eventDeliveryWorkflowId('ab', STUCK_SWEEP_WORKFLOW_ID),
    ],
  ];
  for (const workflowId of ids) {
    const shown = maskedPayload(payload({ currentDetails: 'what to do' }), 'viewer', { namespace: 'n', workflowId });
    expect([workflowId, decoded(shown)]).toEqual([workflowId, { currentDetails: 'what to do' }]);
  }
});

test('every summary that our workflows give to a timer or a workflow is known as one', () => {
  const folder = join(__dirname, '../../src');
  const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('simulator'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const written = [...code.matchAll(/(?:summary|staticSummary): ['`](.*?)['`]|awaitGateway\('(.*?)'/g)];
  const texts = written.map(([, summary, done]) => summary ?? done ?? '');
  expect(texts.length).toBeGreaterThan(12);
  const examples = texts.map((text) =>
    text
      .replace(/\$\{stage\.name\}/, 'last notification')
      .replace(/\$\{entry\.refund_amount\} \$\{entry\.refund_currency\}/, '1.50 BRL')
      .replace(/\$\{.*?\}/g, 'order-1'),
  );
  expect(examples.filter((text) => !isOurSummary(text))).toEqual([]);
  for (const { request } of publishedOrders()) expect(isOurSummary(startSummary({ request }))).toBe(true);
});

test('the after-sale that a notification, a refund or a decision starts has the summary of one that its payment starts', () => {
  for (const input of [{ out_trade_no: 'order-1' }, { app_id: 'shop', out_trade_no: 'order-1', trade_no: 'T1' }]) {
    expect(startSummary(input)).toBe('After payment order-1');
    expect(isOurSummary(startSummary(input))).toBe(true);
  }
  expect(startSummary({ kind: 'adopt', out_trade_no: 'order-1' })).toBe('Taken on · order-1');
});
