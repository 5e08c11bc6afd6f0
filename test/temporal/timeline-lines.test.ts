import { answerLine, askedLine, orderLine } from '../../src/temporal/timeline-lines';

test('an activity that somebody completed by hand is told as that, and not as an answer of the gateway', () => {
  const line = answerLine('gateway.watch', { foreign_input: 'it is in clear text' });
  expect(line).toBe('by hand, and not taken: it is in clear text');
  expect(answerLine('gateway.watch', {})).toBe('nothing new until its time');
  expect(answerLine('gateway.find', {})).toBe('no such order');
});

test('an answer in our envelope is told as what is in it, and settings are no answer of the gateway', () => {
  const told = (activity: string, value: unknown) => answerLine(activity, { is: 'told', told: value });
  expect(told('gateway.find-account', { account_id: 'A1', status: 'ACTIVE' })).toBe('ACTIVE');
  expect(told('gateway.find-account', null)).toBe('no such account');
  expect(told('gateway.watch-account', { is: 'settings' })).toBe('settings');
  expect(told('gateway.account-quantity', 7)).toBe('7 virtual accounts left');
  expect(told('gateway.account-policy', { patience_ms: 1 })).toBeUndefined();
  expect(answerLine('gateway.policy', { patience_ms: 1 })).toBeUndefined();
});

test('a look of a moment tells the trade that it saw, and nothing where the gateway was not fast enough', () => {
  const trade = { trade_status: 'SUCCESS', order_amount: '150.00', order_currency: 'BRL' };
  expect(answerLine('gateway.glance', trade)).toBe('SUCCESS 150.00 BRL');
  expect(answerLine('gateway.glance', {})).toBeUndefined();
});

test('what a delivery of events is told is told in words', () => {
  expect(askedLine('tell', {})).toBe('events to deliver');
});

test('a notification without any state, as the after-sale sends it to a refund, is told as a call to look', () => {
  expect(askedLine('notification', {})).toBe('a call to look at the gateway');
});

test('an answer without a trade, such as of an account, and an after-sale of a payment that needs nobody say no more than that', () => {
  expect(answerLine('gateway.create-account', { is: 'created', account: {} })).toBe('created');
  const answer = { trade_no: 'T1', trade_status: 'PROCESSING' };
  expect(answerLine('gateway.create', { is: 'created', answer })).toBe('created, trade T1, PROCESSING');
  const goesOn = (attention: string | null) => orderLine({ payment: { end: { state: { attention } } } });
  expect(goesOn(null)).toBe('goes on after the payment');
  expect(goesOn('late-payment')).toBe('goes on after the payment, which needs a person: late-payment');
});

test('an amount is written as everywhere, however it was typed, and what is no amount as it is', () => {
  const request = { refund_amount: '3', refund_currency: 'MXN', out_request_no: 'r-1' };
  expect(askedLine('gateway.refund', { request })).toBe('to send a refund of 3.00 MXN r-1');
  expect(askedLine('refund', request)).toBe('refund of 3.00 MXN r-1');
  expect(askedLine('notification', { trade_status: 'SUCCESS', amount: '1.500,00', currency: 'BRL' })).toBe(
    'SUCCESS 1.500,00 BRL',
  );
});

test('a creation and a refund are not told as sent before their answer says so', () => {
  const request = { order_amount: '150.00', order_currency: 'BRL' };
  expect(askedLine('gateway.create', { request })).toBe('to send a creation of 150.00 BRL');
  const message = 'Order order-1 was not sent in its time.';
  expect(answerLine('gateway.create', { is: 'not-sent', message })).toBe(`not-sent: ${message}`);
  const moved = (trade: object | null) => answerLine('gateway.refund', { is: 'moved', trade });
  expect(moved({ trade_status: 'DISPUTE' })).toBe('not sent: the trade is DISPUTE now');
  expect(moved(null)).toBe('not sent: no trade that allows it was seen');
});
