/**
 * The order of the test files: the dearest first, so that no worker is left alone with one of them at the end. A fresh
 * clone has no times of an earlier run, and Jest would go by the size of the files. `npm run test:cost` measures them.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

const DEAREST = [
  'real-server/reconciliation',
  'real-server/faults/worker-killed',
  'workflows/account/hostile/hostile',
  'workflows/after-sale/hostile/hostile',
  'contract/other-languages/python',
  'cli/commands',
  'workflows/payment/hostile/hostile',
  'real-server/nexus',
  'real-server/desk',
  'package',
  'cli/operator-list',
  'real-server/start',
  'real-server/faults/deadline',
  'real-server/accounts/',
  'real-server/faults/account-worker-killed',
  'real-server/webhook/outages',
  'cli/accounts',
  'real-server/rewritten-database',
  'real-server/orders',
  'contract/interface/table',
  'real-server/faults/payment',
  'contract/other-languages/merchants',
  'cli/operator',
  'simulator/openapi',
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
