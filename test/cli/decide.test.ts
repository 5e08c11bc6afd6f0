/** What a command says after a person's word was taken, or refused. */
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { DECISION_FIELDS, doneText, resolutionOf } from '../../src/cli/operator/decide';
import { isWrongInput, withOptions } from '../../src/cli/option-words';
import { afterSaleWorkflowId, eventDeliveryWorkflowId, paymentWorkflowId } from '../../src/contract';

test('a refusal names what was typed: the options, and not the fields of the update', () => {
  const refused = 'Nothing was changed. out_request_no: required; refunded_elsewhere: at most 1.00. by: required';
  expect(withOptions(DECISION_FIELDS, refused)).toBe(
    'Nothing was changed. --refund: required; --elsewhere: at most 1.00. --by: required',
  );
  expect(withOptions(DECISION_FIELDS, 'Then send `resolve` with `refunded_elsewhere`.')).toBe(
    'Then send `resolve` with `--elsewhere`.',
  );
  const options = { by: 'ana', reason: 'seen', refund: 'r-1', outcome: 'refunded' };
  expect(resolutionOf(options)).toEqual({ by: 'ana', reason: 'seen', out_request_no: 'r-1', outcome: 'REFUNDED' });
});

test('what a person has typed wrongly is told from what a workflow refuses', () => {
  const failed = (type: string) =>
    new WorkflowUpdateFailedError('Workflow Update failed', ApplicationFailure.create({ type }));
  expect(isWrongInput(failed('InvalidRequest'))).toBe(true);
  expect(isWrongInput(failed('Closing'))).toBe(false);
  expect(isWrongInput(new Error('no such workflow'))).toBe(false);
});

const PAYMENT = paymentWorkflowId('shop', 'order-1');

test('an event that is posted again is not said to wait for a person still: its receiver answers later', () => {
  const id = eventDeliveryWorkflowId('abc', PAYMENT);
  const state = { attention: 'undelivered-event', problem: 'HTTP 500' };
  expect(doneText(id, 'recheck', state)).toBe(
    `Done: recheck. ${id}: Its event is posted now: look with show in a moment.`,
  );
});

test('money that came for an order that is not sold is said at once, with the command that sends it back', () => {
  const mismatch = { amount: '120.00', currency: 'BRL' };
  const money = { order_amount: '150.00', order_currency: 'BRL', mismatch };
  const state = { out_trade_no: 'order-1', trade_status: 'SUCCESS', outcome: 'CANCEL', attention: null, ...money };
  expect(doneText(PAYMENT, 'resolve', state)).toBe(
    'Done: resolve. Order order-1 (app shop) ended as CANCEL; the gateway says SUCCESS. 120.00 BRL came, and is to be sent back: payment-gateway refund order-1 --app shop. Where it goes back another way, say so: payment-gateway resolve order-1 --app shop --elsewhere AMOUNT --by YOU --reason WHY.',
  );
  expect(doneText(PAYMENT, 'resolve', { ...state, method: 'PIX' })).toContain(
    ' is to be sent back: payment-gateway refund order-1 --app shop --with FILE.',
  );
  expect(doneText(PAYMENT, 'resolve', { ...state, outcome: 'SUCCESS' })).toMatch(/ It needs nobody\.$/);
  // An after-sale that has no answer yet still has what its payment was told.
  const silent = { ...state, trade_status: null, payment: { ...money, trade_status: 'SUCCESS', outcome: 'CANCEL' } };
  expect(doneText(PAYMENT, 'resolve', silent)).toContain('the gateway says SUCCESS.');
});

