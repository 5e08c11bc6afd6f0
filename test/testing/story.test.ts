/** A story that `payment-gateway story` has written is played to the same end, and what is none is refused. */
import { MINUTE } from '../../src/gateway/pure/durations';
import { parseStory, type Story, StoryError, type StoryEvent } from '../../src/temporal/story';
import { type PlayedStory, simulate } from '../../src/testing/simulation';

const SETTINGS: Story['settings']['payment'] = {
  ...{ confirm_by_query: true, late_payments: 'attention', create_within_ms: 60 * MINUTE, settling_ms: 30_000 },
  ...{
    patience_ms: 10 * MINUTE,
    overdue_ms: 60 * MINUTE,
    watch_window_ms: 0,
    dispute_ms: 60 * MINUTE,
    refund_watch_ms: 60 * MINUTE,
  },
  ...{ usual_expiry_ms: 60 * MINUTE, grace_ms: 60 * MINUTE, settles_ms: 0, risk_control_ms: 60 * MINUTE },
  ...{ poll_schedule_ms: [15_000], poll_every_ms: 10 * MINUTE },
};
const ORDER: StoryEvent = {
  ...{ is: 'ordered', after_ms: 0 },
  input: {
    kind: 'direct',
    request: {
      ...{ out_trade_no: 'order-1', method: 'PIX', order_currency: 'BRL', order_amount: '150.00' },
      ...{ timeout_express: '90m', subject: 'private-1', customer: { name: 'private-2' } },
    },
  },
};
const trade = (trade_status: string) => ({
  ...{ trade_no: 'trade-1', trade_status, order_amount: '150.00', order_currency: 'BRL' },
});
const created = (after_ms: number, trade_status = 'PROCESSING'): StoryEvent => ({
  ...{ is: 'created', after_ms, tried: { is: 'created', answer: trade(trade_status) } },
});
const unknown: StoryEvent = {
  ...{ is: 'created', after_ms: 10_000 },
  tried: { is: 'unknown', error: { outcome: 'unknown', retryable: true, operation: '/trade/pay' } },
};
const shown = (after_ms: number, trade_status: string): StoryEvent => ({
  ...{ is: 'shown', since_ms: after_ms, after_ms, trade: trade(trade_status) },
});
const notified = (after_ms: number, trade_status: string, more: object = {}): StoryEvent => ({
  ...{
    is: 'notified',
    after_ms,
    claim: { trade_no: 'trade-1', trade_status, amount: '150.00', currency: 'BRL', ...more },
  },
});

const told = (lasts_ms: number, ...events: StoryEvent[]): Story => ({
  ...{ story: 1, time_of_day: '10:00:00.000', lasts_ms, settings: { payment: SETTINGS, after_sale: SETTINGS } },
  ...{ events: [ORDER, ...events], end: { payment: null, after_sale: null } },
});

let played: PlayedStory;
afterEach(() => played?.close());

/** What a story comes to. */
async function endOf(story: Story) {
  played = await simulate({ story: JSON.parse(JSON.stringify(story)) });
  return played.end();
}

test('an order whose creation’s answer was lost is found, and sold once the gateway shows it', async () => {
  const story = told(30 * MINUTE, unknown, shown(12_000, 'PROCESSING'), shown(14 * MINUTE, 'SUCCESS'));
  expect(await endOf(story)).toMatchObject({ payment: { outcome: 'SUCCESS', confirmed_by: 'query', attention: null } });
});

test('what was notified and never shown waits for a person, who is heard', async () => {
  const seen: StoryEvent = {
    ...{ is: 'resolved', to: 'payment', after_ms: 40 * MINUTE },
    resolution: { by: 'person-1', reason: 'text-1', outcome: 'CANCEL' },
  };
  const notifiedOnce = [created(100), notified(5 * MINUTE, 'SUCCESS')];
  expect(await endOf(told(30 * MINUTE, ...notifiedOnce))).toMatchObject({
    payment: { outcome: null, attention: 'unconfirmed-notification', trade_status: 'PROCESSING' },
  });
  await played.close();
  expect(await endOf(told(50 * MINUTE, ...notifiedOnce, seen))).toMatchObject({
    payment: { outcome: 'CANCEL', confirmed_by: 'operator' },
  });
});

test('a refund whose answer was lost, a refused one and another trade come to what they came to', async () => {
  const refund = (after_ms: number, out_request_no: string): StoryEvent => ({
    ...{ is: 'refund', after_ms, out_request_no, amount: '50.00', currency: 'BRL' },
  });
  const refunded = (after_ms: number, answered: Extract<StoryEvent, { is: 'refunded' }>['answered']): StoryEvent => ({
    ...{ is: 'refunded', after_ms, answered },
  });
  const sold = [created(100), notified(MINUTE, 'SUCCESS'), shown(MINUTE, 'SUCCESS')];
  const failure = { details: {} };
  const story = told(
    60 * MINUTE,
    ...sold,
    ...[refund(10 * MINUTE, 'refund-1'), refunded(10 * MINUTE + 500, { said: 'refused', failure })],
    ...[refund(20 * MINUTE, 'refund-2'), refunded(20 * MINUTE + 500, { said: 'unknown' })],
    notified(50 * MINUTE, 'SUCCESS', { trade_no: 'trade-2' }),
    { is: 'missing', since_ms: 50 * MINUTE, after_ms: 50 * MINUTE, of: 'trade-2' },
  );
  expect(await endOf(story)).toMatchObject({
    payment: { outcome: 'SUCCESS' },
    after_sale: {
      attention: 'second-trade',
      refunds: [{ outcome: 'NOT_CREATED' }, { outcome: null, attention: 'unknown-refund' }],
    },
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'a refund that took milliseconds comes to its end, whatever is first of what is due at once (%s)',
  async (seed) => {
    const story = told(
      MINUTE,
      ...[created(100), notified(300, 'SUCCESS'), shown(300, 'SUCCESS')],
      { is: 'refund', after_ms: 400, out_request_no: 'refund-1', amount: '50.00', currency: 'BRL' },
      { is: 'refunded', after_ms: 410, answered: { said: 'taken', answer: { refund_status: 'REFUND_PROCESSING' } } },
      shown(410, 'REFUND_PROCESSING'),
      notified(500, 'PARTIAL_REFUND', { out_request_no: 'refund-1' }),
      shown(500, 'PARTIAL_REFUND'),
    );
    played = await simulate({ story, seed });
    expect(await played.end()).toMatchObject({
      after_sale: { attention: null, refunds: [{ outcome: 'REFUNDED' }], ledger_complete: true },
    });
  },
);

const NONE: [what: string, story: unknown][] = [
  ['nothing', null],
  ['another version', { ...told(MINUTE), story: 2 }],
  ['more than a story has', { ...told(MINUTE), secret: 'hunter2' }],
  ['a time before it began', told(MINUTE, shown(-1, 'SUCCESS'))],
  ['a time that no date has', told(MINUTE, shown(1e17, 'SUCCESS'))],
  ['an event that nobody knows', { ...told(MINUTE), events: [{ is: 'hunter2', after_ms: 1 }] }],
  ['an amount that is a number', JSON.parse(JSON.stringify(told(MINUTE)).replaceAll('"150.00"', '150'))],
  ['very many events', told(MINUTE, ...Array.from({ length: 20_001 }, () => created(1)))],
];

test.each(NONE)('a story with %s is refused with what to do, and none of its values is quoted', (_what, story) => {
  const read = () => parseStory(story);
  expect(read).toThrow(StoryError);
  expect(read).toThrow(/Write it again: payment-gateway story ORDER/);
  expect(read).not.toThrow(/hunter2/);
});
