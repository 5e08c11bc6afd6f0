/** `payment-gateway pay ORDER.json [--wait]`: sends an order file and prints the payment data. */
import { setTimeout as delay } from 'node:timers/promises';
import { InvalidOrderError, type PaymentsClient } from '../client';
import { FAILURE, isSold, type PaymentData, type PaymentState } from '../contract';
import type { FieldIssue, RuleSettings } from '../gateway';
import { parseCheckout } from '../gateway/checkout';
import { InvalidRequestError } from '../gateway/errors';
import { parseDirectPayment } from '../gateway/pay';
import { ruleSettings } from '../process/settings';
import { ConfigError, UserError } from '../process/user-error';
import { type AppOptions, appSettings } from './command-settings';
import { EXIT } from './exit-codes';
import * as print from './print';
import { say } from './print';
import { readJsonObject } from './read-json';
import { withPayments } from './with-payments';

interface PayOptions extends AppOptions {
  wait?: boolean;
}

/** How often `--wait` queries the payment's state, in ms. A query adds nothing to the history. */
const QUERY_EVERY_MS = 1_000;

/** Ends the process: 0 for a paid or sent order, 1 if it is not paid, 2 for wrong input, 3 if the outcome is not known yet. */
export async function pay(file: string, options: PayOptions): Promise<void> {
  const settings = await appSettings(options);
  const order = await readOrder(file, ruleSettings(settings.config)).catch(nameWrongFields);
  await withPayments(settings, async (payments) => {
    const { out_trade_no } = order.request;
    const sending = order.kind === 'checkout' ? payments.createCheckout(order.request) : payments.pay(order.request);
    const name = `Order ${out_trade_no} (app ${settings.app_id})`;
    const data = await sending.catch(nameWrongFields);
    // The order is sent: that its state is not read is no failure of it.
    const state = await payments.state(out_trade_no).catch(() => undefined);
    const outcome = state?.outcome ?? null;
    // What buyers pay with is no use any more, and may be taken for an open order.
    const isOver = outcome !== null && data.trade_status !== outcome;
    if (isOver && !options.json) say(`${name} is over.`);
    else await show(data, name, options);
    if (options.wait) return follow(payments, out_trade_no, options);
    if (state === undefined || outcome === null) return EXIT.ok;
    if (!options.json) say(print.ending(state));
    return exitCodeOf(state);
  });
}

async function show(data: PaymentData, order: string, { json }: PayOptions): Promise<void> {
  if (json) return say(JSON.stringify({ payment_data: data }));
  say(`${order}:\n${await print.paymentData(data)}`);
}

/** Prints each transition as it becomes known, until the outcome. Returns the exit code. */
async function follow(payments: PaymentsClient, out_trade_no: string, { json }: PayOptions): Promise<number> {
  let printed = 0;
  const printNew = ({ history }: PaymentState) => {
    for (const transition of history.slice(printed)) {
      say(json ? JSON.stringify({ transition }) : print.transition(transition));
    }
    printed = Math.max(printed, history.length);
  };
  if (!json) say('\nWaiting for the outcome (Ctrl-C stops the waiting, not the payment):');
  let ended: PaymentState | undefined;
  const outcome = payments.outcome(out_trade_no).then((state) => {
    ended = state;
  });
  while (ended === undefined) {
    printNew(await payments.state(out_trade_no));
    await Promise.race([outcome, delay(QUERY_EVERY_MS)]);
  }
  printNew(ended);
  say(json ? JSON.stringify({ state: ended }) : print.ending(ended));
  return exitCodeOf(ended);
}

/** Until a person has decided, it is not known whether the order is sold. */
const exitCodeOf = (ended: PaymentState): number =>
  isSold(ended) ? EXIT.ok : ended.attention ? EXIT.pending : EXIT.refused;

type OrderFile =
  | { kind: 'direct'; request: ReturnType<typeof parseDirectPayment> }
  | { kind: 'checkout'; request: ReturnType<typeof parseCheckout> };

/**
 * Reads an order file: `{ kind, request }`, or the bare request of a direct payment. Throws ConfigError for a file that
 * holds no order, and InvalidRequestError for an order that breaks the gateway's rules.
 */
async function readOrder(file: string, rules: RuleSettings): Promise<OrderFile> {
  const value = await readJsonObject('order file', file);
  if (!('request' in value)) return { kind: 'direct', request: parseDirectPayment(value, rules) };
  const kind = 'kind' in value ? value.kind : 'direct';
  if (kind === 'direct') return { kind, request: parseDirectPayment(value.request, rules) };
  if (kind === 'checkout') return { kind, request: parseCheckout(value.request, rules) };
  throw new ConfigError(`The order file ${file} has the kind ${JSON.stringify(kind)}; it is direct or checkout.`);
}

/** Throws a UserError that names the wrong fields of an order, and every other error as it is. */
function nameWrongFields(error: unknown): never {
  if (!(error instanceof InvalidRequestError || error instanceof InvalidOrderError)) throw error;
  const fields = error.issues.map(({ field, rule }) => `\n  ${field}: ${rule}`).join('');
  const { out_trade_no = '' } = error;
  const message = `Order ${out_trade_no} was not sent; these fields break the gateway’s rules:${fields}`;
  throw new WrongFieldsError(message, error.issues);
}

/** The order breaks the gateway's rules. A program gets the fields, a person the sentence that names them. */
class WrongFieldsError extends UserError {
  constructor(
    message: string,
    private readonly issues: readonly FieldIssue[],
  ) {
    super(message);
  }

  override toJSON(): object {
    return { type: FAILURE.invalidRequest, message: this.message, issues: this.issues };
  }
}
