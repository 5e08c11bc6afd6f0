/**
 * Breaks the workflows at named places, one at a time in a copy of the project, and runs the model tests on it: each must
 * fail. A place that stays green is a promise that no test watches. `npm run model:mutations [name …]`
 */
const { spawnSync } = require('node:child_process');
const { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');

const RUNS = process.env.MODEL_RUNS ?? '400';

const STEPS = 'src/workflows/payment/creation-steps.ts';
const WAIT = 'src/workflows/payment/await-outcome.ts';
const RECORD = 'src/workflows/payment/record.ts';

/** Name, file, what stands there, what stands there instead. */
const MUTATIONS = [
  [
    'an unknown creation counts as none',
    'src/workflows/payment/creation.ts',
    "if (tried.is === 'unknown' || (tried.is === 'duplicate' && tried.reached)) this.mayExist = true;",
    "if (tried.is === 'duplicate' && tried.reached) this.mayExist = true;",
  ],
  ['an order that may exist is sent again without a look', STEPS, "  [{ looked: 'not-yet' }, 'look'],\n", ''],
  ['a look without an answer counts as no order', STEPS, "  [{ looked: 'no-answer' }, 'look-on'],\n", ''],
  [
    'an order is sent although a notification named a trade',
    STEPS,
    "  [{ mayExist: false, isNotified: true, looked: 'not-yet' }, 'compare'],\n  [{ isNotified: true, looked: 'not-yet' }, 'look'],\n  [{ isNotified: true }, 'look-on'],\n",
    '',
  ],
  [
    'an order that may exist is given up when its time is over',
    STEPS,
    "  [{ isInTime: false }, 'look-on'],\n",
    "  [{ isInTime: false }, 'end-not-sent'],\n",
  ],
  ['a withdrawn order is sent', STEPS, "  [{ mayExist: false, isWithdrawn: true }, 'end-not-sent'],\n", ''],
  [
    'an order is sent after its time',
    'src/activities/create-order.ts',
    'if (Math.max(currentAttemptScheduledTimestampMs, currentTime()) >= send_before)',
    'if (Number.isNaN(send_before))',
  ],
  [
    'a reset run sends as if it were the first',
    'src/activities/create-order.ts',
    'workflowExecution.runId !== original_run_id)',
    "workflowExecution.runId === '')",
  ],
  [
    'a duplicate after a try that reached the gateway counts as made elsewhere',
    'src/activities/create-order.ts',
    "if (isDuplicate(fields)) return { is: 'duplicate', error: fields, message, reached };",
    "if (isDuplicate(fields)) return { is: 'duplicate', error: fields, message, reached: false };",
  ],
  ['notifications are believed', WAIT, 'if (!policy.confirm_by_query) {', 'if (policy.confirm_by_query) {'],
  ['a wrong amount is not noticed', RECORD, "if (mismatch) this.raise('amount-mismatch');", ''],
  [
    'another amount ends in SUCCESS',
    RECORD,
    "if (!mismatch || outcomeOf(trade.trade_status) !== 'SUCCESS') this",
    'this',
  ],
  [
    'another request is answered',
    'src/workflows/payment/workflow.ts',
    '    if (fields.length === 0) return;',
    '    if (fields.length >= 0) return;',
  ],
  [
    'the payment gives up at its own deadline',
    WAIT,
    'for (const stage of stages) await',
    'for (const stage of stages.slice(0, 1)) await',
  ],
  [
    'polls stop',
    WAIT,
    'return await waitForTradeChange(watch,',
    'return await waitForTradeChange({ ...watch, schedule: { poll_schedule_ms: [1e9], poll_every_ms: 1e9 } },',
  ],
  ['a person’s decision is ignored', RECORD, 'this.state.outcome = resolution.outcome;', ''],
  [
    'money that is notified at the end is left behind',
    'src/workflows/payment/ending.ts',
    'reopenFor: last && { trade_no: last.trade_no ?? trade_no },',
    'reopenFor: undefined,',
  ],
  [
    'another trade that is told of at the end is dropped',
    'src/workflows/payment/ending.ts',
    'otherTrades: last === undefined ? named.filter((one) => one !== trade_no) : [],',
    'otherTrades: [],',
  ],
  [
    'an order of another system that a notification named is taken for ours',
    'src/workflows/payment/creation.ts',
    'if (!earlier?.is_same_order) throw duplicateOrderFailure(this.order, trade);',
    '',
  ],
  [
    'a reset run that is withdrawn says that nothing was sent',
    'src/workflows/payment/creation.ts',
    'if (!(await this.earlierRun())?.is_same_order) throw',
    'throw',
  ],
  ['a payment expires although the gateway gives no answer', WAIT, '!record.isOver && !this.wasAnswered;', 'false;'],
  [
    'a follow-up keeps the money that it finds to itself',
    'src/workflows/payment/follow-up.ts',
    'while (!(await this.tryToHandOn()));',
    '',
  ],
  [
    'what the gateway denied before it caught up is forgotten',
    'src/workflows/payment/creation.ts',
    'this.mailbox.deny(notifications);',
    'this.mailbox.settle(notifications);',
  ],
  ['a second trade is not told', 'src/workflows/payment/other-trades.ts', "  context.raise('second-trade');\n", ''],
  [
    'a notification is settled before it was looked into',
    'src/workflows/shared/mailbox.ts',
    'this.entries = this.entries.filter(({ notification }) => !notifications.includes(notification));',
    'this.entries = notifications.length > 0 ? [] : this.entries;',
  ],
  [
    'a payment that may still be paid is not watched on',
    'src/workflows/payment/ending.ts',
    'mayStillBePaid: !isSold && (mayHaveSent || isOpenAtTheGateway(state)),',
    'mayStillBePaid: false,',
  ],
  [
    'a late payment needs no person',
    RECORD,
    "if (this.latePaymentPolicy === 'attention') this.raise('late-payment');",
    '',
  ],
  [
    'an event gets one try and no more',
    'src/workflows/shared/outbox/delivery.ts',
    "return this.state === 'delivering' && this.retry(event);",
    'return true;',
  ],
  [
    'a creation is repeated after its worker died',
    'src/workflows/shared/activity-options.ts',
    "nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat']",
    'nonRetryableErrorTypes: []',
  ],
];

/** The same for refunds, whose stories are others. */
const OF_REFUNDS = [
  [
    'what is refunding counts as nothing',
    'src/workflows/after-sale/refund-ledger.ts',
    "'under way': 'refunding'",
    "'under way': 'nothing'",
  ],
  [
    'a refund with a lost answer is requested again',
    'src/workflows/after-sale/refund/workflow.ts',
    '      if (!unchangedMeansNoRefund(this.baseline)) return;\n',
    '',
  ],
  [
    'an unknown refund counts as none',
    'src/workflows/after-sale/refund/workflow.ts',
    '      if (this.attributed) return this.onExisting();\n',
    '',
  ],
  [
    'a refund is requested again after its worker died',
    'src/workflows/shared/activity-options.ts',
    "nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat']",
    'nonRetryableErrorTypes: []',
  ],
  [
    'the amount of a refund is freed by a status that is not stable',
    'src/workflows/after-sale/refund/workflow.ts',
    'if (await this.isStable(status)) this.end(outcome);',
    'this.end(outcome);',
  ],
  [
    'a new run of the after-sale forgets the earlier one',
    'src/workflows/after-sale/workflow.ts',
    '      previous: this.state,\n',
    '',
  ],
];

const root = resolve(__dirname, '..');
const wanted = process.argv.slice(2);
const places = [
  ...MUTATIONS.map((place) => [...place, 'test/workflows/payment/(hostile|model)']),
  ...OF_REFUNDS.map((place) => [...place, 'test/workflows/after-sale/model']),
].filter(([name]) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
let green = 0;
for (const [name, file, from, to, stories] of places) {
  const copy = mkdtempSync(join(tmpdir(), 'model-mutation-'));
  try {
    for (const part of ['src', 'test', 'package.json', 'tsconfig.json', 'jest.config.js'])
      cpSync(join(root, part), join(copy, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${name}: ${file} does not hold "${from}" exactly once`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    const { status, stdout, stderr } = spawnSync('npx', ['jest', stories], {
      cwd: copy,
      env: { HOSTILE_RUNS: '300', HOSTILE_SEED: '20261121', ...process.env, MODEL_RUNS: RUNS },
      encoding: 'utf8',
    });
    const after = /Property failed after (\d+) tests/.exec(stdout + stderr)?.[1];
    // A copy that does not even run says nothing of the stories.
    if (status !== 0 && !/Tests: +\d+ failed/.test(stderr + stdout)) throw new Error(`${name}: ${stderr.slice(-2000)}`);
    if (status === 0) green += 1;
    console.log(`${status === 0 ? 'GREEN' : 'red  '}  ${name}${after ? ` (after ${after} stories)` : ''}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
console.log(`${places.length - green} of ${places.length} places fail when they are broken, in ${RUNS} stories each`);
process.exitCode = green === 0 ? 0 : 1;
