/**
 * Payments that run for days survive a deploy: histories made by earlier versions replay on today's workflows.
 * `npm run histories` keeps today's, in a folder of the version; kept ones are never changed.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { defaultCacheDir, resolveBinary } from '../../src/embedded';
import { runsOf } from '../accounts/deliveries';
import { type Stack, startStack, workflowBundle } from '../harness/stack';
import { quiet } from '../harness/temporal';
import { LIVES, LONG_SOON, SETTINGS } from './lives';

const FOLDER = join(__dirname, 'kept');

/** As Temporal's own command prints them: every run of the workflow, oldest first. */
async function historiesOf(workflowId: string, { client, temporal }: Stack): Promise<string[]> {
  const command = await resolveBinary('temporal-cli', { cacheDir: defaultCacheDir() });
  const runs = (await runsOf(client, workflowId)).reverse();
  const shown = runs.map(({ runId }) => {
    const which = ['--workflow-id', workflowId, '--run-id', runId, '--address', temporal.address];
    return promisify(execFile)(command, ['workflow', 'show', '--output', 'json', ...which]);
  });
  return (await Promise.all(shown)).map(({ stdout }) => stdout);
}

const recording = process.env.RECORD_HISTORIES;
if (recording !== undefined) {
  it('keeps the history of every life', async () => {
    const folder = join(FOLDER, recording);
    await mkdir(FOLDER, { recursive: true });
    // Fails where there is such a folder: what is kept is never changed.
    await mkdir(folder);
    const stack = await startStack({
      env: { ...SETTINGS, PAYMENTS_POLL_SCHEDULE: '1s', PAYMENTS_POLL_EVERY: '1s' },
      temporal: LONG_SOON,
    });
    try {
      for (const [name, live] of Object.entries(LIVES)) {
        const histories = await Promise.all([await live(stack)].flat().map((id) => historiesOf(id, stack)));
        for (const [i, history] of histories.flat().entries()) {
          await writeFile(join(folder, `${name}${i === 0 ? '' : `-${i + 1}`}.json`), history);
        }
      }
    } finally {
      await stack.close();
    }
  });
}

describe('histories of earlier versions', () => {
  beforeAll(quiet);

  it('replay on today’s workflows', async () => {
    const files = (await readdir(FOLDER, { recursive: true })).filter((file) => file.endsWith('.json')).sort();
    expect(files.length).toBeGreaterThanOrEqual(Object.keys(LIVES).length);
    const histories = files.map(async (file) => ({
      workflowId: relative(FOLDER, join(FOLDER, file)),
      history: historyFromJSON(JSON.parse(await readFile(join(FOLDER, file), 'utf8'))),
    }));
    const failed: string[] = [];
    const options = { workflowBundle: await workflowBundle() };
    for await (const { workflowId, error } of Worker.runReplayHistories(options, await Promise.all(histories))) {
      if (error) failed.push(`${workflowId}: ${error.message}`);
    }
    expect(failed).toEqual([]);
  });
});
