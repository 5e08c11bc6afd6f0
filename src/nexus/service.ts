/** The handlers of the Nexus service. Each is a call of the merchant's client, which may be repeated: so may the operation. */
import { getClient, operationInfo } from '@temporalio/nexus';
import { OperationError, type ServiceHandler, type StartOperationContext, serviceHandler } from 'nexus-rpc';
import { z } from 'zod';
import { isPaymentFailure, PaymentsClient } from '../client';
import { FAILURE, paymentsService, typedFailure } from '../contract';
import { InvalidRequestError, parseCheckout, parseDirectPayment, type RuleSettings } from '../gateway';
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
  const calls = new NexusCalls(config, rules);
  return serviceHandler(paymentsService, {
    pay: (context, input) =>
      calls.answer(context, order, input, (payments, { request }) => payments.pay(parseDirectPayment(request, rules))),
    checkout: (context, input) =>
      calls.answer(context, order, input, (payments, { request }) =>
        payments.createCheckout(parseCheckout(request, rules)),
      ),
    refund: (context, input) =>
      calls.answer(context, refund, input, (payments, { out_trade_no, request }) =>
        payments.requestRefund(out_trade_no, request),
      ),
    state: (context, input) =>
      calls.answer(context, orderNumber, input, (payments, { out_trade_no }) => payments.state(out_trade_no)),
    outcome: (context, input) =>
      calls.answer(context, orderNumber, input, (payments, { out_trade_no }) => payments.outcome(out_trade_no)),
    cancel: (context, input) =>
      calls.answer(context, orderNumber, input, (payments, { out_trade_no }) => payments.cancel(out_trade_no)),
  });
}

class NexusCalls {
  private readonly apps: ReadonlySet<string>;

  constructor(
    config: Config,
    private readonly rules: RuleSettings,
  ) {
    this.apps = new Set(config.apps.map(({ app_id }) => app_id));
  }

  /**
   * The answer of a call for the app that the input names. Throws OperationError with a failure of the contract as its cause;
   * every other error is Temporal's to retry.
   */
  async answer<Input extends { app_id: string }, Answer>(
    { requestDeadline }: StartOperationContext,
    shape: z.ZodType<Input>,
    given: unknown,
    call: (payments: PaymentsClient, input: Input) => Promise<Answer>,
  ): Promise<Answer> {
    const input = this.read(shape, given);
    const answerTimeoutMs = timeLeft(requestDeadline);
    const client = getClient();
    const { taskQueue } = operationInfo();
    const payments = new PaymentsClient({
      client,
      app_id: input.app_id,
      taskQueue,
      rules: this.rules,
      answerTimeoutMs,
    });
    try {
      return await client.withDeadline(Date.now() + answerTimeoutMs, () => call(payments, input));
    } catch (error) {
      throw operationErrorOf(error) ?? error;
    }
  }

  private read<Input extends { app_id: string }>(shape: z.ZodType<Input>, given: unknown): Input {
    const read = shape.safeParse(given);
    if (!read.success) {
      const issues = read.error.issues.map(({ path, message }) => ({ field: path.join('.'), rule: message }));
      throw failed(
        FAILURE.invalidRequest,
        `The input of the operation is not valid: ${issues[0]?.field} ${issues[0]?.rule}`,
        {
          issues,
        },
      );
    }
    if (this.apps.has(read.data.app_id)) return read.data;
    const rule = 'must be an app of the worker that answers';
    throw failed(FAILURE.invalidRequest, `app_id ${rule}: it has none of this name.`, {
      issues: [{ field: 'app_id', rule }],
    });
  }
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
