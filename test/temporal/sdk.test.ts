/** Which of Temporal's packages a merchant has, and what is said where they do not fit (newcomers, finding 14). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mendingFor, requireOneSdk, requirePackages } from '../../src/temporal/sdk';

const place = mkdtempSync(join(tmpdir(), 'sdk-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** The folder of our package in a merchant's tree that has these versions of the SDK's packages. */
function tree(versions: Record<string, string>): string {
  const folder = mkdtempSync(join(place, 'shop-'));
  for (const [name, version] of Object.entries(versions)) {
    const of = join(folder, 'node_modules/@temporalio', name);
    mkdirSync(of, { recursive: true });
    writeFileSync(join(of, 'package.json'), JSON.stringify({ version }));
  }
  return join(folder, 'node_modules/temporal-payment-gateway/lib/temporal');
}

const CALLER = { client: '1.23.0', common: '1.23.0', proto: '1.23.0' };
const WHOLE = { ...CALLER, activity: '1.23.0', nexus: '1.23.0', workflow: '1.23.0', worker: '1.23.0' };

test('a tree with one version of the SDK is fit to pay and to work in', () => {
  expect(() => requireOneSdk(tree(CALLER))).not.toThrow();
  expect(() => requirePackages('A worker', ['worker'], tree(WHOLE))).not.toThrow();
  expect(mendingFor(['worker'], tree(WHOLE))).toBeUndefined();
});

test('a caller whose own SDK is older than what came with the package is told what makes them one', () => {
  expect(() => requireOneSdk(tree({ ...CALLER, client: '1.24.0' }))).toThrow(
    "Temporal's SDK is here in two versions: @temporalio/client is 1.24.0, and @temporalio/common is 1.23.0, @temporalio/proto is 1.23.0. Give them one: npm install @temporalio/common@1.24.0 @temporalio/proto@1.24.0",
  );
});

test('a caller does without the worker’s packages, whatever their version', () => {
  expect(() => requireOneSdk(tree({ ...CALLER, activity: '1.24.0', workflow: '1.24.0' }))).not.toThrow();
});

test('a worker of another version than the rest is refused', () => {
  expect(() => requirePackages('A worker', ['worker'], tree({ ...WHOLE, worker: '1.24.0' }))).toThrow(
    /two versions: @temporalio\/client is 1\.23\.0, and @temporalio\/worker is 1\.24\.0\. .*: npm install @temporalio\/worker@1\.23\.0$/,
  );
});

test('where the worker is missing, one command installs it and brings what it needs to its version', () => {
  const from = tree({ ...CALLER, activity: '1.24.0' });
  const command = 'npm install @temporalio/worker@1.23.0 @temporalio/activity@1.23.0';
  expect(mendingFor(['worker'], from)).toEqual({ missing: ['worker'], command });
  expect(() => requirePackages('A worker', ['worker'], from)).toThrow(`Install it: ${command}`);
});

test('in a bundle, where nothing can be looked at, a caller is let through', () => {
  expect(() => requireOneSdk(tree({}))).not.toThrow();
});
