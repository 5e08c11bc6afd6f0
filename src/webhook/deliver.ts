/**
 * Hands a verified notification to Temporal. It has arrived once the signal is in a history, and only then may it be
 * acknowledged. The same bytes bear the same request id, by which the server drops repetitions within a run.
 */
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import {
  defineSearchAttributeKey,
  encodeWorkflowIdConflictPolicy,
  encodeWorkflowIdReusePolicy,
} from '@temporalio/common';
import { encodeToPayloadsWithContext } from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import type { Notification } from '../gateway';
import { endedRun } from '../runs';
import type { SpeiAccountInput } from '../workflows/account-contract';
import {
  type AdoptedPayment,
  type AfterSaleInput,
  afterSaleWorkflowId,
  type PreviousRun,
  paymentWorkflowId,
  SIGNAL,
  type StrayNotificationInput,
  speiAccountWorkflowId,
  strayNotificationWorkflowId,
  WORKFLOW,
} from '../workflows/contract';
import { comesAfterSale, outcomeOf } from '../workflows/transitions';
import type { PerMinute } from './per-minute';

export interface DeliveryOptions {
  client: Client;
  taskQueue: string;
  /** Milliseconds that Temporal may take for one call. */
  timeout_ms: number;
  /** Bounds the workflows that notifications of an app may start. */
  adoptions: PerMinute;
}

/** Notifications would start more workflows than they may; `seconds` until they may again. */
export class TooManyAdoptionsError extends Error {
  override readonly name = 'TooManyAdoptionsError';

  constructor(readonly seconds: number) {
    super('Notifications start more payments than WEBHOOK_LIMIT_ADOPTIONS allows; the gateway is asked to come again.');
  }
}

const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const DEADLINE_EXCEEDED = 4;
const RUNNING = temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;
const statusKey = defineSearchAttributeKey('PaymentStatus', 'KEYWORD');

/**
 * Signals whom it concerns, starting in adopt form what does not run. Throws where Temporal did not take it, and
 * TooManyAdoptionsError where it does not run and no more may be started.
 */
export async function deliver(options: DeliveryOptions, notification: Notification, digest: string): Promise<void> {
  const { app_id, out_trade_no, transfer_account, trade_status } = notification;
  const account_id = transfer_account?.account_id;
  if (account_id !== undefined) {
    const workflowId = speiAccountWorkflowId(app_id, account_id);
    await bounded(options, app_id, workflowId, () => signalAccount(options, account_id, notification, digest));
    // The account has a deposit confirmed by its payment. What follows the money, such as a refund, is that payment's news.
    if (trade_status === 'SUCCESS') return;
  }
  const paymentId = paymentWorkflowId(app_id, out_trade_no);
  if (comesAfterSale(trade_status) && (await isSold(options, paymentId))) {
    const afterSaleId = afterSaleWorkflowId(app_id, out_trade_no);
    await bounded(options, app_id, afterSaleId, () => signalAfterSale(options, afterSaleId, notification, digest));
    return;
  }
  await bounded(options, app_id, paymentId, () => signalOrStart(options, paymentId, notification, digest));
}

