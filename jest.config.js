module.exports = {
  testEnvironment: '<rootDir>/test/harness/environment.cjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  // Examples import the package by its name, as merchants do.
  moduleNameMapper: {
    '^temporal-payment-gateway$': '<rootDir>/src/index.ts',
    '^temporal-payment-gateway/workflows$': '<rootDir>/src/merchant-workflows.ts',
    '^temporal-payment-gateway/(\\w+)$': '<rootDir>/src/$1/index.ts',
  },
  globalSetup: '<rootDir>/test/harness/run-begins.ts',
  globalTeardown: '<rootDir>/test/harness/run-ends.ts',
  // Only to end a hang: ten times what the longest test takes on a quiet machine.
  testTimeout: 600_000,
  // Each end-to-end suite runs a server, a worker and a simulator of its own, and waits for a good part of its time: five fill two cores.
  maxWorkers: 5,
  testSequencer: '<rootDir>/test/harness/dearest-first.cjs',
  // A process keeps something of each file. A new one takes its place between files, but has to compile every module again.
  workerIdleMemoryLimit: '400MB',
};
