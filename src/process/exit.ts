/** How a program ends on an error. */
import { inspect, types } from 'node:util';
import { UserError } from './user-error';

/** Ends the process: with the sentence of a UserError (exit code 2), else with the stack (exit code 1). */
export function reportAndExit(error: unknown): never {
  process.stderr.write(`${reportOf(error)}\n`);
  process.exit(error instanceof UserError ? 2 : 1);
}

/** Ends the process once a slow reader, such as a pipe, has all that was printed: `process.exit` alone cuts it off. */
export async function exitOncePrinted(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) await new Promise((written) => stream.write('', written));
  process.exit(code);
}

/** What a person is shown. Errors of native code and of gRPC have no stack: then their name and message. */
export function reportOf(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (types.isNativeError(error) || error instanceof Error) return error.stack || `${error.name}: ${error.message}`;
  return `The program failed with ${typeof error === 'string' ? error : inspect(error)}`;
}
