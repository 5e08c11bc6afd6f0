/** How a program ends on an error. */
import { inspect, types } from 'node:util';
import { UserError } from './user-error';

/** Ends the process: with the sentence of a UserError (exit code 2), else with the stack (exit code 1). */
export function reportAndExit(error: unknown): never {
  process.stderr.write(`${reportOf(error)}\n`);
  process.exit(error instanceof UserError ? 2 : 1);
}

/** What a person is shown. Errors of native code and of gRPC have no stack: then their name and message. */
export function reportOf(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (types.isNativeError(error) || error instanceof Error) return error.stack || `${error.name}: ${error.message}`;
  return `The program failed with ${typeof error === 'string' ? error : inspect(error)}`;
}
