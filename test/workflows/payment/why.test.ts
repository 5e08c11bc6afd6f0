/** Why a payment is as it is: its facts, folded once more one by one, and the rules that the tables name. */
import type { FactsOfRun, PaymentInput, PaymentPolicy } from '../../../src/contract';
import { RUNBOOK, TRANSITION_KINDS } from '../../../src/contract';
import type { NewPaymentFact } from '../../../src/workflows/payment/facts';
import { REACHES, startedWith } from '../../../src/workflows/payment/known-payment';
import { explainedPayment } from '../../../src/workflows/payment/why';
import { LEARNED_AT as T } from '../../harness/learning-payment';

const MINUTE = 60_000;
const ORDER: PaymentInput = {
  kind: 'direct',
  app_id: 'app',
  request: {
    ...{ out_trade_no: 'order-1', order_amount: '150.00', order_currency: 'BRL', method: 'PIX' },
    ...{ timeout_express: '90m', customer: { name: 'Mariana Souza Lima' } },
  },
};
const POLICY: PaymentPolicy = {
  ...{ confirm_by_query: true, late_payments: 'attention', listeners: [], read_by: 'r', is_followed: false },
  ...{ create_within_ms: 60 * MINUTE, settling_ms: 30_000, patience_ms: 10 * MINUTE, overdue_ms: MINUTE },
  ...{
    watch_window_ms: 0,
    dispute_ms: MINUTE,
    refund_watch_ms: 0,
    usual_expiry_ms: MINUTE,
    grace_ms: MINUTE,
    settles_ms: 0,
  },
  ...{ risk_control_ms: MINUTE, poll_schedule_ms: [15_000], poll_every_ms: MINUTE },
};
const shown = (trade_status: string) => ({
  ...{ out_trade_no: 'order-1', trade_no: 'T1', order_amount: '150.00', order_currency: 'BRL', trade_status },
});
const error = { outcome: 'unknown', retryable: true, operation: '/trade/pay' } as const;

/** A second passes before each fact. */
const told = (...facts: NewPaymentFact[]): FactsOfRun =>
  explainedPayment({
    ...{ input: ORDER, began: T, policy: POLICY },
    learned: {
      ...{ begin: startedWith(ORDER), left_out: 0 },
      latest: facts.map((fact, i) => ({ fact: { ...fact, at: T + i * 1_000 }, settings: POLICY })),
    },
  });
const concludedLast = (why: FactsOfRun) => why.facts.at(-1)?.concluded;

test('each fact of a creation whose answer was lost leads to its step, with the words of the table’s row', () => {
  const why = told(
    { is: 'begun' },
    { is: 'answered', tried: { is: 'unknown', error, message: 'no answer' } },
    { is: 'missed', looked: 'no-such-order', after: 0 },
  );
  expect(why.facts).toMatchObject([
    {
      by: 'we',
      concluded: [{ what: 'next', to: 'send', rule: expect.stringContaining('Nothing of ours can exist yet') }],
    },
    {
      by: 'the gateway',
      said: 'creation unknown (no answer)',
      concluded: [
        { what: 'our order', from: 'none', to: 'sent', rule: REACHES.sent },
        { what: 'next', from: 'send', to: 'look', rule: expect.stringContaining('nothing is sent again') },
      ],
    },
    { said: 'no-such-order', concluded: [{ what: 'next', from: 'look', to: 'send' }] },
  ]);
});

test('a sale is told with the transition that leads there, and an older status that comes after it with why it changes nothing', () => {
  const sold = told(
    { is: 'created', data: { ...shown('PROCESSING'), qr_code: '0002', recovered: false }, answer: null },
    { is: 'dated', expires_at: T + 90 * MINUTE },
    { is: 'queried', trade: shown('SUCCESS'), after: 0 },
  );
  expect(concludedLast(sold)).toEqual([
    { what: 'status', from: 'PROCESSING', to: 'SUCCESS', rule: TRANSITION_KINDS.forward },
    {
      what: 'outcome',
      from: null,
      to: 'SUCCESS',
      rule: 'the table of statuses: SUCCESS ends a payment as SUCCESS; known by a query',
    },
    { what: 'next', from: 'watch until 2026-03-02T13:30:01.000Z', to: 'end', rule: 'The payment has its outcome.' },
  ]);
  const stale = told(
    { is: 'queried', trade: shown('PROCESSING'), after: 0 },
    { is: 'queried', trade: shown('INITIAL'), after: 0 },
  );
  expect(concludedLast(stale)).toContainEqual({
    ...{ what: 'status INITIAL', from: 'PROCESSING', to: 'PROCESSING', rule: TRANSITION_KINDS.stale },
  });
});

test('a reason for a person is told in the words of the runbook, and so is who settles it', () => {
  const raised = told({ is: 'raised', attention: 'unexpected-signal' });
  expect(concludedLast(raised)).toContainEqual({
    ...{ what: 'attention', from: null, to: 'unexpected-signal', rule: RUNBOOK['unexpected-signal'].happened },
  });
  const seen = told(
    { is: 'raised', attention: 'unexpected-signal' },
    { is: 'seen', by: 'ana', reason: 'a test of ours' },
  );
  expect(seen.facts.at(-1)).toMatchObject({ by: 'a person, ana', said: 'seen: a test of ours' });
  expect(concludedLast(seen)).toMatchObject([{ what: 'attention', from: 'unexpected-signal', to: null }]);
});

test('one thing is told as one, and several as several', () => {
  const of = { signal: shown('SUCCESS'), heard: 1, isDenied: false };
  const said = (claims: (typeof of)[]) => told({ is: 'denied', claims }).facts[0]?.said;
  expect(said([of])).toBe('does not know what 1 notification named');
  expect(said([of, of])).toBe('does not know what 2 notifications named');
});

test('nothing of the buyer is in the words, and only the latest facts of very many are told', () => {
  const signal = { ...shown('PROCESSING'), customer: { name: 'Mariana' }, transfer_account: '4111' };
  const why = told(
    { is: 'created', data: { ...shown('PROCESSING'), qr_code: 'private', recovered: false }, answer: null },
    ...Array.from({ length: 1_005 }, () => ({ is: 'notified', signal }) as const),
  );
  expect([why.facts.length, why.left_out]).toEqual([1_000, 6]);
  const words = why.facts.map(({ by, said, concluded }) => ({ by, said, concluded }));
  expect(JSON.stringify(words)).not.toMatch(/Mariana|4111|private/);
});
