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
import {
  type AdoptedPayment,
  paymentWorkflowId,
  SIGNAL,
  type StrayNotificationInput,
  strayNotificationWorkflowId,
  WORKFLOW,
} from '../workflows/contract';
import type { PerMinute } from './per-minute';

export interface DeliveryOptions {
  client: Client;
  taskQueue: string;
  /** Milliseconds that Temporal may take for one call. */
  timeout_ms: number;
  /** Bounds the payments that notifications may start. */
  adoptions: PerMinute;
}

/** More payments would be started by notifications than may; `seconds` until some may again. */
export class TooManyAdoptionsError extends Error {
  override readonly name = 'TooManyAdoptionsError';

  constructor(readonly seconds: number) {
    super('Notifications start more payments than WEBHOOK_LIMIT_ADOPTIONS allows; the gateway is asked to come again.');
  }
}

const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const DEADLINE_EXCEEDED = 4;
const statusKey = defineSearchAttributeKey('PaymentStatus', 'KEYWORD');

/** Signals the payment, starting it in adopt form where there is none. Throws where Temporal did not take it. */
export async function deliver(options: DeliveryOptions, notification: Notification, digest: string): Promise<void> {
  const workflowId = paymentWorkflowId(notification.app_id, notification.out_trade_no);
  if (await signalRunning(options, workflowId, notification, digest)) return;
  await mayStart(options, notification.app_id);
  try {
    await signalWithStart(options, workflowId, notification, digest, 'REJECT_DUPLICATE');
  } catch (error) {
    if (codeOf(error) !== ALREADY_EXISTS) throw error;
    const ended = await endedRun(options, workflowId);
    // Only a run that came to its own end has made something of it: one that was terminated may have missed it.
    if (ended.completed && (ended.status === notification.trade_status || ended.startedBy(digest))) {
      await options.adoptions.giveBack(notification.app_id);
      return;
    }
    // News about a payment that had ended, such as money after its expiry: a new run takes it on.
    await signalWithStart(options, workflowId, notification, digest, 'ALLOW_DUPLICATE', ended.runId);
  }
}

/** Keeps a notification that nobody could read. Throws where Temporal did not take it. */
export async function keepStray(
  options: DeliveryOptions,
  app_id: string,
  body: Uint8Array,
  digest: string,
): Promise<void> {
  const { client, taskQueue, timeout_ms } = options;
  await mayStart(options, app_id);
  const input: StrayNotificationInput = { app_id, body: Buffer.from(body).toString('base64') };
  try {
    await client.withDeadline(Date.now() + timeout_ms, () =>
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
async function endedRun({ client, timeout_ms }: DeliveryOptions, workflowId: string) {
  const described = await client.withDeadline(Date.now() + timeout_ms, () =>
    client.workflow.getHandle(workflowId).describe(),
  );
  return {
    completed: described.status.name === 'COMPLETED',
    status: described.typedSearchAttributes.get(statusKey),
    startedBy: (requestId: string) => requestId in (described.raw.workflowExtendedInfo?.requestIdInfos ?? {}),
    runId: described.runId,
  };
}

async function mayStart({ adoptions }: DeliveryOptions, app_id: string): Promise<void> {
  const seconds = await adoptions.take(app_id);
  if (seconds > 0) throw new TooManyAdoptionsError(seconds);
}

/** Signals the payment where it runs, which is the usual case; answers whether it does. */
async function signalRunning(
  { client, timeout_ms }: DeliveryOptions,
  workflowId: string,
  notification: Notification,
  digest: string,
): Promise<boolean> {
  const { namespace, identity, loadedDataConverter } = client.options;
  const context = { type: 'workflow', namespace, workflowId } as const;
  const payloads = (await encodeToPayloadsWithContext(loadedDataConverter, context, [notification])) ?? [];
  const request = {
    namespace,
    identity,
    requestId: digest,
    workflowExecution: { workflowId },
    signalName: SIGNAL.notification,
    input: { payloads },
  };
  try {
    await twice(client, timeout_ms, () => client.workflowService.signalWorkflowExecution(request));
    return true;
  } catch (error) {
    if (codeOf(error) !== NOT_FOUND) throw error;
    return false;
  }
}

async function signalWithStart(
  options: DeliveryOptions,
  workflowId: string,
  notification: Notification,
  digest: string,
  reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE',
  previous_run_id?: string,
): Promise<void> {
  const { client, taskQueue, timeout_ms } = options;
  const { namespace, identity, loadedDataConverter } = client.options;
  const { app_id, out_trade_no, trade_no } = notification;
  const adopted: AdoptedPayment = { kind: 'adopt', app_id, out_trade_no, trade_no, previous_run_id };
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
  await twice(client, timeout_ms, () => client.workflowService.signalWithStartWorkflowExecution(request));
}

/** The SDK does not repeat a call whose time ran out, after which the signal may be there: the same id repeats it safely. */
async function twice(client: Client, timeout_ms: number, call: () => Promise<unknown>): Promise<void> {
  const send = () => client.withDeadline(Date.now() + timeout_ms, call);
  try {
    await send();
  } catch (error) {
    if (codeOf(error) !== DEADLINE_EXCEEDED) throw error;
    await send();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
