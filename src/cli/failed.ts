/** How a command ends on an error that it does not answer itself. */
import { reportAndExit } from '../process/exit';
import { UserError } from '../process/user-error';
import { EXIT } from './exit-codes';

/** Ends the process. With `--json`, programs get the error as the last line of standard output. */
export function failed(error: unknown): never {
  if (!(error instanceof UserError && process.argv.includes('--json'))) return reportAndExit(error);
  process.stdout.write(`${JSON.stringify({ error })}\n`);
  process.exit(EXIT.wrongInput);
}
