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
import { runsOf } from '../accounts/deliveries';
import { type Stack, startStack, workflowBundle } from '../harness/stack';
import { quiet } from '../harness/temporal';
import { ROOT } from '../start/terminal';
import type { Recorded } from './account-lives';
import { RECORDINGS } from './lives';

const FOLDER = join(__dirname, 'kept');

/** As Temporal's own command prints them, oldest first, without the name and the folders of this machine. */
async function historiesOf(recorded: Recorded, { client, temporal }: Stack): Promise<string[]> {
  const command = await resolveBinary('temporal-cli', { cacheDir: defaultCacheDir() });
  const workflowId = typeof recorded === 'string' ? recorded : recorded.workflowId;
  const runs = typeof recorded === 'string' ? (await runsOf(client, workflowId)).reverse() : [recorded];
  const shown = runs.map(async ({ runId }) => {
    const which = ['--workflow-id', workflowId, '--run-id', runId, '--address', temporal.address];
    const { stdout } = await promisify(execFile)(command, ['workflow', 'show', '--output', 'json', ...which]);
    return stdout.replaceAll(`@${hostname()}`, '@machine').replaceAll(ROOT, '.');
  });
  return Promise.all(shown);
}

const recording = process.env.RECORD_HISTORIES;
if (recording !== undefined) {
  it('keeps the history of every life', async () => {
    const folder = join(FOLDER, recording);
    await mkdir(FOLDER, { recursive: true });
    // Fails where there is such a folder: what is kept is never changed.
    await mkdir(folder);
    for (const { lives, env, temporal } of RECORDINGS) {
      const stack = await startStack({
        env: { PAYMENTS_POLL_SCHEDULE: '1s', PAYMENTS_POLL_EVERY: '1s', ...env },
        temporal,
      });
      try {
        for (const [name, live] of Object.entries(lives)) {
          const histories = await Promise.all([await live(stack)].flat().map((one) => historiesOf(one, stack)));
          for (const [i, history] of histories.flat().entries()) {
            await writeFile(join(folder, `${name}${i === 0 ? '' : `-${i + 1}`}.json`), history);
          }
        }
      } finally {
        await stack.close();
      }
    }
  });
}

describe('histories of earlier versions', () => {
  beforeAll(quiet);

  it('replay on today’s workflows', async () => {
    const files = (await readdir(FOLDER, { recursive: true })).filter((file) => file.endsWith('.json')).sort();
    expect(files.length).toBeGreaterThanOrEqual(RECORDINGS.flatMap(({ lives }) => Object.keys(lives)).length);
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
