/**
 * Payments that run for days survive a deploy: histories made by earlier versions replay on today's workflows.
 * `npm run histories` keeps today's, in a folder of the version; kept ones are never changed.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { defaultCacheDir, resolveBinary } from '../../src/embedded';
import { startStack, workflowBundle } from '../harness/stack';
import { quiet } from '../harness/temporal';
import { ROOT } from '../start/terminal';
import { type Recorded, SUGGESTED_AT } from './account-lives';
import { LIVES } from './lives';

const FOLDER = join(__dirname, 'kept');

/** As Temporal's own command prints it, without the name and the folders of this machine. */
async function historyOf(recorded: Recorded, address: string): Promise<string> {
  const { workflowId, runId = '' } = typeof recorded === 'string' ? { workflowId: recorded } : recorded;
  const temporal = await resolveBinary('temporal-cli', { cacheDir: defaultCacheDir() });
  const which = ['--workflow-id', workflowId, '--run-id', runId];
  const show = ['workflow', 'show', ...which, '--output', 'json', '--address', address];
  const { stdout } = await promisify(execFile)(temporal, show);
  return stdout.replaceAll(`@${hostname()}`, '@machine').replaceAll(ROOT, '.');
}

const recording = process.env.RECORD_HISTORIES;
if (recording !== undefined) {
  it('keeps the history of every life', async () => {
    const folder = join(FOLDER, recording);
    await mkdir(FOLDER, { recursive: true });
    // Fails where there is such a folder: what is kept is never changed.
    await mkdir(folder);
    const stack = await startStack({
      env: { PAYMENTS_POLL_SCHEDULE: '1s', PAYMENTS_POLL_EVERY: '1s', PAYMENTS_ACCOUNT_CHECK_EVERY: '2s' },
      temporal: ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${SUGGESTED_AT}`],
    });
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
    const fileOf = new Map<string, string>();
    const histories = files.map(async (file) => {
      const history = historyFromJSON(JSON.parse(await readFile(join(FOLDER, file), 'utf8')));
      const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
      fileOf.set(started?.originalExecutionRunId ?? '', file);
      // Under its own id, which workflows go by.
      return { workflowId: started?.workflowId ?? file, history };
    });
    const failed: string[] = [];
    const options = { workflowBundle: await workflowBundle() };
    for await (const { runId, error } of Worker.runReplayHistories(options, await Promise.all(histories))) {
      if (error) failed.push(`${fileOf.get(runId) ?? runId}: ${error.message}`);
    }
    expect(failed).toEqual([]);
  });
});