/** Whether the payment has ended in a sale, or is not known (any more), so that there is none to tell. */
async function isSold(options: DeliveryOptions, paymentId: string): Promise<boolean> {
  try {
    const payment = await withinTime(options, () => options.client.workflow.getHandle(paymentId).describe());
    const status = payment.typedSearchAttributes.get(statusKey);
    return payment.status.name !== 'RUNNING' && outcomeOf(status ?? '') === 'SUCCESS';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}

/** News of what follows a sale. Answers whether a run was started for it. */
async function signalAfterSale(
  options: DeliveryOptions,
  workflowId: string,
  notification: Notification,
  digest: string,
): Promise<boolean> {
  const { app_id, out_trade_no, trade_no } = notification;
  const input: AfterSaleInput = { app_id, out_trade_no, trade_no };
  const target = { workflowId, type: WORKFLOW.afterSale, input };
  try {
    return await signalWithStart(options, target, SIGNAL.notification, notification, digest, 'REJECT_DUPLICATE');
  } catch (error) {
    if (codeOf(error) !== ALREADY_EXISTS) throw error;
    const ended = await lastRun(options, workflowId);
    if (ended.completed && ended.startedBy(digest)) return false;
    return signalWithStart(options, target, SIGNAL.notification, notification, digest, 'ALLOW_DUPLICATE');
  }
}

/** Lets a notification start a workflow, which `send` answers, only as often as notifications of its app may. */
async function bounded(
  options: DeliveryOptions,
  app_id: string,
  workflowId: string,
  send: () => Promise<boolean>,
): Promise<void> {
  const seconds = await options.adoptions.take(app_id);
  if (seconds > 0 && !(await isRunning(options, workflowId))) throw new TooManyAdoptionsError(seconds);
  let started = false;
  try {
    started = await send();
  } finally {
    if (!started) await options.adoptions.giveBack(app_id);
  }
}

/** A deposit into a virtual account, which is adopted where nobody follows it. Answers whether a run was started. */
function signalAccount(options: DeliveryOptions, account_id: string, notification: Notification, digest: string) {
  const { app_id } = notification;
  const input: SpeiAccountInput = { app_id, account_id };
  const target = { workflowId: speiAccountWorkflowId(app_id, account_id), type: WORKFLOW.speiAccount, input };
  return signalWithStart(options, target, SIGNAL.deposit, notification, digest, 'ALLOW_DUPLICATE');
}

/** News of a payment. Answers whether a run was started for it. */
async function signalOrStart(
  options: DeliveryOptions,
  workflowId: string,
  notification: Notification,
  digest: string,
): Promise<boolean> {
  try {
    return await signalPayment(options, workflowId, notification, digest, 'REJECT_DUPLICATE');
  } catch (error) {
    if (codeOf(error) !== ALREADY_EXISTS) throw error;
    const ended = await lastRun(options, workflowId);
    // Only a run that came to its own end has made something of it: one that was terminated may have missed it.
    if (ended.completed && (ended.status === notification.trade_status || ended.startedBy(digest))) return false;
    // News about a payment that had ended, such as money after its expiry: a new run takes it on.
    const previous = await withinTime(options, () => endedRun(options.client, workflowId, ended.runId));
    return signalPayment(options, workflowId, notification, digest, 'ALLOW_DUPLICATE', previous);
  }
}

/** Keeps a notification that nobody could read. Throws where Temporal did not take it. */
export async function keepStray(
  options: DeliveryOptions,
  app_id: string,
  body: Uint8Array,
  digest: string,
): Promise<void> {
  const { client, taskQueue, adoptions } = options;
  const seconds = await adoptions.take(app_id);
  if (seconds > 0) throw new TooManyAdoptionsError(seconds);
  const input: StrayNotificationInput = { app_id, body: Buffer.from(body).toString('base64') };
  let started = false;
  try {
    await withinTime(options, () =>
      client.workflow.start(WORKFLOW.strayNotification, {
        workflowId: strayNotificationWorkflowId(app_id, digest),
        taskQueue,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
      }),
    );
    started = true;
  } catch (error) {
    // A person has seen these very bytes already.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  } finally {
    if (!started) await adoptions.giveBack(app_id);
  }
}

/**
 * What the run that has ended knew: where it is the same state, the notification is mostly a repetition whose
 * acknowledgement was lost. It is read from the search attributes, which need no worker.
 */
async function lastRun(options: DeliveryOptions, workflowId: string) {
  const described = await withinTime(options, () => options.client.workflow.getHandle(workflowId).describe());
  return {
    completed: described.status.name === 'COMPLETED',
    status: described.typedSearchAttributes.get(statusKey),
    startedBy: (requestId: string) => requestId in (described.raw.workflowExtendedInfo?.requestIdInfos ?? {}),
    runId: described.runId,
  };
}

async function isRunning(options: DeliveryOptions, workflowId: string): Promise<boolean> {
  const { client } = options;
  const request = { namespace: client.options.namespace, execution: { workflowId } };
  try {
    const { workflowExecutionInfo } = await withinTime(options, () =>
      client.workflowService.describeWorkflowExecution(request),
    );
    return workflowExecutionInfo?.status === RUNNING;
  } catch (error) {
    if (codeOf(error) !== NOT_FOUND) throw error;
    return false;
  }
}

type Reuse = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';

function signalPayment(
  options: DeliveryOptions,
  workflowId: string,
  notification: Notification,
  digest: string,
  reuse: Reuse,
  previous?: PreviousRun,
): Promise<boolean> {
  const { app_id, out_trade_no, trade_no } = notification;
  const input: AdoptedPayment = { kind: 'adopt', app_id, out_trade_no, trade_no, ...(previous ? { previous } : {}) };
  const target = { workflowId, type: WORKFLOW.payment, input };
  return signalWithStart(options, target, SIGNAL.notification, notification, digest, reuse);
}

/** Answers whether it started a run. */
async function signalWithStart(
  options: DeliveryOptions,
  { workflowId, type, input }: { workflowId: string; type: string; input: object },
  signalName: string,
  notification: Notification,
  digest: string,
  reuse: Reuse,
): Promise<boolean> {
  const { client, taskQueue } = options;
  const { namespace, identity, loadedDataConverter } = client.options;
  const encode = (value: unknown) =>
    encodeToPayloadsWithContext(loadedDataConverter, { type: 'workflow', namespace, workflowId }, [value]);
  const request = {
    namespace,
    identity,
    requestId: digest,
    workflowId,
    workflowType: { name: type },
    taskQueue: { name: taskQueue },
    input: { payloads: (await encode(input)) ?? [] },
    signalName,
    signalInput: { payloads: (await encode(notification)) ?? [] },
    workflowIdReusePolicy: encodeWorkflowIdReusePolicy(reuse) ?? null,
    workflowIdConflictPolicy: encodeWorkflowIdConflictPolicy('USE_EXISTING') ?? null,
  };
  const send = async () => {
    const { started } = await withinTime(options, () =>
      client.workflowService.signalWithStartWorkflowExecution(request),
    );
    return started ?? false;
  };
  try {
    return await send();
  } catch (error) {
    // The SDK does not repeat a call whose time ran out, after which the signal may be there: the same id repeats it safely.
    if (codeOf(error) !== DEADLINE_EXCEEDED) throw error;
    return send();
  }
}

/** Every call of Temporal goes through here: none may take as long as it likes. */
function withinTime<T>({ client, timeout_ms }: DeliveryOptions, call: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + timeout_ms, call);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
