/** Each gate of src/contract/gates.ts is needed by the history that it names, and ships closed, so that a rollback replays. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GATES, type Gate, gatesOf, isOpenedBy } from '../../src/contract';
import { quiet } from '../../src/testing/dev-server';
import { ROOT } from '../harness/terminal';
import { GATES as PLANTED } from './planted-gate/versions';
import { bundleWithoutGate, failuresOf, KEPT, readHistory } from './replay';

beforeAll(quiet);

/** Whether the release that first knows a gate keeps it closed: only then is there a release for a rollback. */
const shipsClosed = (gate: Gate): boolean => !isOpenedBy(gate, gate.readSince);

/** What was bundled, by its workflows and the gate that was taken out: to bundle takes far longer than to replay. */
const bundles = new Map<string, ReturnType<typeof bundleWithoutGate>>();

/** The failures of a gate's history on workflows without this gate. */
async function failuresWithout(gate: string | null, workflowsPath: string, file: string): Promise<string[]> {
  const which = `${gate} ${workflowsPath}`;
  const bundle = bundles.get(which) ?? bundleWithoutGate(workflowsPath, gate);
  bundles.set(which, bundle);
  return failuresOf(await bundle, new Map([[file, await readHistory(file)]]));
}

test('the history of each gate fails to replay on workflows without that gate', async () => {
  for (const [name, { history }] of Object.entries<Gate>(GATES)) {
    const failed = await failuresWithout(name, join(ROOT, 'src/workflows'), join(KEPT, history));
    expect({ [name]: failed }).toEqual({ [name]: [expect.any(String)] });
  }
});

describe('the gate of the example in planted-gate/', () => {
  const workflows = require.resolve('./planted-gate/workflows');
  const file = join(__dirname, 'planted-gate', PLANTED['planted-gate'].history);

  test('lets its history replay', async () => {
    expect(await failuresWithout(null, workflows, file)).toEqual([]);
  });

  test('fails its history when it is removed', async () => {
    expect(await failuresWithout('planted-gate', workflows, file)).toEqual([
      expect.stringMatching(/history\.json: .*(determinis|timer)/is),
    ]);
  });

  test('lets its history replay when only another gate is removed', async () => {
    expect(await failuresWithout('another', workflows, file)).toEqual([]);
  });
});

test('each gate ships closed', () => {
  expect(Object.entries<Gate>(GATES).filter(([, gate]) => !shipsClosed(gate))).toEqual([]);
});

test.each([
  ['1.1.9', []],
  ['1.2.0', ['planted-gate']],
  ['1.2.0-rc.1', ['planted-gate']],
  ['1.10.0', ['planted-gate']],
  ['2.0.0', ['planted-gate']],
])('release %s reads a gate that 1.2.0 opens, and opens %j', (release, opens) => {
  expect(gatesOf(release, PLANTED)).toEqual({ release, reads: ['planted-gate'], opens });
});

describe('a rollback by one release', () => {
  /** The code of each release, and by which of two histories a run of it goes: before the change, or behind the gate. */
  const CODE = { '1.0.0': './planted-gate/before', '1.1.0': './planted-gate/workflows' } as const;
  const writtenBy = (gate: Gate, release: string) =>
    isOpenedBy(gate, release) ? 'history-behind-it.json' : 'history.json';

  async function failuresBack(gate: Gate): Promise<Record<string, string[]>> {
    const steps = [
      { from: '1.1.0', to: '1.0.0' },
      { from: '1.2.0', to: '1.1.0' },
    ] as const;
    const failed: Record<string, string[]> = {};
    for (const { from, to } of steps) {
      const file = join(__dirname, 'planted-gate', writtenBy(gate, from));
      failed[`${from} to ${to}`] = await failuresWithout(null, require.resolve(CODE[to]), file);
    }
    return failed;
  }

  const gate = PLANTED['planted-gate'];

  test('replays what the later one wrote where the gate ships closed', async () => {
    expect(await failuresBack(gate)).toEqual({ '1.1.0 to 1.0.0': [], '1.2.0 to 1.1.0': [] });
  });

  test('does not replay what the later one wrote where the gate opens at once', async () => {
    const atOnce = { ...gate, opensIn: gate.readSince };
    expect(shipsClosed(atOnce)).toBe(false);
    const { '1.1.0 to 1.0.0': failed } = await failuresBack(atOnce);
    expect(failed).toEqual([expect.stringMatching(/determinis|patch|marker/i)]);
  });
});

test('no file of the workflows but shared/versions.ts calls patched', async () => {
  const folder = join(ROOT, 'src/workflows');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')]));
  const patching = texts.filter(([, text]) => /\b(patched|deprecatePatch)\b/.test(text ?? '')).map(([file]) => file);
  expect(patching).toEqual(['shared/versions.ts']);
});
