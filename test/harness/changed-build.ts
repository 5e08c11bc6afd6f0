/** Builds of this package as later releases: their workflows are changed behind a gate, which the second one opens. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from './terminal';

export const GATE = 'a-pause-before-each-activity';
const RELEASES = { closes: '0.1.0', opens: '0.2.0' } as const;

/** A worker's interceptors with one more: behind the gate, each activity has a timer before it, in every workflow. */
const CHANGE = `
const { sleep } = require('@temporalio/workflow');
const { isGateOpen } = require('./shared/versions');
const pause = {
  async scheduleActivity(input, next) {
    if (isGateOpen('${GATE}')) await sleep(1);
    return next(input);
  },
};
const before = exports.interceptors;
exports.interceptors = () => ({ ...before(), outbound: [...before().outbound, pause] });
`;

const bundler = z.object({ bundleWorkflows: z.custom<() => Promise<{ code: string }>>() });

/** Makes both in the folder, and gives their programs. */
export async function changedBuilds(folder: string): Promise<Record<keyof typeof RELEASES, string>> {
  const [closes, opens] = [join(folder, 'closes'), join(folder, 'opens')];
  mkdirSync(closes);
  cpSync(join(ROOT, 'lib'), join(closes, 'lib'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(closes, 'node_modules'));
  const gate = { history: 'none', why: 'a test', readSince: RELEASES.closes, opensIn: RELEASES.opens };
  edit(
    join(closes, 'lib/contract/gates.js'),
    'exports.GATES = {};',
    `exports.GATES = ${JSON.stringify({ [GATE]: gate })};`,
  );
  const interceptors = join(closes, 'lib/workflows/interceptors.js');
  writeFileSync(interceptors, `${readFileSync(interceptors, 'utf8')}${CHANGE}`);
  await bundle(join(closes, 'lib/temporal'));
  cpSync(closes, opens, { recursive: true, verbatimSymlinks: true });
  for (const [name, version] of Object.entries(RELEASES)) {
    const about = z.looseObject({}).parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
    writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ ...about, version }));
  }
  return { closes: join(closes, 'lib/cli/main.js'), opens: join(opens, 'lib/cli/main.js') };
}

function edit(file: string, before: string, after: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(before)) throw new Error(`${file} does not have ${before}`);
  writeFileSync(file, text.replace(before, after));
}

/** Only the bundle of workers without keys. */
async function bundle(temporal: string): Promise<void> {
  const { bundleWorkflows } = bundler.parse(await import(join(temporal, 'workflow-bundle.js')));
  const { code } = await bundleWorkflows();
  const bundles = join(temporal, 'workflow-bundles');
  for (const sdk of readdirSync(bundles)) writeFileSync(join(bundles, sdk, 'clear-text.js'), code);
}
