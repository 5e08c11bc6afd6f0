/** `payment-gateway refund OUT_TRADE_NO`: refunds a paid order and prints the gateway's answer, with the number of the refund. */
import type { Client } from '@temporalio/client';
import { InvalidOrderError, NotRefundedError, PaymentError, PaymentPendingError, type Refunded } from '../client';
import {
  type AfterSaleState,
  afterSaleWorkflowId,
  FAILURE,
  paymentWorkflowId,
  type RefundOrder,
  refundOrderOf,
  secondTradesPaid,
  type TradesBeside,
} from '../contract';
import { ConfigError } from '../process/user-error';
import { pendingWork } from '../temporal/pending-work';
import { ifExists } from '../temporal/runs';
import { type AppOptions, appSettings } from './command-settings';
import { EXIT } from './exit-codes';
import { withOptions } from './option-words';
import * as print from './print';
import { say } from './print';
import { readJsonObject } from './read-json';
import { elsewhereCommand } from './send-back';
import { withPayments } from './with-payments';

interface RefundCommand extends AppOptions {
  amount?: string;
  number?: string;
  reason?: string;
  with?: string;
}

const OPTIONS = [
  ['amount', 'refund_amount'],
  ['number', 'out_request_no'],
  ['reason', 'refund_reason'],
  // The money that others refunded: an option of `resolve`, which such a refusal names.
  ['elsewhere', 'refunded_elsewhere'],
] as const;

/** Ends the process: 0 for a refund, 1 if the gateway refuses it, 2 for wrong input, 3 if the answer is not known yet. */
export async function refundOrder(out_trade_no: string, options: RefundCommand): Promise<void> {
  const request = await requestOf(options);
  const settings = await appSettings(options, out_trade_no);
  await withPayments(settings, async (payments, client) => {
    const order: Order = { app_id: settings.app_id, out_trade_no };
    const { out_request_no, ...answer } = await payments
      .requestRefund(out_trade_no, request)
      .catch((error: unknown) => nameLastAnswer(client, order, error))
      .catch((error: unknown) => inWordsOfCommand(order, error));
    // The number comes first: a person who asks again needs it.
    const refund = { out_request_no, ...answer };
    if (options.json) say(JSON.stringify({ refund }));
    else {
      say(`Refund of order ${out_trade_no} (app ${settings.app_id}):\n${await print.paymentData(refund)}`);
      // The refund is made: whether this can be read does not change that.
      const after_sale = await payments.refunds(out_trade_no).catch(() => undefined);
      for (const line of besideAnswer(refund, after_sale)) say(print.printable(line));
    }
    return EXIT.ok;
  });
}

type Beside = Pick<AfterSaleState, 'trade_no' | 'refunds'> & { payment: TradesBeside | null };

/** What is to be known beside the gateway's answer, which stays the first one: a request that is repeated gets it again. */
export function besideAnswer(
  { out_request_no, refund_status }: Pick<Refunded, 'out_request_no' | 'refund_status'>,
  after_sale: Beside | undefined,
): string[] {
  const refund = after_sale?.refunds.find((one) => one.out_request_no === out_request_no);
  const [outcome, status] = [refund?.outcome ?? 'ACCEPTED', refund?.refund_status ?? refund_status];
  const beside = after_sale && besideOwnTrade(after_sale);
  return [
    ...(outcome === 'ACCEPTED' && status === 'REFUND_VERIFYING'
      ? ['  (nothing has gone back yet: the buyer has to confirm it, or to name an account, at the gateway)']
      : []),
    ...(outcome === 'ACCEPTED' || outcome === refund_status
      ? []
      : [`  (that was the gateway’s answer to it: refund ${out_request_no} is ${outcome} now)`]),
    ...(beside ? [beside] : []),
  ];
}

/** Of an order that was paid twice, which of its trades a refund sends back; undefined if no other trade was paid. */
function besideOwnTrade({ trade_no, payment }: Beside): string | undefined {
  const twice = payment ? secondTradesPaid(payment) : undefined;
  return (
    twice &&
    `  (of the order’s own trade ${trade_no ?? ''}. The buyer has paid twice: ${twice} goes back only in the gateway’s dashboard, and need not where this refund was for it)`
  );
}

interface Order {
  app_id: string;
  out_trade_no: string;
}

/** Throws ConfigError for a part without a number. */
async function requestOf({ amount, number, reason, with: file }: RefundCommand): Promise<RefundOrder> {
  // From a file, because personal data does not belong on a command line.
  const buyer = file === undefined ? {} : await readJsonObject('file', file);
  const request = refundOrderOf({
    ...buyer,
    ...(amount === undefined ? {} : { amount }),
    ...(number === undefined ? {} : { out_request_no: number }),
    ...(reason === undefined ? {} : { refund_reason: reason }),
  });
  if (request.refund_amount !== undefined && request.out_request_no === undefined)
    throw new ConfigError(
      'A part needs --number, a number of your own such as r-1: typed once more with it, the command asks about the same refund. Without it, it may be another one.',
    );
  return request;
}

/** Names options instead of fields, and what a person can do: give the buyer's data in a file, or send the money back another way. */
function inWordsOfCommand(order: Order, error: unknown): never {
  if (!(error instanceof PaymentError)) throw error;
  error.message = `${withOptions(OPTIONS, error.message)}${adviceOn(order, error)}`;
  throw error;
}

function adviceOn({ app_id, out_trade_no }: Order, error: PaymentError): string {
  if (error instanceof InvalidOrderError && error.fields.some((field) => /^(user|bank)_info/.test(field)))
    return '. Give the buyer’s data in a file: --with FILE, such as examples/refunds/pix.json.';
  if (error instanceof NotRefundedError && error.sub_code === 'refund-not-supported')
    return ` Send the money back another way, such as a bank transfer, and then say so: ${elsewhereCommand(afterSaleWorkflowId(app_id, out_trade_no))}`;
  return '';
}

/** If the gateway has not said what was paid, the error names its last answer: perhaps nobody knows such an order. */
async function nameLastAnswer(client: Client, { app_id, out_trade_no }: Order, error: unknown): Promise<never> {
  if (!(error instanceof PaymentPendingError && error.because === FAILURE.notAnswered)) throw error;
  const described = (workflowId: string) => client.workflow.getHandle(workflowId).describe();
  const after_sale = await described(afterSaleWorkflowId(app_id, out_trade_no));
  const [last_answer] = (await pendingWork(client, after_sale)).flatMap((work) => work.last_answer ?? []);
  const isKnown = (await ifExists(() => described(paymentWorkflowId(app_id, out_trade_no)), null)) !== null;
  if (last_answer !== undefined) error.message += ` ${last_answer.replace(/\.$/, '')}.`;
  if (!isKnown) error.message += ` Temporal has no payment of ${out_trade_no}: is the number right?`;
  throw error;
}
