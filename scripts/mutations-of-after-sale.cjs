/** Places of the tables and the fold that are broken on purpose: name, file, what stands there, and what stands there instead. */
const TABLE = 'src/workflows/order/refund-table.ts';
const REFUND_END = 'src/workflows/order/refund-end.ts';
const FOLD = 'src/workflows/order/fold.ts';
const NEXT = 'src/workflows/order/next-step.ts';
const LEDGER = 'src/workflows/order/ledger.ts';
const MOVEMENTS = 'src/workflows/order/movements.ts';
const VERDICTS = 'src/workflows/order/refund-end.ts';

module.exports = [
  [
    'a refund that the trade never shows is forgotten',
    TABLE,
    'accepted: A_DAY,                ',
    'accepted: OPEN,                 ',
  ],
  [
    'a refund whose answer was lost counts as accepted',
    TABLE,
    "'lost alone': LAG,             'lost beside others': LAG },\n  // The trade",
    "'lost alone': ACCEPTED,        'lost beside others': LAG },\n  // The trade",
  ],
  [
    'whatever the trade calls refunded is done',
    TABLE,
    'accepted: [ACCEPTED, REFUNDED]',
    'accepted: [REFUNDED, REFUNDED]',
  ],
  [
    'a trade that says refused is passed over',
    VERDICTS,
    '  if (hasUnnamedEnd) return WHOSE_END;',
    "  if (hasUnnamedEnd && row !== 'refused') return WHOSE_END;",
  ],
  [
    'an amount is free while a person is asked',
    LEDGER,
    "outcome === 'REFUNDED' || asked !== null || (begun",
    "outcome === 'REFUNDED' || (begun",
  ],
  [
    'a refund of others that a notification names is forgotten',
    FOLD,
    'refund.begun === null) return withUnknownRefund(held);',
    'refund.begun === null) return held;',
  ],
  [
    'a refund of others that the trade shows is forgotten',
    FOLD,
    'return isOurs ? order : withUnknownRefund(order);',
    'return order;',
  ],
  ['an end that shows for a moment is forgotten', VERDICTS, '  if (hasUnnamedEnd) return WHOSE_END;', ''],
  ['an end that a late answer shows is forgotten', FOLD, '? askedOfAllGone(heard) : heard;', '? heard : heard;'],
  [
    'an end that is notified without a number is forgotten',
    FOLD,
    '!== meaning ? askedOfAllGone(order) : order;',
    '!== meaning ? order : order;',
  ],
  [
    'a late notification about an earlier try frees the later one',
    REFUND_END,
    'return withRefund(order, number, refund.attempt > 1 ? CONTRADICTED : end);',
    '',
  ],
  [
    'a refund whose answer was lost is sent again',
    REFUND_END,
    "return withRefund(order, number, { phase: 'lost', answered_at: at });",
    "return withRefund(order, number, { phase: 'waiting', begun: null, moved: false });",
  ],
  [
    'that the bank takes the money back is forgotten',
    FOLD,
    'takesMoneyBack(status) ? { ...order, bank: { status, at } } : order;',
    'takesMoneyBack(status) ? order : order;',
  ],
  ['that the trade has shown a refund is forgotten', FOLD, '{ ...one, moved: true }', '{ ...one, moved: false }'],
  [
    'a notification that the gateway does not confirm at once is forgotten',
    FOLD,
    '|| isLasting);\n  const held',
    '|| true);\n  const held',
  ],
  [
    'a refund beside others counts as the only one',
    VERDICTS,
    'others.length === 0 && isComplete(order)',
    'isComplete(order)',
  ],
  [
    'what is under way long after the end that a number says counts as ours',
    MOVEMENTS,
    '  if (over_by !== null) return shown_at < over_by + lag_ms;\n',
    '',
  ],
  [
    'a part that may have ended unseen explains whatever is under way later',
    MOVEMENTS,
    'return !mayEndUnseen || answered_at === null || at < answered_at + seen_ms;',
    'return true;',
  ],
  [
    'an end that is shown for a moment never is the end of a part',
    MOVEMENTS,
    " && !(was === 'under way' && PAID.includes(is))) return",
    ') return',
  ],
  ['what a person has said is asked again', VERDICTS, 'if (decided?.shown === seen.status) return undefined;', ''],
  [
    'what the trade has shown counts as ours, although a person says that there was none',
    'src/workflows/order/resolve.ts',
    'const explained = isOfOthers ? withUnknownRefund(named) : named;',
    'const explained = named;',
  ],
  [
    'what waits for its turn is granted again',
    LEDGER,
    "mayBeGone(one) || one.phase === 'waiting');",
    'mayBeGone(one));',
  ],
  [
    'a refund is sent while nobody knows what became of another',
    NEXT,
    "others.some((one) => one.phase === 'lost' || one.asked !== null)",
    "others.some((one) => one.number === '')",
  ],
  ['a notification is not looked at', NEXT, 'isBehind(order) || order.held', 'order.held'],
  [
    'a refund is sent while others are known that nobody has named',
    NEXT,
    'return isComplete(order) ? undefined : elsewhereUnknown(seen?.status ?? null);',
    'return undefined;',
  ],
  [
    'a refund is sent although the bank was heard to take the money back',
    NEXT,
    'now - bank.at < BANK_LAG_MS',
    'now - bank.at < 0',
  ],
];
