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
import { startStack, workflowBundle } from '../harness/stack';
import { quiet } from '../harness/temporal';
import { LIVES } from './lives';

const FOLDER = join(__dirname, 'kept');

/** As Temporal's own command prints it. */
async function historyOf(workflowId: string, address: string): Promise<string> {
  const temporal = await resolveBinary('temporal-cli', { cacheDir: defaultCacheDir() });
  const show = ['workflow', 'show', '--workflow-id', workflowId, '--output', 'json', '--address', address];
  return (await promisify(execFile)(temporal, show)).stdout;
}

const recording = process.env.RECORD_HISTORIES;
if (recording !== undefined) {
  it('keeps the history of every life', async () => {
    const folder = join(FOLDER, recording);
    await mkdir(FOLDER, { recursive: true });
    // Fails where there is such a folder: what is kept is never changed.
    await mkdir(folder);
    const stack = await startStack({ env: { PAYMENTS_POLL_SCHEDULE: '1s', PAYMENTS_POLL_EVERY: '1s' } });
    try {
      for (const [name, live] of Object.entries(LIVES)) {
        await writeFile(join(folder, `${name}.json`), await historyOf(await live(stack), stack.temporal.address));
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
