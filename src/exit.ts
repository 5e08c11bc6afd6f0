/** How a runnable ends on trouble. */

/** Ends the process with a sentence where the trouble is the settings or the surroundings (exit code 2), else with the stack. */
export function reportAndExit(error: unknown): never {
  const forPeople = error instanceof Error && ['ConfigError', 'TemporalUnreachableError'].includes(error.name);
  const text = error instanceof Error ? (forPeople ? error.message : error.stack) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(forPeople ? 2 : 1);
}
