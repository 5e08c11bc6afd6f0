/** Places of a payment's end and of late money that are broken on purpose: name, file, what stands there, and what stands there instead. */
const END = 'src/workflows/order/payment-end.ts';
const FOLD = 'src/workflows/order/fold.ts';
const HAND_OVER = 'src/workflows/payment/hand-over.ts';

module.exports = [
  [
    'money after the end is before nobody',
    END,
    "toldOutcome(order) !== 'SUCCESS' && hasMoney(order) && order.decision?.knew !== true;",
    'false;',
  ],
  [
    'money that a person knew of is late all the same',
    END,
    'hasMoney(order) && order.decision?.knew !== true;',
    'hasMoney(order);',
  ],
  [
    'another amount after the end counts as paid',
    END,
    'return amount !== undefined && isUnlikeOrder(ordered, said) ? { amount, currency } : undefined;',
    'return undefined;',
  ],
  [
    'late money of a trade of others is refunded',
    END,
    'payment?.made_here === true && isNamedByItsCreation(payment.state, trade_no);',
    'payment !== null || trade_no !== null;',
  ],
  [
    'what was sold and is none any more is before nobody',
    END,
    "return outcomeOf(seen.status) !== 'SUCCESS' && !isSeen;",
    'return false;',
  ],
  [
    'what may still be paid is watched by nobody',
    END,
    '  if (payment === null) return 0;\n',
    '  if (payment === null || payment) return 0;\n',
  ],
  [
    'trades that were named under the number are not asked for',
    END,
    'return [own, ...byNumber, ...named.map((one) => ({ trade_no: one }))];',
    'return [own];',
  ],
  [
    'what was notified and not looked at is not handed over',
    HAND_OVER,
    'claims: compared.filter(isNews).map(claimOf),',
    'claims: [],',
  ],
  [
    'what comes while a payment hands itself over is lost',
    HAND_OVER,
    'if (news === handed || !isNeeded) return;',
    "if (handed !== '' || !isNeeded) return;",
  ],
  [
    'what a person is asked about ends with the payment',
    FOLD,
    'const raisedAll = (order: KnownOrder) => reasons.reduce(raised, order);',
    'const raisedAll = (order: KnownOrder) => order;',
  ],
  [
    'what a person said of one order counts for the next one under the number',
    FOLD,
    'decision: payment.repeats ? before.decision : null,',
    'decision: before.decision,',
  ],
  [
    'another trade under the number is asked for by nobody',
    'src/workflows/order/next-step.ts',
    "const other = order.others.find(({ asked }) => asked === 'not yet');",
    'const other = order.others.find(() => false);',
  ],
];
