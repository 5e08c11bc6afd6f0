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
import type { SpeiAccountInput } from '../workflows/account-contract';
import {
  type AdoptedPayment,
  type PreviousRun,
  paymentWorkflowId,
  SIGNAL,
  type StrayNotificationInput,
  speiAccountWorkflowId,
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

/** Signals whom it concerns, starting in adopt form what does not run. Throws where Temporal did not take it. */
export async function deliver(options: DeliveryOptions, notification: Notification, digest: string): Promise<void> {
  const { account_id } = notification.transfer_account ?? {};
  if (account_id !== undefined) {
    await signalAccount(options, account_id, notification, digest);
    // The account has a deposit confirmed by its payment. What follows the money, such as a refund, is that payment's news.
    if (notification.trade_status === 'SUCCESS') return;
  }
  await deliverToPayment(options, notification, digest);
}

/** A deposit into a virtual account, which is adopted where nobody follows it. */
function signalAccount(options: DeliveryOptions, account_id: string, notification: Notification, digest: string) {
  const { app_id } = notification;
  const input: SpeiAccountInput = { app_id, account_id };
  const target = { workflowId: speiAccountWorkflowId(app_id, account_id), type: WORKFLOW.speiAccount, input };
  return signalWithStart(options, target, SIGNAL.deposit, notification, digest, 'ALLOW_DUPLICATE');
}

async function deliverToPayment(options: DeliveryOptions, notification: Notification, digest: string): Promise<void> {
  const workflowId = paymentWorkflowId(notification.app_id, notification.out_trade_no);
  try {
    await signalPayment(options, workflowId, notification, digest, 'REJECT_DUPLICATE');
  } catch (error) {
    if (codeOf(error) !== ALREADY_EXISTS) throw error;
    const ended = await lastRun(options, workflowId);
    // Only a run that came to its own end has made something of it: one that was terminated may have missed it.
    if (ended.completed && (ended.status === notification.trade_status || ended.startedBy(digest))) return;
    // News about a payment that had ended, such as money after its expiry: a new run takes it on.
    const previous = await withinTime(options, () => endedRun(options.client, workflowId, ended.runId));
    await signalPayment(options, workflowId, notification, digest, 'ALLOW_DUPLICATE', previous);
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

type Reuse = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';

function signalPayment(
  options: DeliveryOptions,
  workflowId: string,
  notification: Notification,
  digest: string,
  reuse: Reuse,
  previous?: PreviousRun,
): Promise<void> {
  const { app_id, out_trade_no, trade_no } = notification;
  const input: AdoptedPayment = { kind: 'adopt', app_id, out_trade_no, trade_no, ...(previous ? { previous } : {}) };
  const target = { workflowId, type: WORKFLOW.payment, input };
  return signalWithStart(options, target, SIGNAL.notification, notification, digest, reuse);
}

async function signalWithStart(
  options: DeliveryOptions,
  { workflowId, type, input }: { workflowId: string; type: string; input: object },
  signalName: string,
  notification: Notification,
  digest: string,
  reuse: Reuse,
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
    signalName,
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
