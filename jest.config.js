module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  // Examples import the package by its name, as merchants do.
  moduleNameMapper: {
    '^temporal-payment-gateway$': '<rootDir>/src/index.ts',
    '^temporal-payment-gateway/(\\w+)$': '<rootDir>/src/$1/index.ts',
  },
  // Starting a Temporal server and bundling workflows takes seconds, not milliseconds.
  testTimeout: 120_000,
  // Each end-to-end suite runs a server, a worker and a simulator of its own; the machines have two cores.
  maxWorkers: 2,
};
