/**
 * Payments that run for days survive a deploy: histories made by earlier versions replay on today's workflows.
 * `npm run histories` records them anew: until a version is tagged, each change of a workflow may.
 */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporal } from '@temporalio/proto';
import { findTemporal } from '../../src/cli/dev/temporal';
import { withSpan } from '../../src/contract';
import { quiet } from '../../src/testing/dev-server';
import { type Stack, startStack } from '../../src/testing/stack';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import * as workflows from '../../src/workflows';
import { runsOf } from '../harness/runs';
import { ROOT } from '../harness/terminal';
import type { Recorded } from './account-lives';
import { RECORDINGS } from './lives';
import { failuresOf, type History, KEPT, keptHistories } from './replay';

const { History: Histories } = temporal.api.history.v1;
/** Histories are kept to be read. */
const CLEAR_TEXT = { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' };

const SPAN = { trace_id: '8df6ea9be47f2de73075d6b30530e5a2', span_id: 'a7692587a3fdf3c1', sampled: true };

/** As Temporal's own command prints them, oldest first, without the name and the folders of this machine. */
async function historiesOf(recorded: Recorded, { client, temporal }: Stack): Promise<string[]> {
  const command = await findTemporal();
  const workflowId = typeof recorded === 'string' ? recorded : recorded.workflowId;
  const runs = typeof recorded === 'string' ? (await runsOf(client, workflowId)).reverse() : [recorded];
  const shown = runs.map(async ({ runId }) => {
    const which = ['--workflow-id', workflowId, '--run-id', runId, '--address', temporal.address];
    const { stdout } = await promisify(execFile)(command, ['workflow', 'show', '--output', 'json', ...which]);
    return stdout
      .replaceAll(`@${hostname()}`, '@machine')
      .replaceAll(ROOT, '.')
      .replace(/\/[^\s()"]*\/(?=node_modules\/)/g, './');
  });
  return Promise.all(shown);
}

/** As short as diffs allow. */
function linePerEvent(history: string): string {
  const { events }: { events: unknown[] } = JSON.parse(history);
  return `{"events":[\n${events.map((event) => JSON.stringify(event)).join(',\n')}\n]}\n`;
}

if (process.env.RECORD_HISTORIES !== undefined) {
  it('writes the history of every lifecycle', async () => {
    await rm(KEPT, { recursive: true, force: true });
    for (const { folder, lives, env, temporal, onEvent } of RECORDINGS) {
      await mkdir(join(KEPT, folder), { recursive: true });
      const polls = { PAYMENTS_POLL_SCHEDULE: '1s', PAYMENTS_POLL_EVERY: '1s' };
      const stack = await startStack({
        env: { ...CLEAR_TEXT, ...polls, ...env },
        temporal,
        ...(onEvent ? { onEvent } : {}),
      });
      try {
        for (const [name, live] of Object.entries(lives)) {
          const histories = await Promise.all([await live(stack)].flat().map((one) => historiesOf(one, stack)));
          for (const [i, history] of histories.flat().entries()) {
            await writeFile(join(KEPT, folder, `${name}${i === 0 ? '' : `-${i + 1}`}.json`), linePerEvent(history));
          }
        }
      } finally {
        await stack.close();
      }
    }
  });
}

describe('kept histories', () => {
  beforeAll(quiet);

  it('replay on the current workflows', async () => {
    expect(await failuresOf(await workflowBundle(), await keptHistories())).toEqual([]);
  });

  it('replay as well where their callers had traces, so traces may be turned on and off while orders are open', async () => {
    const kept = [...(await keptHistories())].filter(([name]) => name.startsWith('with-handler/'));
    const traced = new Map(kept.map(([name, history]) => [name, withTraces(history)]));
    expect(await failuresOf(await workflowBundle(), traced)).toEqual([]);
  });

  it('exist for every recorded lifecycle', async () => {
    const wanted = RECORDINGS.flatMap(({ folder, lives }) =>
      Object.keys(lives).map((name) => `${folder}/${name}.json`),
    );
    expect([...(await keptHistories()).keys()]).toEqual(expect.arrayContaining(wanted));
  });

  it('cover every workflow that src/workflows exports', async () => {
    const exported = Object.values(workflows.WORKFLOW).filter(
      (name) => typeof Reflect.get(workflows, name) === 'function',
    );
    expect(exported).toHaveLength(Object.keys(workflows.WORKFLOW).length);
    expect(await typesOf('')).toEqual(new Set(exported));
  });

  it.each([
    ['with-handler/', ['payment', 'afterSale', 'speiAccount']],
    // An account tells its events, whoever listens.
    ['without-handler/', ['payment', 'afterSale']],
  ])('in %s cover the workflows to which it matters whether somebody hears events', async (folder, types) => {
    expect([...(await typesOf(folder))]).toEqual(expect.arrayContaining(types));
  });
});

/** The workflow types of the histories in a folder. */
async function typesOf(folder: string): Promise<Set<string | null | undefined>> {
  const kept = [...(await keptHistories())].filter(([name]) => name.startsWith(folder));
  return new Set(kept.map(([, history]) => typeOf(history)));
}

const typeOf = ({ events }: History) => events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;

/** The history as it would be with the header of a trace on its start and on all that came to it. */
function withTraces(history: History): History {
  const copy = Histories.decode(Histories.encode(history).finish());
  for (const event of copy.events)
    for (const called of [
      event.workflowExecutionStartedEventAttributes,
      event.workflowExecutionSignaledEventAttributes,
      event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input,
    ])
      if (called) called.header = { fields: withSpan({}, SPAN) };
  return copy;
}
