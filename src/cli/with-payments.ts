/** What commands of one app share: a connection to Temporal, the app's clients, and the end of the process. */
import type { Client } from '@temporalio/client';
import {
  AccountError,
  AccountPendingError,
  connectPayments,
  InvalidAccountError,
  InvalidOrderError,
  OverRefundError,
  PaymentError,
  PaymentPendingError,
  type PaymentsClient,
} from '../client';
import { exitOncePrinted } from '../process/exit';
import type { AppSettings } from './command-settings';
import { EXIT } from './exit-codes';
import { tellError } from './failed';

/**
 * Runs `act` with the app's clients and a client of Temporal, then ends the process with the exit code that `act` returns, or
 * with the code for an error of the clients. Throws every other error.
 */
export async function withPayments(
  { env, app_id }: AppSettings,
  act: (payments: PaymentsClient, client: Client) => Promise<number>,
): Promise<never> {
  const { payments, client } = await connectPayments(env, app_id);
  const code = await act(payments, client).catch(report);
  // The connection stays open until here: Temporal's client may still wait for a result, and would throw on a closed connection.
  return exitOncePrinted(code);
}

/** Prints an error of the clients, and gives its exit code. Throws every other error. */
function report(error: unknown): number {
  if (!(error instanceof PaymentError || error instanceof AccountError)) throw error;
  tellError(error);
  if (error instanceof PaymentPendingError || error instanceof AccountPendingError) return EXIT.pending;
  const isWrongInput =
    error instanceof InvalidOrderError || error instanceof OverRefundError || error instanceof InvalidAccountError;
  return isWrongInput ? EXIT.wrongInput : EXIT.refused;
}
