/** What an after-sale that has ended knows already: only that starts nothing. */
import type { RefundAnswer, RefundOutcome } from '../../src/contract';
import { readNotification } from '../../src/gateway';
import { isKnownAfterSale } from '../../src/webhook/deliver';
import { fold, NOTHING_KNOWN } from '../../src/workflows/after-sale/fold';
import { stateOf } from '../../src/workflows/after-sale/rendering';
import { endedPayment } from '../harness/ended-payment';
import { ipn } from './support';

const AT = Date.UTC(2026, 0, 1);
const POLLS = { poll_schedule_ms: [], poll_every_ms: 60_000 };
const SETTINGS = { ...POLLS, late_payments: 'attention', settling_ms: 30_000 } as const;

/** An order whose refund `a` was taken with this answer, and ended so by a person's word. */
function endedAs(outcome: Exclude<RefundOutcome, 'ACCEPTED'>, answer: Partial<RefundAnswer> = {}) {
  const trade = {
    trade_status: 'SUCCESS',
    asked_at: AT,
    trade_no: 'T1',
    order_amount: '150.00',
    order_currency: 'BRL',
  };
  const taken = { said: 'taken', answer: { ...answer, out_request_no: 'a', recovered: false } } as const;
  const facts = [
    { is: 'queried', trade, after: 0 },
    { is: 'requested', number: 'a', amount: '50.00', currency: 'BRL' },
    { is: 'begun', number: 'a' },
    { is: 'answered', number: 'a', answered: taken },
    { is: 'decided', by: 'ana', reason: 'seen', refund: { number: 'a', outcome } },
  ] as const;
  const sale = facts.reduce((known, fact) => fold(known, { at: AT, ...fact }, SETTINGS), {
    ...NOTHING_KNOWN,
    out_trade_no: 'O1',
  });
  return stateOf(sale, 'app', 0);
}

function isKnown(state: ReturnType<typeof endedAs>, trade_status: string, trade_no = 'T1'): boolean {
  const notification = readNotification(ipn({ trade_no, trade_status, out_request_no: 'a' }));
  if (!notification) throw new Error('The notification cannot be read.');
  return isKnownAfterSale(state, notification);
}

test('that a refund is done is news where a person has called it refused, although the gateway’s answer had said done', () => {
  const state = endedAs('REFUND_REFUSED', { refund_status: 'REFUNDED' });
  expect(isKnown(state, 'REFUNDED')).toBe(false);
  expect(isKnown(state, 'REFUND_REFUSED')).toBe(true);
});

test.each([
  ['REFUNDED', true],
  ['PARTIAL_REFUND', true],
  ['REFUND_PROCESSING', true],
  ['REFUND_REVOKE', false],
  ['REFUND_REFUSED', false],
])('of a refund that is done, %s is known: %s', (trade_status, known) => {
  expect(isKnown(endedAs('REFUNDED', { refund_status: 'REFUND_REVOKE' }), trade_status)).toBe(known);
});

test('what becomes of a refund of a trade that was the order’s before is news as well', () => {
  const state = endedAs('REFUNDED');
  const other_trades = [{ trade_no: 'T1', trade_status: 'PARTIAL_REFUND', order_amount: '150.00' }];
  const refunds = state.refunds.map((one) => ({ ...one, trade_no: 'T1' }));
  const ids = { app_id: 'app', out_trade_no: state.out_trade_no, trade_no: 'T2' };
  const payment = endedPayment(ids, { other_trades }, { ended_at: AT, watch_until: 0 }).state;
  const later = {
    ...state,
    trade_no: 'T2',
    refunds,
    payment,
  };
  expect(isKnown(later, 'PARTIAL_REFUND')).toBe(true);
  expect(isKnown(later, 'REFUND_REVOKE')).toBe(false);
  expect(isKnown(later, 'REFUND_REVOKE', 'T2')).toBe(false);
});
