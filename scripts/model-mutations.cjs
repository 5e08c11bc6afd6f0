/**
 * Breaks the payment workflow at named places, one at a time in a copy of the project, and plays the model's stories on it:
 * each must fail. A place that stays green is a promise that no story watches. `npm run model:mutations [name …]`
 */
const { spawnSync } = require('node:child_process');
const { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');

const RUNS = process.env.MODEL_RUNS ?? '400';

/** Name, file, what stands there, what stands there instead. */
const MUTATIONS = [
  [
    'an unknown creation is taken for none',
    'src/workflows/creation.ts',
    '        mayExist = true;',
    '        if (pause > 0) continue;',
  ],
  [
    'the order that is found after an unknown try is ignored',
    'src/workflows/creation.ts',
    '    if (found) return recover(found, order, life);',
    '    if (found && pause > LONGEST_PAUSE_MS) return recover(found, order, life);',
  ],
  [
    'a duplicate after an unknown try is somebody else’s',
    'src/workflows/creation.ts',
    'if (!mayExist && tried.attempt === 1)',
    'if (tried.attempt === 1)',
  ],
  [
    'looks for an order end at the first',
    'src/activities/gateway-activities.ts',
    'waited_ms >= settling_ms) return null',
    'waited_ms >= 0) return null',
  ],
  [
    'notifications are believed',
    'src/workflows/watching.ts',
    'if (!policy.confirm_by_query) {',
    'if (policy.confirm_by_query) {',
  ],
  [
    'the amount is not looked at',
    'src/workflows/payment-record.ts',
    "if (mismatch) this.raise('amount-mismatch');",
    '',
  ],
  [
    'another amount ends in SUCCESS',
    'src/workflows/payment-record.ts',
    "if (!mismatch || outcomeOf(trade.trade_status) !== 'SUCCESS') this",
    'this',
  ],
  [
    'another request is answered',
    'src/workflows/payment.ts',
    '    if (fields.length === 0) return;',
    '    if (fields.length >= 0) return;',
  ],
  [
    'the payment gives up at its own deadline',
    'src/workflows/watching.ts',
    'for (const stage of stages)',
    'for (const stage of stages.slice(0, 1))',
  ],
  [
    'polls stop',
    'src/workflows/watching.ts',
    'return nextNews(watch,',
    'return nextNews({ ...watch, schedule: { poll_schedule_ms: [1e9], poll_every_ms: 1e9 } },',
  ],
  ['a person’s word is not heard', 'src/workflows/payment-record.ts', 'this.state.outcome = resolution.outcome;', ''],
  [
    'money that is told of at the end is left behind',
    'src/workflows/payment.ts',
    '    await this.takeOnMoney();\n',
    '',
  ],
  [
    'what was announced is not asked for again',
    'src/workflows/announced.ts',
    'if (!isBehind(trade.trade_status) ||',
    'if (claims.length >= 0 ||',
  ],
  [
    'late money is no person’s business',
    'src/workflows/payment-record.ts',
    "if (this.lateMoney === 'attention') this.raise('late-payment');",
    '',
  ],
  [
    'events are told once and no more',
    'src/workflows/events.ts',
    'if (this.closing || this.handedOver) return false;',
    'return true;',
  ],
  [
    'a worker that dies makes the creation anew',
    'src/workflows/activity-options.ts',
    "nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat']",
    'nonRetryableErrorTypes: []',
  ],
];

/** The same for refunds, whose stories are others. */
const OF_REFUNDS = [
  [
    'what is refunding counts as nothing',
    'src/workflows/refund-ledger.ts',
    "'under way': 'refunding'",
    "'under way': 'nothing'",
  ],
  [
    'a refund that was lost is asked for again',
    'src/workflows/refund.ts',
    '      if (!tellsNothingWasMade(this.before)) return;\n',
    '',
  ],
  [
    'an unknown refund is taken for none',
    'src/workflows/refund.ts',
    '      if (this.moved) return this.existsAlready();\n',
    '',
  ],
  [
    'a worker that dies asks for the refund anew',
    'src/workflows/activity-options.ts',
    "nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat']",
    'nonRetryableErrorTypes: []',
  ],
  [
    'money is freed at the first look',
    'src/workflows/refund.ts',
    'if (await this.lasts(status)) this.ended(outcome);',
    'this.ended(outcome);',
  ],
  [
    'a new run of the after-sale forgets the former one',
    'src/workflows/after-sale.ts',
    'previous: this.state, announced',
    'announced',
  ],
];

const root = resolve(__dirname, '..');
const wanted = process.argv.slice(2);
const places = [
  ...MUTATIONS.map((place) => [...place, 'test/model']),
  ...OF_REFUNDS.map((place) => [...place, 'test/after-sale/model']),
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
      env: { ...process.env, MODEL_RUNS: RUNS },
      encoding: 'utf8',
    });
    const after = /Property failed after (\d+) tests/.exec(stdout + stderr)?.[1];
    if (status === 0) green += 1;
    console.log(`${status === 0 ? 'GREEN' : 'red  '}  ${name}${after ? ` (after ${after} stories)` : ''}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
console.log(`${places.length - green} of ${places.length} places fail when they are broken, in ${RUNS} stories each`);
process.exitCode = green === 0 ? 0 : 1;
