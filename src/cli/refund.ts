/** `payment-gateway refund OUT_TRADE_NO`: refunds a paid order and prints the gateway's answer. */
import type { Client } from '@temporalio/client';
import { InvalidOrderError, PaymentPendingError } from '../client';
import { afterSaleWorkflowId, FAILURE } from '../contract';
import { pendingWork } from '../temporal/pending-work';
import { type AppOptions, appSettings } from './command-settings';
import { EXIT } from './exit-codes';
import * as print from './print';
import { say } from './print';
import { readJsonObject } from './read-json';
import { withPayments } from './with-payments';

interface RefundCommand extends AppOptions {
  amount?: string;
  number?: string;
  reason?: string;
  with?: string;
}

/** Ends the process: 0 for a refund, 1 if the gateway refuses it, 2 for wrong input, 3 if the answer is not known yet. */
export async function refundOrder(out_trade_no: string, options: RefundCommand): Promise<void> {
  const settings = await appSettings(options, out_trade_no);
  // From a file, because personal data does not belong on a command line.
  const buyer = options.with === undefined ? {} : await readJsonObject('file', options.with);
  await withPayments(settings, async (payments, client) => {
    const request = {
      ...buyer,
      ...(options.amount === undefined ? {} : { amount: options.amount }),
      ...(options.number === undefined ? {} : { out_request_no: options.number }),
      ...(options.reason === undefined ? {} : { refund_reason: options.reason }),
    };
    const sending = payments.refund(out_trade_no, request).catch(nameFile);
    const workflowId = afterSaleWorkflowId(settings.app_id, out_trade_no);
    const answer = await sending.catch((error: unknown) => nameLastAnswer(client, workflowId, error));
    if (options.json) say(JSON.stringify({ refund: answer }));
    else say(`Refund of order ${out_trade_no} (app ${settings.app_id}):\n${await print.paymentData({ ...answer })}`);
    return EXIT.ok;
  });
}

/** Where data of the buyer is wrong or missing, the error says how a command is given it. */
function nameFile(error: unknown): never {
  const isOfBuyer = error instanceof InvalidOrderError && error.fields.some((field) => /^(user|bank)_info/.test(field));
  if (!isOfBuyer) throw error;
  const message = `${error.message}. Give the buyer’s data in a file: --with FILE, such as examples/refunds/pix.json.`;
  throw new InvalidOrderError(message, error.out_trade_no, { issues: error.issues });
}

/** Where the gateway has not said what was paid, the error names what it says instead: perhaps it knows no such order. */
async function nameLastAnswer(client: Client, workflowId: string, error: unknown): Promise<never> {
  if (!(error instanceof PaymentPendingError && error.because === FAILURE.notAnswered)) throw error;
  const { out_trade_no } = error;
  const described = await client.workflow.getHandle(workflowId).describe();
  const [last_answer] = (await pendingWork(client, described)).flatMap((work) => work.last_answer ?? []);
  if (last_answer === undefined) throw error;
  const message = `${error.message} ${last_answer.replace(/\.$/, '')}. If it knows no order ${out_trade_no}, look at the number.`;
  throw new PaymentPendingError(message, out_trade_no, error.details, error.because);
}
