/**
 * Hands a verified notification to Temporal. It has arrived once the signal is in a history, and only then may it be
 * acknowledged. The same bytes bear the same request id, by which the server drops repetitions within a run.
 */
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
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
  type PreviousRun,
  paymentWorkflowId,
  SIGNAL,
  type StrayNotificationInput,
  strayNotificationWorkflowId,
  WORKFLOW,
} from '../workflows/contract';

export interface DeliveryOptions {
  client: Client;
  taskQueue: string;
  /** Milliseconds that Temporal may take for one call. */
  timeout_ms: number;
}

const ALREADY_EXISTS = 6;
const DEADLINE_EXCEEDED = 4;
const statusKey = defineSearchAttributeKey('PaymentStatus', 'KEYWORD');

/** Signals the payment, starting it in adopt form where there is none. Throws where Temporal did not take it. */
export async function deliver(options: DeliveryOptions, notification: Notification, digest: string): Promise<void> {
  const workflowId = paymentWorkflowId(notification.app_id, notification.out_trade_no);
  try {
    await signalWithStart(options, workflowId, notification, digest, 'REJECT_DUPLICATE');
  } catch (error) {
    if (codeOf(error) !== ALREADY_EXISTS) throw error;
    const ended = await lastRun(options, workflowId);
    // Only a run that came to its own end has made something of it: one that was terminated may have missed it.
    if (ended.completed && (ended.status === notification.trade_status || ended.startedBy(digest))) return;
    // News about a payment that had ended, such as money after its expiry: a new run takes it on.
    const previous = await withinTime(options, () => endedRun(options.client, workflowId, ended.runId));
    await signalWithStart(options, workflowId, notification, digest, 'ALLOW_DUPLICATE', previous);
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

async function signalWithStart(
  options: DeliveryOptions,
  workflowId: string,
  notification: Notification,
  digest: string,
  reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE',
  previous?: PreviousRun,
): Promise<void> {
  const { client, taskQueue } = options;
  const { namespace, identity, loadedDataConverter } = client.options;
  const { app_id, out_trade_no, trade_no } = notification;
  const adopted: AdoptedPayment = { kind: 'adopt', app_id, out_trade_no, trade_no, ...(previous ? { previous } : {}) };
  const encode = (value: unknown) =>
    encodeToPayloadsWithContext(loadedDataConverter, { type: 'workflow', namespace, workflowId }, [value]);
  const request = {
    namespace,
    identity,
    requestId: digest,
    workflowId,
    workflowType: { name: WORKFLOW.payment },
    taskQueue: { name: taskQueue },
    input: { payloads: (await encode(adopted)) ?? [] },
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
