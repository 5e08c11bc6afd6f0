/** The processes of one test run share the bundle of the workflows. Here each process is a copy of the module. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Bundled = Promise<{ code: string }>;
const bundle = jest.fn<Bundled, []>();
jest.mock('../../src/temporal/workflow-bundle', () => ({
  builtBundle: () => undefined,
  bundleWorkflows: () => bundle(),
}));

const { KEPT_TEST_BUNDLES } = process.env;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'workflow-bundle-test-'));
  process.env.KEPT_TEST_BUNDLES = folder;
  bundle.mockReset();
});

afterEach(() => {
  process.env.KEPT_TEST_BUNDLES = KEPT_TEST_BUNDLES;
  rmSync(folder, { recursive: true });
});

/** What another process gets. */
function bundleOfAnotherProcess(): Bundled {
  let bundled: Bundled | undefined;
  jest.isolateModules(() => {
    const {
      workflowBundle,
    }: typeof import('../../src/testing/workflow-bundle') = require('../../src/testing/workflow-bundle');
    bundled = workflowBundle();
  });
  return bundled ?? Promise.reject(new Error('it was not loaded'));
}

/** A bundle that is made when somebody says so; `asked` once somebody makes it. */
function madeOnDemand() {
  let end: (bundled: Bundled) => void = () => undefined;
  const made = new Promise<{ code: string }>((done) => {
    end = done;
  });
  const asked = new Promise<void>((begun) => {
    bundle.mockImplementationOnce(() => {
      begun();
      return made;
    });
  });
  return { end, asked };
}

test('of processes that need the bundle at once, one makes it, and the others wait for that one', async () => {
  const { end, asked } = madeOnDemand();
  const all = [1, 2, 3].map(bundleOfAnotherProcess);
  await asked;
  end(Promise.resolve({ code: 'the workflows' }));
  expect(await Promise.all(all)).toEqual(Array(3).fill({ code: 'the workflows' }));
  expect(bundle).toHaveBeenCalledTimes(1);
  expect(await bundleOfAnotherProcess()).toEqual({ code: 'the workflows' });
  expect(bundle).toHaveBeenCalledTimes(1);
});

test('where the process that makes the bundle fails, the next one makes it', async () => {
  const { end, asked } = madeOnDemand();
  const [first, second] = [bundleOfAnotherProcess(), bundleOfAnotherProcess()];
  const ends = Promise.allSettled([first, second]);
  await asked;
  bundle.mockResolvedValue({ code: 'the workflows' });
  end(Promise.reject(new Error('no memory')));
  const told = (await ends).map((one) => (one.status === 'fulfilled' ? one.value.code : String(one.reason)));
  expect(told.sort()).toEqual(['Error: no memory', 'the workflows']);
  expect(readdirSync(folder).filter((name) => !name.endsWith('.js'))).toEqual([]);
});
