import { answerLine, askedLine } from '../../src/temporal/timeline-lines';

test('an activity that somebody completed by hand is told as that, and not as an answer of the gateway', () => {
  const line = answerLine('gateway.watch', { foreign_input: 'it is in clear text' });
  expect(line).toBe('by hand, and not taken: it is in clear text');
  expect(answerLine('gateway.watch', {})).toBe('nothing new until its time');
  expect(answerLine('gateway.find', {})).toBe('no such order');
});

test('a notification without any state, as the after-sale sends it to a refund, is told as a call to look', () => {
  expect(askedLine('notification', {})).toBe('a call to look at the gateway');
});
