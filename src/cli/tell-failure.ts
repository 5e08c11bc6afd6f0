/** What a person or a program is told where a command fails, by one rule for all commands, and its exit code. */
import { PaymentError } from '../client';
import { PayloadDecryptionError } from '../contract';
import { withDevSettings } from '../process/dev-settings';
import { exitOncePrinted, reportOf } from '../process/exit';
import { UserError } from '../process/user-error';
import { GRPC_STATUS, grpcCodeOf, isUnreadable, takesNoCalls } from '../temporal/call-errors';
import { brokenOff, temporalConfig } from '../temporal/connection';
import { innermost } from '../temporal/timeline';
import { EXIT } from './exit-codes';
import { isForPrograms, tellError } from './failed';
import { complain, say } from './print';

/** Ends the process. With `--json`, programs get the error as the last line of standard output. */
export function failed(error: unknown): Promise<never> {
  return exitOncePrinted(tellFailure(error));
}

/** Says why a command failed, and gives its exit code. */
export function tellFailure(error: unknown): number {
  if (takesNoCalls(error)) {
    const { connectionOptions } = temporalConfig(withDevSettings(process.env).env);
    tellError(brokenOff(connectionOptions.address, innermost(error)));
    return EXIT.pending;
  }
  const readable = asUserError(error);
  if (readable instanceof UserError || readable instanceof PaymentError) tellError(readable);
  else {
    complain(reportOf(readable));
    if (isForPrograms()) say(JSON.stringify({ error: { type: 'Unexpected', message: innermost(readable) } }));
  }
  return readable instanceof UserError ? EXIT.wrongInput : EXIT.refused;
}

/** What a person can correct: missing keys or rights, a query that Temporal cannot read, or a missing namespace. */
function asUserError(error: unknown): unknown {
  if (error instanceof PayloadDecryptionError) return new UserError(error.message);
  if (isUnreadable(error)) return new UserError(KEYS_ARE_MISSING);
  const code = grpcCodeOf(error);
  if (code === undefined || !MENDED.includes(code)) return error;
  return new UserError(`Temporal refuses it: ${innermost(error)}`);
}

const MENDED: readonly number[] = [
  ...[GRPC_STATUS.INVALID_ARGUMENT, GRPC_STATUS.NOT_FOUND],
  ...[GRPC_STATUS.PERMISSION_DENIED, GRPC_STATUS.UNAUTHENTICATED],
];

const KEYS_ARE_MISSING =
  'The payloads are encrypted, and PAYMENTS_ENCRYPTION_KEYS is not set. Set it to the worker’s keys to read them.';