test('of an order that the gateway has not ended, the answer to a decision says what a payment of it would be', () => {
  const state = { out_trade_no: 'order-1', trade_status: 'PROCESSING', attention: null, confirmed_by: 'operator' };
  const late = 'That would be late money: PAYMENTS_LATE says what becomes of it, by default a person is asked.';
  expect(doneText(PAYMENT, 'resolve', { ...state, outcome: 'CANCEL' })).toBe(
    `Done: resolve. Order order-1 (app shop) ended as CANCEL; the gateway says PROCESSING. It needs nobody. The gateway has not ended it, so the buyer may still pay. ${late}`,
  );
  expect(doneText(PAYMENT, 'resolve', { ...state, outcome: 'SUCCESS' })).toContain(
    ' It needs nobody. The gateway has not shown it as paid; if it does, that counts as the money of this sale. Where the sale was paid another way, say CANCEL instead',
  );
  const after = { ...state, payment: { ...state, outcome: 'CANCEL' }, watched_until: '2026-03-05T11:00:00.000Z' };
  const at = (time: string) =>
    doneText(afterSaleWorkflowId('shop', 'order-1'), 'recheck', after, null, Date.parse(time));
  expect(at('2026-03-05T10:00:00Z')).toContain(
    `so the buyer may still pay: it is watched until 2026-03-05 11:00 UTC. ${late}`,
  );
  expect(at('2026-03-05T12:00:00Z')).toMatch(/ It needs nobody\.$/);
});

describe('the money of a second trade, which no list names once the reason is settled', () => {
  const AFTER = afterSaleWorkflowId('shop', 'order-1');
  const other_trades = [{ trade_no: 'T2', trade_status: 'SUCCESS', order_amount: '150.00' }];
  const payment = { trade_status: 'SUCCESS', outcome: 'SUCCESS', order_currency: 'BRL', other_trades };
  const state = { out_trade_no: 'order-1', trade_status: 'SUCCESS', attention: null, payment };
  const left =
    ' 150.00 BRL of trade T2 is to be sent back in the gateway’s dashboard, where that is not done yet: no list has it any more.';

  test('is said in the answer to the decision that settles it', () => {
    expect(doneText(AFTER, 'resolve', state, 'second-trade')).toBe(
      `Done: resolve. Order order-1 (app shop) ended as SUCCESS; the gateway says SUCCESS.${left}`,
    );
    expect(doneText(AFTER, 'resolve', { ...state, attention: 'dispute' }, 'second-trade')).toMatch(
      new RegExp(` It still needs a person: dispute\\.${left.replaceAll('.', '\\.')}$`),
    );
  });
  test('is said with what went back of the order’s own trade, which may have been for it', () => {
    const gone = { order_currency: 'BRL', refunded_amount: '150.00' };
    expect(doneText(AFTER, 'resolve', { ...state, ...gone }, 'second-trade')).toContain(
      ' where that is not done yet, unless the 150.00 BRL that went back of the order’s own trade was for it: no list',
    );
  });
  test('is not said again by what settles something else, or where the list still has it', () => {
    expect(doneText(AFTER, 'resolve', state, 'dispute')).toMatch(/ It needs nobody\.$/);
    expect(doneText(AFTER, 'recheck', state)).toMatch(/ It needs nobody\.$/);
    const still = doneText(AFTER, 'resolve', { ...state, attention: 'second-trade' }, 'second-trade');
    expect(still).toMatch(/ It still needs a person: second-trade\.$/);
  });
});

test('a recheck that the gateway has not answered is not said to be done', () => {
  const state = { out_trade_no: 'order-1', trade_status: 'PROCESSING', attention: 'no-answer' };
  expect(doneText(PAYMENT, 'recheck', state)).toBe(
    'recheck: the gateway has given no answer. Order order-1 (app shop) is open; the gateway says PROCESSING. It still needs a person: no-answer.',
  );
  expect(doneText(PAYMENT, 'take', state)).toMatch(/^Done: take\. /);
});

test('a decision on a creation of an account is not called done before it is known what came of it', () => {
  const id = 'create-spei-account:shop:key-1';
  const creation = { app_id: 'shop', buyer_id: 'b', account: null, attention: null, unknown_tries: [], resolved: [] };
  expect(doneText(id, 'resolve', creation)).toBe(
    `Done: resolve. ${id}: It goes on by itself: look with show in a moment.`,
  );
  const again = { ...creation, attention: 'unknown-outcome' };
  expect(doneText(id, 'resolve', again)).toMatch(/It still needs a person: unknown-outcome\.$/);
  expect(doneText(id, 'resolve', { ...creation, account: { account_id: 'A1' } })).toMatch(/It needs nobody\.$/);
});
