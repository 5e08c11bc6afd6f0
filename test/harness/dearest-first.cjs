/**
 * The order of the test files: those that take longest by the clock first, so that no worker is left alone with one of them at
 * the end. A fresh clone has no times of an earlier run, and Jest would go by the size of the files. Random stories come before
 * all others: in a process that has run a server and workers they need three times the CPU.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

const DEAREST = [
  'workflows/after-sale/hostile/hostile',
  'workflows/account/hostile/hostile',
  'workflows/payment/hostile/hostile',
  'contract/other-languages/merchants',
  'real-server/rewritten-database',
  'real-server/reconciliation',
  'real-server/faults/worker-killed',
  'real-server/accounts/accounts',
  'cli/commands',
  'real-server/accounts/moved-queue',
  'package',
  'cli/callers',
  'cli/operator-list',
  'contract/other-languages/python',
  'real-server/faults/deadline',
  'real-server/after-sale/refunds',
  'simulator/openapi',
  'real-server/faults/account-worker-killed',
  'real-server/walls',
  'real-server/unreadable',
  'real-server/start',
  'real-server/faults/payment',
  'real-server/desk',
  'workflows/payment/hostile/schedules',
  'real-server/webhook/outages',
  'real-server/history-events',
  'contract/interface/table',
  'cli/operator',
  'webhook/abuse',
  'contract/interface/survives',
  'gateway/client-secrets',
  'real-server/nexus',
  'real-server/orders',
  'cli/dev/dev-server',
  'webhook/server',
  'real-server/after-sale',
  'client/payments',
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
