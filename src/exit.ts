/** How a runnable ends on trouble. */

/** Trouble with the settings or the surroundings: its sentence says all that a person needs, and a stack would hide it. */
const FOR_PEOPLE = new Set([
  'ConfigError',
  'TemporalUnreachableError',
  'SearchAttributeConflictError',
  'BinaryNotFoundError',
  'DevServerError',
]);

export function isForPeople(error: unknown): error is Error {
  return error instanceof Error && FOR_PEOPLE.has(error.name);
}

/** Ends the process: with a sentence where that suffices (exit code 2), else with the stack (exit code 1). */
export function reportAndExit(error: unknown): never {
  const text = isForPeople(error) ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(isForPeople(error) ? 2 : 1);
}
