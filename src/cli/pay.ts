/** `payment-gateway pay ORDER.json [--wait]`: sends an order file and prints what comes of it. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DuplicateOrderError,
  InvalidOrderError,
  NotCreatedError,
  PaymentPendingError,
  PaymentsClient,
} from '../client';
import { ConfigError, loadConfig, ruleSettings } from '../config';
import { connectClient } from '../connect';
import { parseCheckout, parseDirectPayment, type RuleSettings } from '../gateway';
import { InvalidRequestError } from '../gateway/errors';
import { parseExact } from '../gateway/json';
import type { PaymentData, PaymentState } from '../workflows/contract';
import { withDevSettings } from './dev-settings';
import * as print from './print';

interface PayOptions {
  wait?: boolean;
  json?: boolean;
  app?: string;
}

/** What the command's exit code tells. */
const EXIT = { ok: 0, notPaid: 1, wrongInput: 2, pending: 3 } as const;

/** Between two looks at a payment's state, in ms. A look adds nothing to the history. */
const LOOK_EVERY_MS = 1_000;

export async function pay(file: string, options: PayOptions): Promise<void> {
  const { env, from } = withDevSettings(process.env);
  const config = loadConfig(env);
  const rules = ruleSettings(config);
  const order = await readOrder(file, rules);
  const app_id = options.app ?? config.GATEWAY_APP_ID ?? config.apps[0]?.app_id;
  if (app_id === undefined) {
    throw new ConfigError('Which app pays? Set GATEWAY_APP_ID, use --app, or run npm start in this folder first.');
  }
  if (from && !options.json) say(`Using the stack that runs here (${from}).`);
  const client = await connectClient(env, config);
  const payments = new PaymentsClient({
    client,
    app_id,
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    sealingKey: config.PAYMENTS_SEALING_PUBLIC_JWK,
    rules,
  });
  try {
    const data = await (order.kind === 'checkout'
      ? payments.createCheckout(order.request)
      : payments.pay(order.request));
    await show(data, order.request.out_trade_no, options);
    process.exitCode = options.wait ? await follow(payments, order.request.out_trade_no, options) : EXIT.ok;
  } catch (error) {
    process.exitCode = exitCodeFor(error);
  }
  // Not closed: a wait for an outcome may still be under way, and a closed connection would make it throw from afar.
  process.exit();
}

async function show(data: PaymentData, out_trade_no: string, { json }: PayOptions): Promise<void> {
  if (json) return say(JSON.stringify({ payment_data: data }));
  say(`Order ${out_trade_no}: the gateway has it.\n${await print.paymentData(data)}`);
}

/** Prints each state as it is learned, until the outcome. */
async function follow(payments: PaymentsClient, out_trade_no: string, { json }: PayOptions): Promise<number> {
  let told = 0;
  const tell = ({ history }: PaymentState) => {
    for (const transition of history.slice(told)) {
      say(json ? JSON.stringify({ transition }) : print.transition(transition));
    }
    told = Math.max(told, history.length);
  };
  if (!json) say('\nWaiting for the outcome (Ctrl-C leaves the payment going on by itself):');
  let ended: PaymentState | undefined;
  const outcome = payments.outcome(out_trade_no).then((state) => {
    ended = state;
  });
  while (ended === undefined) {
    tell(await payments.state(out_trade_no));
    await Promise.race([outcome, delay(LOOK_EVERY_MS)]);
  }
  tell(ended);
  say(json ? JSON.stringify({ state: ended }) : print.ending(ended));
  return ended.outcome === 'SUCCESS' ? EXIT.ok : EXIT.notPaid;
}

type OrderFile =
  | { kind: 'direct'; request: ReturnType<typeof parseDirectPayment> }
  | { kind: 'checkout'; request: ReturnType<typeof parseCheckout> };

/** An order file: `{ kind, request }`, or the bare request of a direct payment. Ends the process on a wrong one. */
async function readOrder(file: string, rules: RuleSettings): Promise<OrderFile> {
  const value = await readFile(file, 'utf8')
    .then(parseExact, (error: NodeJS.ErrnoException) => {
      throw new ConfigError(`The order file ${file} cannot be read (${error.code}).`);
    })
    .catch((error: unknown) => {
      throw error instanceof SyntaxError
        ? new ConfigError(`The order file ${file} is not JSON: ${error.message}`)
        : error;
    });
  const { kind, request } = shapeOf(value, file);
  try {
    return kind === 'checkout'
      ? { kind, request: parseCheckout(request, rules) }
      : { kind, request: parseDirectPayment(request, rules) };
  } catch (error) {
    if (error instanceof InvalidRequestError) process.exit(refused(error));
    throw error;
  }
}

function shapeOf(value: unknown, file: string): { kind: 'direct' | 'checkout'; request: unknown } {
  if (typeof value !== 'object' || value === null)
    throw new ConfigError(`The order file ${file} holds no JSON object.`);
  if (!('request' in value)) return { kind: 'direct', request: value };
  const kind = 'kind' in value ? value.kind : 'direct';
  if (kind === 'direct' || kind === 'checkout') return { kind, request: value.request };
  throw new ConfigError(`The order file ${file} has the kind ${JSON.stringify(kind)}; it is direct or checkout.`);
}

function exitCodeFor(error: unknown): number {
  if (error instanceof InvalidOrderError) return refused(error);
  if (error instanceof NotCreatedError || error instanceof DuplicateOrderError) return complain(error, EXIT.notPaid);
  if (error instanceof PaymentPendingError) return complain(error, EXIT.pending);
  throw error;
}

function refused({
  issues,
  out_trade_no,
}: {
  issues: readonly { field: string; rule: string }[];
  out_trade_no?: string | undefined;
}): number {
  const list = issues.map(({ field, rule }) => `  ${field}: ${rule}\n`).join('');
  process.stderr.write(`Order ${out_trade_no ?? ''} was not sent; these fields break the gateway’s rules:\n${list}`);
  return EXIT.wrongInput;
}

function complain({ message }: Error, code: number): number {
  process.stderr.write(`${message}\n`);
  return code;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
