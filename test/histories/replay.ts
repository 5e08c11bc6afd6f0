/** Replays kept histories on workflow code. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';

export const KEPT = join(__dirname, 'kept');

export type History = ReturnType<typeof historyFromJSON>;

/** A history by its file. */
export async function readHistory(file: string): Promise<History> {
  return historyFromJSON(JSON.parse(await readFile(file, 'utf8')));
}

/** Every kept history, by its file's path under test/histories/kept. */
export async function keptHistories(): Promise<Map<string, History>> {
  const files = (await readdir(KEPT, { recursive: true })).filter((file) => file.endsWith('.json')).sort();
  return new Map(await Promise.all(files.map(async (file) => [file, await readHistory(join(KEPT, file))] as const)));
}

/** The names of histories that do not replay on a bundle, each with the reason. */
export async function failuresOf(
  workflowBundle: { code: string },
  histories: ReadonlyMap<string, History>,
): Promise<string[]> {
  const nameOf = new Map<string, string>();
  const replayed = [...histories].map(([name, history]) => {
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    nameOf.set(started?.originalExecutionRunId ?? '', name);
    // Workflows read their own id.
    return { workflowId: started?.workflowId ?? name, history };
  });
  const failed: string[] = [];
  for await (const { runId, error } of Worker.runReplayHistories({ workflowBundle }, replayed)) {
    if (error) failed.push(`${nameOf.get(runId) ?? runId}: ${error.message}`);
  }
  return failed;
}

/** A bundle of workflows from which a gate of their versions.ts is removed; with `null` no gate is. */
export function bundleWithoutGate(workflowsPath: string, gate: string | null): Promise<{ code: string }> {
  return bundleWorkflowCode({
    workflowsPath,
    logger: new DefaultLogger('ERROR'),
    webpackConfigHook: (config) => {
      const loader = { loader: require.resolve('./remove-gate-loader.cjs'), options: { gate } };
      const rules = config.module?.rules ?? [];
      const rule = { test: /versions\.ts$/, enforce: 'pre' as const, use: [loader] };
      return gate === null ? config : { ...config, module: { ...config.module, rules: [...rules, rule] } };
    },
  });
}
