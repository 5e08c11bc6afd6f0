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
import type { Notification } from '../gateway';
import { endedRun } from '../runs';
import {
  type AdoptedPayment,
  type AfterSaleInput,
  afterSaleWorkflowId,
  type PreviousRun,
  paymentWorkflowId,
  SIGNAL,
  type StrayNotificationInput,
  strayNotificationWorkflowId,
  WORKFLOW,
} from '../workflows/contract';
import { comesAfterSale, outcomeOf } from '../workflows/transitions';

export interface DeliveryOptions {
  client: Client;
  taskQueue: string;
  /** Milliseconds that Temporal may take for one call. */
  timeout_ms: number;
}

const ALREADY_EXISTS = 6;
const DEADLINE_EXCEEDED = 4;
const statusKey = defineSearchAttributeKey('PaymentStatus', 'KEYWORD');

/**
 * Signals the payment, or what follows its sale, starting it in adopt form where there is none. Throws where Temporal did
 * not take it.
 */
export async function deliver(options: DeliveryOptions, notification: Notification, digest: string): Promise<void> {
  const workflowId = paymentWorkflowId(notification.app_id, notification.out_trade_no);
  if (comesAfterSale(notification.trade_status) && (await isSold(options, workflowId))) {
    return deliverAfterSale(options, notification, digest);
  }
  try {
    await signalWithStart(options, adopting(notification), notification, digest, 'REJECT_DUPLICATE');
  } catch (error) {
    if (codeOf(error) !== ALREADY_EXISTS) throw error;
    const ended = await lastRun(options, workflowId);
    // Only a run that came to its own end has made something of it: one that was terminated may have missed it.
    if (ended.completed && (ended.status === notification.trade_status || ended.startedBy(digest))) return;
    // News about a payment that had ended, such as money after its expiry: a new run takes it on.
    const previous = await withinTime(options, () => endedRun(options.client, workflowId, ended.runId));
    await signalWithStart(options, adopting(notification, previous), notification, digest, 'ALLOW_DUPLICATE');
  }
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

async function deliverAfterSale(options: DeliveryOptions, notification: Notification, digest: string): Promise<void> {
  const { app_id, out_trade_no, trade_no } = notification;
  const workflow = {
    type: WORKFLOW.afterSale,
    id: afterSaleWorkflowId(app_id, out_trade_no),
    input: { app_id, out_trade_no, trade_no } satisfies AfterSaleInput,
  };
  try {
    await signalWithStart(options, workflow, notification, digest, 'REJECT_DUPLICATE');
  } catch (error) {
    if (codeOf(error) !== ALREADY_EXISTS) throw error;
    const ended = await lastRun(options, workflow.id);
    if (ended.completed && ended.startedBy(digest)) return;
    await signalWithStart(options, workflow, notification, digest, 'ALLOW_DUPLICATE');
  }
}

/** Keeps a notification that nobody could read. Throws where Temporal did not take it. */
export async function keepStray(
  options: DeliveryOptions,
  app_id: string,
  body: Uint8Array,
  digest: string,
): Promise<void> {
  const { client, taskQueue } = options;
  const input: StrayNotificationInput = { app_id, body: Buffer.from(body).toString('base64') };
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
  } catch (error) {
    // A person has seen these very bytes already.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
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

interface ToStart {
  type: string;
  id: string;
  input: object;
}

/** The payment that takes the notified trade on. */
function adopting({ app_id, out_trade_no, trade_no }: Notification, previous?: PreviousRun): ToStart {
  const input: AdoptedPayment = { kind: 'adopt', app_id, out_trade_no, trade_no, ...(previous ? { previous } : {}) };
  return { type: WORKFLOW.payment, id: paymentWorkflowId(app_id, out_trade_no), input };
}

async function signalWithStart(
  options: DeliveryOptions,
  { type, id: workflowId, input }: ToStart,
  notification: Notification,
  digest: string,
  reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE',
): Promise<void> {
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
    signalName: SIGNAL.notification,
    signalInput: { payloads: (await encode(notification)) ?? [] },
    workflowIdReusePolicy: encodeWorkflowIdReusePolicy(reuse) ?? null,
    workflowIdConflictPolicy: encodeWorkflowIdConflictPolicy('USE_EXISTING') ?? null,
  };
  const send = () => withinTime(options, () => client.workflowService.signalWithStartWorkflowExecution(request));
  try {
    await send();
  } catch (error) {
    // The SDK does not repeat a call whose time ran out, after which the signal may be there: the same id repeats it safely.
    if (codeOf(error) !== DEADLINE_EXCEEDED) throw error;
    await send();
  }
}

function withinTime<T>({ client, timeout_ms }: DeliveryOptions, call: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + timeout_ms, call);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
