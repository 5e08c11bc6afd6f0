/**
 * Places of a payment's tables, fold and next step that are broken on purpose, and that the explorer finds: name, file, what stands
 * there, and what stands there instead. Random stories find some of them as well: these stand in model-mutations.cjs, too.
 */
const STEPS = 'src/workflows/payment/creation-table.ts';
const FOLD = 'src/workflows/payment/fold.ts';
const KNOWN = 'src/workflows/payment/known-payment.ts';
const NEXT = 'src/workflows/payment/next-step.ts';
const LOOKED = 'src/workflows/payment/look-results.ts';

module.exports = [
  [
    'a denial after an outage decides nothing',
    FOLD,
    "case 'a new look':\n      return withCreation(known, { looked: 'not-yet' });",
    "case 'a new look':\n      return known;",
  ],
  ['a request without an answer was not sent', FOLD, "  if (is === 'unknown') return furtherOf(known, 'sent');\n", ''],
  [
    'a refused order is not asked for',
    STEPS,
    "  [{ mayExist: false, said: 'created-refused', looked: 'not-yet' }, 'ask'],\n",
    '',
  ],
  [
    'a refused order that is not shown is over',
    LOOKED,
    "    : { is: 'missed', looked: 'no-answer', after };",
    "    : { is: 'missed', looked: 'no-such-order', after };",
  ],
  [
    'a refused order whose query has no answer is watched by nobody',
    KNOWN,
    "mayExist(known) || (known.creation.said === 'created-refused' && known.creation.looked === 'no-answer');",
    'mayExist(known);',
  ],
  ['an order is sent again without a look', STEPS, "  [{ looked: 'not-yet' }, 'look'],\n", ''],
  ['an order is sent again after a silence', STEPS, "  [{ looked: 'no-answer' }, 'look-on'],\n", ''],
  ['an order is sent again at once, again and again', STEPS, "  [{ isRested: false }, 'rest'],\n", ''],
  [
    'an order that may exist is given up in the end',
    STEPS,
    "  [{ isInTime: false }, 'look-on'],\n",
    "  [{ isInTime: false }, 'end-not-sent'],\n",
  ],
  [
    'an order that may exist can be withdrawn',
    STEPS,
    "  [{ isWithdrawn: true }, 'look-on'],\n",
    "  [{ isWithdrawn: true }, 'end-not-sent'],\n",
  ],
  ['an order is sent after its time', STEPS, "  [{ mayExist: false, isInTime: false }, 'end-not-sent'],\n", ''],
  ['an order is sent after its withdrawal', STEPS, "  [{ mayExist: false, isWithdrawn: true }, 'end-not-sent'],\n", ''],
  ['an order is sent after a notification', KNOWN, 'isNotified: known.claims.length > 0,', 'isNotified: false,'],
  [
    'a refusal after a busy answer is believed',
    STEPS,
    "  [{ mayExist: false, wasBusy: true, said: 'not-created', looked: 'not-yet' }, 'look'],\n",
    '',
  ],
  [
    'a busy gateway has made nothing',
    STEPS,
    "  [{ mayExist: false, wasBusy: true, said: 'nothing', looked: 'not-yet' }, 'look'],\n",
    '',
  ],
  [
    'a number that is taken after a busy answer is another’s',
    FOLD,
    "is === 'duplicate' && known.creation.reach === 'busy' ? 'perhaps' : known",
    'known',
  ],
  [
    'an order that is found after a busy answer is another’s',
    KNOWN,
    "wasMadeBefore(known) || known.creation.reach !== 'none';",
    'wasMadeBefore(known);',
  ],
  [
    'a trade that only the number links to us is sold without a word',
    LOOKED,
    "    ...(isUnproven ? [{ is: 'raised', attention: 'unproven-trade' } as const] : []),\n",
    '',
  ],
  [
    'another amount is sold',
    FOLD,
    "return isMismatch && outcomeOf(trade_status) === 'SUCCESS' ?",
    "return isMismatch && outcomeOf(trade_status) === 'CANCEL' ?",
  ],
  [
    'another amount that is notified is sold',
    FOLD,
    "return isMismatch && outcomeOf(trade_status) === 'SUCCESS' ?",
    "return isMismatch && source === 'query' && outcomeOf(trade_status) === 'SUCCESS' ?",
  ],
  [
    'a notification of any trade is believed',
    NEXT,
    'settings.confirm_by_query || known.shown.trade_no === null ? []',
    'settings.confirm_by_query ? []',
  ],
  ['a notification is not looked at', NEXT, '(isNotified(known) || isAsked ? ', '(isAsked ? '],
  [
    'a look at our trade settles what names another',
    FOLD,
    'const seen = known.claims.filter(({ heard, signal }) => heard <= after && isSeen(signal));',
    'const seen = known.claims.filter(({ heard }) => heard <= after);',
  ],
  [
    'money that a query does not show is forgotten',
    FOLD,
    '  for (const one of ofMoney) if (!remembered.some((other) => saysTheSame(one, other))) remembered.push(one);\n',
    '',
  ],
  [
    'an old replica unsays the money of another trade',
    'src/contract/transitions.ts',
    "  return isUnsaid || classifyTransition(known, said) === 'stale' ? known : said;",
    '  return said;',
    undefined,
    [[LOOKED, '(known?.trade_status && !isBehind(known.trade_status, [{ trade_status }]))', 'known?.trade_status']],
  ],
  [
    'nobody is asked about money that stays unconfirmed',
    NEXT,
    'doubtDue !== null && doubtDue <= now && isUntold(known)',
    'doubtDue !== null && doubtDue < 0',
  ],
  [
    'a silence ends the payment',
    NEXT,
    "known.look?.isSilent ? { take: 'insist' } : undefined",
    "known.look?.isSilent ? { take: 'expire' } : undefined",
  ],
  [
    'a payment of another amount is looked at again and again',
    NEXT,
    "(needsDecision(known) ? { take: 'decide' }",
    "(needsDecision(known) ? { take: 'look' }",
  ],
  ['what was notified is news for ever', FOLD, 'looked_after: known.claimed, look:', 'look:'],
];
