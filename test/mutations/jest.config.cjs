/** The tests of one room, for Stryker: `npm run mutations` names them. */
const { join } = require('node:path');

module.exports = {
  ...require('../../jest.config.js'),
  rootDir: join(__dirname, '../..'),
  testEnvironment: join(__dirname, 'environment.cjs'),
  testMatch: (process.env.MUTATIONS_TESTS ?? '').split(' '),
  maxWorkers: 1,
};
