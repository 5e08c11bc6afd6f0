/**
 * nexus/: answers workflows of other namespaces, as the service in contract/nexus.ts says. It imports client/, contract/,
 * gateway/ and process/. Each handler is a call of the merchant's client, which may be repeated: so may the operation.
 */
import { getClient, operationInfo } from '@temporalio/nexus';
import { OperationError, type ServiceHandler, type StartOperationContext, serviceHandler } from 'nexus-rpc';
import { z } from 'zod';
import { isPaymentFailure, PaymentsClient } from '../client';
import { FAILURE, paymentsService, typedFailure } from '../contract';
import { InvalidRequestError, parseCheckout, parseDirectPayment } from '../gateway';
import { type Config, ruleSettings } from '../process/settings';

/** Temporal allows a handler ten seconds, counted from the caller’s request. */
const LONGEST_MS = 8_000;
/** Time kept for the answer’s way back, in ms. */
const WAY_BACK_MS = 1_000;

const body = z.record(z.string(), z.unknown());
const order = z.looseObject({ app_id: z.string(), request: body });
const orderNumber = z.looseObject({ app_id: z.string(), out_trade_no: z.string().min(1) });
/** The after-sale checks it: it knows what was paid, and the buyer. */
const refund = z.looseObject({ ...orderNumber.shape, request: body });

/** The service for a Worker that has our workflows and activities, and the apps of these settings. */
export function paymentsNexusService(config: Config): ServiceHandler {
  const rules = ruleSettings(config);
  const apps = new Set(config.apps.map(({ app_id }) => app_id));
  /**
   * The answer of a call for the app that the input names. Throws OperationError with a failure of the contract as its cause;
   * every other error is Temporal's to retry.
   */
  const answering =
    <Input extends { app_id: string }, Answer>(
      shape: z.ZodType<Input>,
      call: (payments: PaymentsClient, input: Input) => Promise<Answer>,
    ) =>
    async ({ requestDeadline }: StartOperationContext, given: unknown): Promise<Answer> => {
      const input = read(shape, given, apps);
      const answerTimeoutMs = timeLeft(requestDeadline);
      const client = getClient();
      const { taskQueue } = operationInfo();
      const payments = new PaymentsClient({ client, app_id: input.app_id, taskQueue, rules, answerTimeoutMs });
      try {
        return await client.withDeadline(Date.now() + answerTimeoutMs, () => call(payments, input));
      } catch (error) {
        throw operationErrorOf(error) ?? error;
      }
    };
  return serviceHandler(paymentsService, {
    pay: answering(order, (payments, { request }) => payments.pay(parseDirectPayment(request, rules))),
    checkout: answering(order, (payments, { request }) => payments.createCheckout(parseCheckout(request, rules))),
    refund: answering(refund, (payments, { out_trade_no, request }) => payments.requestRefund(out_trade_no, request)),
    state: answering(orderNumber, (payments, { out_trade_no }) => payments.state(out_trade_no)),
    outcome: answering(orderNumber, (payments, { out_trade_no }) => payments.outcome(out_trade_no)),
    cancel: answering(orderNumber, (payments, { out_trade_no }) => payments.cancel(out_trade_no)),
  });
}

function read<Input extends { app_id: string }>(
  shape: z.ZodType<Input>,
  given: unknown,
  apps: ReadonlySet<string>,
): Input {
  const parsed = shape.safeParse(given);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), rule: message }));
    const why = `The input of the operation is not valid: ${issues[0]?.field} ${issues[0]?.rule}`;
    throw failed(FAILURE.invalidRequest, why, { issues });
  }
  if (apps.has(parsed.data.app_id)) return parsed.data;
  const rule = 'must be an app of the worker that answers';
  const issues = [{ field: 'app_id', rule }];
  throw failed(FAILURE.invalidRequest, `app_id ${rule}: it has none of this name.`, { issues });
}

/** How long a call may wait, in ms. */
function timeLeft(deadline: Date | undefined): number {
  const left = (deadline?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now() - WAY_BACK_MS;
  return Math.max(0, Math.min(LONGEST_MS, left));
}

/** Pending is a failure like the others: errors that Temporal retries would close the endpoint to all after five. */
function operationErrorOf(error: unknown): OperationError | undefined {
  if (isPaymentFailure(error)) return failed(error.type, error.message, error.details);
  if (!(error instanceof InvalidRequestError)) return undefined;
  return failed(FAILURE.invalidRequest, error.message, { issues: error.issues });
}

function failed(type: string, message: string, details: Readonly<Record<string, unknown>>): OperationError {
  return new OperationError('failed', message, { cause: typedFailure(type, message, details) });
}
