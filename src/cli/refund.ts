/** `payment-gateway refund ORDER-NO [AMOUNT CURRENCY]`: refunds a paid order and prints what the gateway says. */
import { readFile } from 'node:fs/promises';
import {
  DuplicateRefundError,
  InvalidOrderError,
  NotRefundedError,
  OverRefundError,
  PaymentNotFoundError,
  PaymentPendingError,
  PaymentsClient,
} from '../client';
import { ConfigError, loadConfig } from '../config';
import { connectClient } from '../connect';
import { parseExact } from '../gateway/json';
import { withDevSettings } from './dev-settings';
import * as print from './print';

interface RefundOptions {
  amount?: string;
  currency?: string;
  number?: string;
  reason?: string;
  with?: string;
  json?: boolean;
  app?: string;
}

/** What the command's exit code tells. */
const EXIT = { ok: 0, notRefunded: 1, wrongInput: 2, pending: 3 } as const;

export async function refund(out_trade_no: string, options: RefundOptions): Promise<void> {
  const { env } = withDevSettings(process.env);
  const config = loadConfig(env);
  const app_id = options.app ?? config.GATEWAY_APP_ID ?? config.apps[0]?.app_id;
  if (app_id === undefined) throw new ConfigError('Which app refunds? Set GATEWAY_APP_ID, or use --app.');
  const more = options.with === undefined ? {} : await readMore(options.with);
  const client = await connectClient(env, config);
  const payments = new PaymentsClient({ client, app_id, taskQueue: config.PAYMENTS_TASK_QUEUE });
  try {
    const { order_amount, order_currency } = await paid(payments, out_trade_no, options);
    const answer = await payments.refund(out_trade_no, {
      ...more,
      refund_amount: order_amount,
      refund_currency: order_currency,
      ...(options.number === undefined ? {} : { out_request_no: options.number }),
      ...(options.reason === undefined ? {} : { refund_reason: options.reason }),
    });
    say(options.json ? JSON.stringify({ refund: answer }) : await print.paymentData({ ...answer }));
    process.exitCode = EXIT.ok;
  } catch (error) {
    process.exitCode = exitCodeFor(error);
  }
  process.exit();
}

/** What to refund: as the options say, else all that was paid. */
async function paid(payments: PaymentsClient, out_trade_no: string, { amount, currency }: RefundOptions) {
  if (amount !== undefined && currency !== undefined) return { order_amount: amount, order_currency: currency };
  const state = await payments.state(out_trade_no).catch(unlessUnknown);
  const [order_amount, order_currency] = [amount ?? state?.order_amount, currency ?? state?.order_currency];
  if (order_amount && order_currency) return { order_amount, order_currency };
  throw new ConfigError(`What was paid for order ${out_trade_no} is not known. Give --amount and --currency.`);
}

/** A payment that was made elsewhere, or that Temporal has forgotten. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof PaymentNotFoundError)) throw error;
}

/** `user_info` and `bank_info` from a file: personal data does not belong on a command line. */
async function readMore(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`The file ${file} cannot be read (${error.code}).`);
  });
  try {
    const value = parseExact(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new ConfigError(`The file ${file} holds no JSON object.`);
}

function exitCodeFor(error: unknown): number {
  if (error instanceof PaymentPendingError) return complain(error, EXIT.pending);
  if (error instanceof InvalidOrderError || error instanceof OverRefundError) return complain(error, EXIT.wrongInput);
  if (error instanceof NotRefundedError || error instanceof DuplicateRefundError)
    return complain(error, EXIT.notRefunded);
  throw error;
}

function complain({ message }: Error, code: number): number {
  process.stderr.write(`${message}\n`);
  return code;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
