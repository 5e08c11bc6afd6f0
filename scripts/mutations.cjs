/**
 * Changes tables and conditions of one room, one at a time, with Stryker, and runs the tests that hold them: `npm run mutations -- after-sale`.
 * What survives is a rule that no named test watches. A room takes hours; a file is named so:
 * `npm run mutations -- after-sale --mutate src/workflows/after-sale/refund-table.ts`.
 */
const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const within = (folder, names) => {
  const files = names.split(' ').map((name) => `${folder}/${name}.ts`);
  // Stryker only warns of a file that is no more, and its rules would go unwatched.
  const missing = files.filter((file) => !existsSync(join(__dirname, '..', file)));
  if (missing.length > 0) throw new Error(`There is no ${missing.join(', no ')}: name the files as they are now.`);
  return files;
};
const NAMED_SCHEDULES = '!(hostile|planted).test.ts';
/** What is changed, and which tests have to notice: no random story, and no server. */
const ROOMS = {
  'after-sale': {
    mutate: [
      ...within('src/workflows/after-sale', 'fold ledger movements next-step payment-end readings'),
      ...within('src/workflows/after-sale', 'refund-end refund-requests refund-table resolve'),
    ],
    tests: [`workflows/after-sale/**/${NAMED_SCHEDULES}`, 'activities/make-refund.test.ts'],
  },
  payment: {
    mutate: [
      ...within('src/workflows/payment', 'answers creation-table deadlines fold hand-over known-before known-payment'),
      ...within('src/workflows/payment', 'look-results next-step resolve trade-looks'),
      ...within('src/contract', 'same-order trade-status-table transitions'),
    ],
    tests: [`workflows/payment/**/${NAMED_SCHEDULES}`, 'contract/*.test.ts'],
  },
  account: {
    mutate: [
      ...within('src/workflows/account', 'confirmations deposit-counting deposit-ledger deposit-payment record'),
    ],
    tests: [`workflows/account/**/${NAMED_SCHEDULES}`],
  },
  sending: {
    mutate: [...within('src/activities', 'create-order failures make-refund own-run send-once')],
    tests: ['activities/*.test.ts', `workflows/{payment,after-sale}/**/${NAMED_SCHEDULES}`],
  },
  security: {
    mutate: [
      ...within('src/webhook', 'body-reader connections refused-senders start-budget verify-notification webhook'),
      ...within('src/codec', 'encryption-codec login-keys mask server'),
      ...within('src/gateway', 'notification-signature sealing shown'),
    ],
    tests: ['webhook/*.test.ts', 'codec/*.test.ts', 'gateway/*.test.ts'],
  },
};

const [name, ...more] = process.argv.slice(2);
const room = ROOMS[name];
if (room === undefined) {
  console.error(`Say which room: npm run mutations -- ${Object.keys(ROOMS).join('|')}`);
  process.exit(2);
}
const mutate = more.includes('--mutate') ? [] : ['--mutate', room.mutate.join(',')];
const { status } = spawnSync('npx', ['stryker', 'run', 'test/mutations/stryker.config.json', ...mutate, ...more], {
  stdio: 'inherit',
  env: { ...process.env, MUTATIONS_TESTS: room.tests.map((glob) => `<rootDir>/test/${glob}`).join(' ') },
});
process.exitCode = status ?? 1;
