/**
 * The order of the test files: the dearest first, so that no worker is left alone with one of them at the end. A fresh
 * clone has no times of an earlier run, and Jest would go by the size of the files. `npm run test:cost` measures them.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

const DEAREST = [
  'real-server/reconciliation',
  'workflows/payment/hostile/hostile',
  'workflows/after-sale/model',
  'workflows/after-sale/lives',
  'activities/backlog',
  'real-server/webhook/outages',
  'contract/interface/table',
  'contract/python',
  'cli/commands',
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
