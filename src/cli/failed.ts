/** How errors are printed for people and for programs, and how a command ends on wrong usage. */
import type { CommanderError } from 'commander';
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

/** Ends the process after wrong usage or a request for help. Commander has already printed the text for people. */
export function failedUsage(error: CommanderError): never {
  if (error.exitCode === 0) process.exit(EXIT.ok);
  if (isForPrograms()) tellError(new UserError(error.message));
  process.exit(EXIT.wrongInput);
}
