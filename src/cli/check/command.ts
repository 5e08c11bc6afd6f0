/** `payment-gateway check`: what has to be true before real money goes through, one line for each point. */
import { withDevSettings } from '../../process/dev-settings';
import type { Environment } from '../../process/environment';
import { exitOncePrinted } from '../../process/exit';
import { loadConfig } from '../../process/settings';
import { ConfigError } from '../../process/user-error';
import { EXIT } from '../exit-codes';
import { printable, say } from '../print';
import { type Finding, findings, unreadableSettings } from './points';
import { LiveWorld } from './world';

/** Reads the settings of a worker. Ends with code 1 if a point fails. */
export async function check({ json = false }: { json?: boolean }, given: Environment): Promise<never> {
  const { env, from } = withDevSettings(given);
  const counts = { ok: 0, failed: 0, 'not checked': 0 };
  for await (const finding of lookedAt(env, from !== undefined)) {
    counts[finding.result] += 1;
    say(json ? JSON.stringify(finding) : lineOf(finding));
  }
  if (!json) say(`\n${counts.ok} ok, ${counts.failed} failed, ${counts['not checked']} not checked.`);
  return exitOncePrinted(counts.failed > 0 ? EXIT.refused : EXIT.ok);
}

async function* lookedAt(env: Environment, isStack: boolean): AsyncGenerator<Finding> {
  let world: LiveWorld;
  try {
    world = new LiveWorld(loadConfig(env), env, isStack);
  } catch (error) {
    if (error instanceof ConfigError) return yield* unreadableSettings(error);
    throw error;
  }
  try {
    yield* findings(world);
  } finally {
    await world.close();
  }
}

function lineOf({ point, app_id, result, text }: Finding): string {
  const name = app_id === null ? point : `${point} of ${app_id}`;
  return `${result.padEnd(12)}${printable(name)}: ${printable(text.replace(/\n\s*/g, ' '))}`;
}
