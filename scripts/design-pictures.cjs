/**
 * Writes the pictures of docs/design.md: where each arrow ends is what the tables of the built package say. With --check it writes nothing, and
 * exits with 1 where the page has other pictures.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { ACCOUNT_RUNBOOK, isAfterSaleStatus, outcomeOf } = require('../lib/contract');
const { TRADE_STATUSES } = require('../lib/gateway/pure/names.js');
const { nextCreationStep } = require('../lib/workflows/payment/creation-table.js');
const { outcomeNamed, verdictOn } = require('../lib/workflows/after-sale/refund-table.js');

const PAGE = join(__dirname, '../docs/design.md');

/** A state's name as Mermaid takes it. */
const idOf = (name) => name.replace(/^end-/, 'ends-').replaceAll('-', '_');

/** One line an arrow; what leads from one state to the same other one stands on one arrow. */
function arrows(steps) {
  const labels = new Map();
  for (const { from, to, label } of steps) {
    const arrow = `${idOf(from)} --> ${idOf(to)}`;
    labels.set(arrow, [...new Set([...(labels.get(arrow) ?? []), ...(label ? [label] : [])])]);
  }
  return [...labels].map(([arrow, texts]) => (texts.length > 0 ? `${arrow}: ${texts.join(' / ')}` : arrow));
}

/** What may follow each step of a creation: how it changes the facts. A name in place of them is an end that the table does not have. */
const KNOWN = 'known';
const AFTER = {
  send: ({ mayExist }) => {
    const sent = { looked: 'not-yet', isRested: !mayExist };
    return [
      ['answered', KNOWN],
      ['no answer', { ...sent, mayExist: true, mayBeReached: true }],
      ['refused', { ...sent, said: 'not-created' }],
      ['refused by the bank', { ...sent, said: 'created-refused' }],
      ['number is taken', { ...sent, said: 'duplicate' }],
    ];
  },
  look: ({ said }) => [
    ['found', KNOWN],
    [said === 'nothing' ? 'no such order' : `no such order, said ${said}`, { looked: 'no-such-order' }],
    ['silence', { looked: 'no-answer' }],
  ],
  'look-on': () => [
    ['found', KNOWN],
    ['news', { looked: 'not-yet' }],
  ],
  ask: () => [
    ['alive', KNOWN],
    ['over', { looked: 'no-such-order' }],
  ],
  rest: () => [['rested', { isRested: true }]],
  compare: () => [
    ['ours', KNOWN],
    ['of others', 'DuplicateOrder'],
  ],
};
/** What may come from outside at any time. */
const OUTSIDE = [
  ['notified', { isNotified: true, looked: 'not-yet' }],
  ['withdrawn', { isWithdrawn: true }],
  ['too late', { isInTime: false }],
];
const UNSENT = {
  ...{ hasEnded: false, mayExist: false, mayBeReached: false, said: 'nothing', looked: 'not-yet' },
  ...{ isNotified: false, isWithdrawn: false, isInTime: true, isRested: true },
};

/** Every step that can follow, from an order that nobody has sent. */
function creation() {
  const steps = [{ from: '[*]', to: nextCreationStep(UNSENT) }];
  const seen = new Set();
  const open = [UNSENT];
  for (const facts of open) {
    const from = nextCreationStep(facts);
    const outside = from === 'rest' || (from === 'send' && !facts.mayExist) ? OUTSIDE : [];
    for (const [label, change] of [...(AFTER[from]?.(facts) ?? []), ...outside]) {
      if (typeof change === 'string') {
        steps.push({ from, to: change, label });
        continue;
      }
      const then = { ...facts, ...change };
      const to = nextCreationStep(then);
      if (to !== from) steps.push({ from, to, label });
      const key = JSON.stringify(then);
      if (!seen.has(key)) open.push(then);
      seen.add(key);
    }
  }
  return arrows(steps);
}

/** A constant of a built module that no other file needs. */
function constantOf(path, name) {
  const file = require.resolve(`../lib/${path}`);
  const inside = new Module(file);
  inside.filename = file;
  inside._compile(`${readFileSync(file, 'utf8')}\nexports.${name} = ${name};`, file);
  return inside.exports[name];
}

