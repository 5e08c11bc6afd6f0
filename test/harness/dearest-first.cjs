/**
 * The order of the test files: those that take longest by the clock first, so that no worker is left alone with one of them at
 * the end. A fresh clone has no times of an earlier run, and Jest would go by the size of the files.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

const DEAREST = [
  // On simulated time: scripts/verify.sh runs them by themselves.
  'workflows/after-sale/hostile/hostile',
  'workflows/payment/hostile/hostile',
  'workflows/account/hostile/hostile',
  'workflows/payment/hostile/schedules',
  'workflows/after-sale/hostile/before-a-person',
  'workflows/account/many-deposits',
  'workflows/after-sale/hostile/',
  'workflows/payment/hostile/',
  'workflows/account/outages',
  'workflows/payment/outages',
  'workflows/after-sale/explored',
  'workflows/payment/explored',
  // All others.
  'real-server/versions',
  'package',
  'contract/other-languages/merchants',
  'real-server/rewritten-database',
  'real-server/reconciliation',
  'real-server/walls',
  'real-server/faults/worker-killed',
  'simulator/openapi',
  'simulator/browser',
  'cli/callers',
  'real-server/orders',
  'real-server/start',
  'real-server/webhook/outages',
  'real-server/scheduled-jobs',
  'real-server/desk',
  'real-server/simulation',
  'real-server/accounts/moved-queue',
  'cli/commands',
  'real-server/faults/',
  'contract/interface/table',
  'webhook/abuse',
  'real-server/temporals-buttons',
  'real-server/after-sale',
  'cli/operator',
  'real-server/accounts/',
  'cli/setup',
  'real-server/nexus',
  'cli/dev/dev-server',
  'real-server/settings-that-lack',
  'client/payments',
  'contract/other-languages/python',
  'histories/',
];

module.exports = class DearestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const index = DEAREST.findIndex((name) => path.includes(`/test/${name}`));
      return index < 0 ? DEAREST.length : index;
    };
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
};
