/**
 * Our workflows as one bundle. The build makes one for workers with keys and one for workers without, because each worker that
 * bundles at its start is some seconds later.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { version } from '@temporalio/worker/package.json';
import { z } from 'zod';

const PACKAGE = `${resolve(__dirname, '../..')}/`;
const ENCRYPTING = require.resolve('../codec/failure-converter');

/** A bundle holds the SDK that it was made with: a worker of another version makes its own. */
const fileOf = (failureConverterPath: string | undefined) =>
  join(__dirname, 'workflow-bundles', version, failureConverterPath === ENCRYPTING ? 'encrypting.js' : 'clear-text.js');

/** `failureConverterPath`: from the worker's data converter. A worker that encrypts has a failure converter in its bundle. */
export function bundleWorkflows(failureConverterPath?: string): Promise<{ code: string }> {
  return bundleWorkflowCode({
    workflowsPath: require.resolve('../workflows'),
    // As the plugin does: a workflow is ten times faster to begin.
    preloadModules: [require.resolve('../workflows/short-stacks'), require.resolve('../workflows')],
    workflowInterceptorModules: [require.resolve('../workflows/interceptors')],
    logger: new DefaultLogger('ERROR'),
    ...(failureConverterPath ? { failureConverterPath } : {}),
  });
}

/** The bundle that the build has made for a worker with this failure converter and SDK; undefined if there is none. */
export function builtBundle(failureConverterPath?: string): { codePath: string } | undefined {
  const codePath = fileOf(failureConverterPath);
  return existsSync(codePath) ? { codePath } : undefined;
}

const SOURCE_MAP = /(?<=\n\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,)[\w+/=]+/;
const sourceMap = z.looseObject({ sources: z.array(z.string()) });

/** A bundle for other machines: its source map names no folder of the machine that built it, and leaves out the sources in lib/. */
function published(code: string): string {
  return code.replace(SOURCE_MAP, (encoded) => {
    const { sources, ...map } = sourceMap.parse(JSON.parse(Buffer.from(encoded, 'base64').toString()));
    const named = sources.map((source) => source.replace(PACKAGE, ''));
    return Buffer.from(JSON.stringify({ ...map, sources: named, sourcesContent: undefined })).toString('base64');
  });
}

/** Makes the bundles beside this file. The build calls it. */
export async function buildBundles(): Promise<void> {
  for (const failureConverterPath of [undefined, ENCRYPTING]) {
    const { code } = await bundleWorkflows(failureConverterPath);
    const file = fileOf(failureConverterPath);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, published(code));
  }
}
