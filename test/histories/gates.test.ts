/** Each gate of src/workflows/shared/versions.ts is needed by the history that it names. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quiet } from '../../src/testing/dev-server';
import { GATES, type Gate } from '../../src/workflows/shared/versions';
import { ROOT } from '../harness/terminal';
import { GATES as PLANTED } from './planted-gate/versions';
import { bundleWithoutGate, failuresOf, KEPT, readHistory } from './replay';

beforeAll(quiet);

/** The failures of a gate's history on workflows without this gate. */
async function failuresWithout(gate: string | null, workflowsPath: string, file: string): Promise<string[]> {
  const bundle = await bundleWithoutGate(workflowsPath, gate);
  return failuresOf(bundle, new Map([[file, await readHistory(file)]]));
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

test('no file of the workflows but shared/versions.ts calls patched', async () => {
  const folder = join(ROOT, 'src/workflows');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')]));
  const patching = texts.filter(([, text]) => /\b(patched|deprecatePatch)\b/.test(text ?? '')).map(([file]) => file);
  expect(patching).toEqual(['shared/versions.ts']);
});