/** How a trade goes on until its money has come, or it ends without. */
function wait() {
  const isBefore = (status) => !isAfterSaleStatus(status);
  const entries = Object.entries(constantOf('contract/transitions.js', 'NEXT')).filter(([from]) => isBefore(from));
  const moves = entries.flatMap(([from, next]) => next.filter(isBefore).map((to) => ({ from, to })));
  const ends = entries.filter(([status]) => outcomeOf(status)).map(([from]) => ({ from, to: '[*]' }));
  const begins = ['INITIAL', 'PROCESSING'].map((to) => ({ from: '[*]', to }));
  return arrows([...begins, ...moves, ...ends]);
}

const VERDICTS = { accepted: 'ACCEPTED', refunded: 'REFUNDED', ask: 'a_person' };

/** A refund, from its request to the last word on it. */
function refund() {
  const rows = Object.keys(constantOf('workflows/after-sale/refund-table.js', 'TABLE'));
  const shown = (from, column) =>
    rows.flatMap((row) =>
      [false, true].flatMap((nothingLeft) => {
        const to = VERDICTS[verdictOn(row, column, nothingLeft).is];
        return to && to !== from ? { from, to, label: row } : [];
      }),
    );
  const named = TRADE_STATUSES.flatMap((status) => {
    const to = outcomeNamed(status);
    return to ? { from: 'ACCEPTED', to, label: 'notified' } : [];
  });
  return arrows([
    { from: '[*]', to: 'waits', label: 'requested' },
    { from: 'waits', to: 'sent', label: 'its turn, after a look' },
    { from: 'sent', to: 'ACCEPTED', label: 'taken' },
    { from: 'sent', to: 'NOT_CREATED', label: 'certainly refused' },
    { from: 'sent', to: 'lost', label: 'anything else' },
    ...[...shown('ACCEPTED', 'accepted'), ...shown('lost', 'lost alone')],
    ...named,
    ...['REFUNDED', 'REFUND_REFUSED', 'REFUND_REVOKE', 'NOT_CREATED'].map((to) => ({
      from: 'a_person',
      to,
      label: 'decides',
    })),
  ]);
}

/** A virtual account and its deposits, with each reason for a person. */
function account() {
  const reasons = (kind, isMeant) =>
    Object.entries(ACCOUNT_RUNBOOK[kind]).flatMap(([reason, entry]) => (isMeant(entry) ? reason : []));
  const isUncounted = ({ after }) => after.includes('stays uncounted');
  // What both have is that the gateway does not answer.
  const isOfBoth = (reason) =>
    reason in ACCOUNT_RUNBOOK['spei-account'] && reason in ACCOUNT_RUNBOOK['create-spei-account'];
  const labelOf = (reason) => (isOfBoth(reason) ? 'no answer' : reason);
  const persons = (kind, from, isMeant) =>
    reasons(kind, isMeant).map((reason) => ({ from, to: 'a_person', label: labelOf(reason) }));
  return arrows([
    { from: '[*]', to: 'creation' },
    { from: 'creation', to: 'account', label: 'answered' },
    ...persons('create-spei-account', 'creation', () => true),
    { from: 'a_person', to: 'account', label: 'names it' },
    { from: 'a_person', to: 'creation', label: 'there is none' },
    { from: 'account', to: 'deposit', label: 'notified' },
    { from: 'deposit', to: 'counted', label: 'a query shows it' },
    ...reasons('spei-account', isUncounted).map((label) => ({ from: 'deposit', to: 'set-aside', label })),
    ...persons('spei-account', 'account', (entry) => !isUncounted(entry)),
  ]);
}

const PICTURES = { 'payment-creation': creation, 'payment-wait': wait, refund, account };

const page = readFileSync(PAGE, 'utf8');
const drawn = page.replace(/(<!-- picture: ([\w-]+) -->\n\n```mermaid\n).*?(```)/gs, (_, start, name, end) => {
  const lines = ['stateDiagram-v2', ...PICTURES[name]().map((line) => `  ${line}`)];
  return `${start}${lines.join('\n')}\n${end}`;
});
if (!process.argv.includes('--check')) writeFileSync(PAGE, drawn);
else if (drawn !== page) throw new Error('docs/design.md has other pictures: npm run docs:design writes them');
