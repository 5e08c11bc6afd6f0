/** How a command ends on an error that it does not handle itself. */
import type { CommanderError } from 'commander';
import { reportAndExit } from '../process/exit';
import { UserError } from '../process/user-error';
import { EXIT } from './exit-codes';
import { complain, say } from './print';

/** Whether this command prints for programs. Called before commander has read the options, and for commander's own errors, too. */
export const isForPrograms = () => process.argv.includes('--json');

/** Prints an error that a person can correct: its sentence, or for programs a line of JSON on standard output. */
export function tellError(error: Error): void {
  if (isForPrograms()) say(JSON.stringify({ error }));
  else complain(error.message);
}

/** Ends the process. With `--json`, programs get the error as the last line of standard output. */
export function failed(error: unknown): never {
  if (!(error instanceof UserError)) return reportAndExit(error);
  tellError(error);
  process.exit(EXIT.wrongInput);
}

/** Ends the process after wrong usage or a request for help. Commander has already printed the text for people. */
export function failedUsage(error: CommanderError): never {
  if (error.exitCode === 0) process.exit(EXIT.ok);
  if (isForPrograms()) tellError(new UserError(error.message));
  process.exit(EXIT.wrongInput);
}
