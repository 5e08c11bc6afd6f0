/**
 * A run that was started with a foreign payload (contract/foreign-input.ts), or with nothing, ends at once with a plain
 * failure, and does nothing else. Under the id of an order or an account it gives way to what earlier runs know. A signal
 * with such an argument counts as one that nobody handles, and an update fails with words that its sender can read. An
 * activity that a person has ended by hand in clear text has failed: its result would fail the workflow's tasks for ever.
 */
import { defaultPayloadConverter, encodeRetryState, RetryState } from '@temporalio/common';
import type {
  ActivateInput,
  Next,
  UpdateInput,
  WorkflowExecuteInput,
  WorkflowInboundCallsInterceptor,
  WorkflowInternalsInterceptor,
} from '@temporalio/workflow';
import { workflowInfo } from '@temporalio/workflow';
import {
  FAILURE,
  FOREIGN_PAYLOAD,
  foreignUpdateFailure,
  isScheduledJob,
  namedByWorkflowId,
  readableByAll,
  typedFailure,
  UPDATE,
  WORKFLOW,
  whyForeign,
} from '../contract';
import { isContinued } from './shared/continued';

const OURS: ReadonlySet<string> = new Set(Object.values(WORKFLOW));

/** The workflows that have a handler for signals of any name. Another workflow would buffer such a signal unseen. */
const TAKES_ANY_SIGNAL: ReadonlySet<string> = new Set([
  ...[WORKFLOW.payment, WORKFLOW.afterSale, WORKFLOW.appAttention, WORKFLOW.speiAccount, WORKFLOW.reconciliation],
]);

/** The workflows that refuse a start themselves: an order's money may depend on what comes to such a run. */
const REFUSES_ITSELF: ReadonlySet<string> = new Set([WORKFLOW.payment, WORKFLOW.afterSale]);

/** Makes foreign payloads readable before the SDK reads them. */
export class ForeignPayloads implements WorkflowInternalsInterceptor {
  activate(input: ActivateInput, next: Next<WorkflowInternalsInterceptor, 'activate'>): void {
    const { workflowType } = workflowInfo();
    if (OURS.has(workflowType)) for (const job of input.activation.jobs ?? []) makeReadable(job, workflowType);
    next(input);
  }
}

type Job = NonNullable<ActivateInput['activation']['jobs']>[number];
type Payloads = readonly { metadata?: { [name: string]: Uint8Array } | null; data?: Uint8Array | null }[];

const foreignOf = (payloads: Payloads | null | undefined) =>
  payloads?.find(({ metadata }) => metadata?.[FOREIGN_PAYLOAD] !== undefined);

function makeReadable(job: Job, type: string): void {
  const { initializeWorkflow: start, signalWorkflow: signal, doUpdate: update, resolveActivity: ended } = job;
  const foreign = foreignOf(start?.arguments);
  const { metadata } = defaultPayloadConverter.toPayload('');
  // Only the run before starts a run that continues it: a foreign payload there means that somebody wrote to Temporal's database.
  if (start && foreign && !isContinued())
    start.arguments = [{ metadata: metadata ?? null, data: foreign.data ?? null }];
  if (signal && foreignOf(signal.input) && TAKES_ANY_SIGNAL.has(type)) {
    signal.signalName = `${signal.signalName} (refused)`;
    signal.input = [];
  }
  const asked = foreignOf(update?.input);
  if (update && asked) update.input = [{ metadata: metadata ?? null, data: asked.data ?? null }];
  if (ended?.result && isEndedByHand(ended.result)) ended.result = { failed: { failure: ENDED_BY_HAND } };
  const bare = ended?.result?.failed?.failure;
  if (ended && bare && !bare.activityFailureInfo && bare.timeoutFailureInfo)
    ended.result = { failed: { failure: ofActivity(bare) } };
}

/**
 * A local activity that timed out fails with an activity failure when it runs, and with the bare time-out when the run is replayed:
 * both have to read alike, or the replay takes another path.
 */
const ofActivity = (cause: Failure): Failure => ({
  message: 'Activity task timed out',
  activityFailureInfo: { activityType: { name: 'local' }, retryState: encodeRetryState(RetryState.TIMEOUT) ?? null },
  cause,
});

type ActivityResult = NonNullable<NonNullable<Job['resolveActivity']>['result']>;
type Failure = NonNullable<NonNullable<ActivityResult['failed']>['failure']>;

/** The failure that our workflows read as no answer or, for a request, as an unknown outcome. */
const ENDED_BY_HAND: Failure = {
  message: 'Activity task failed',
  // The result does not name its activity, and a failure without a name cannot be read.
  activityFailureInfo: {
    activityType: { name: 'ended by hand' },
    retryState: encodeRetryState(RetryState.NON_RETRYABLE_FAILURE) ?? null,
  },
  cause: {
    message: 'A person has ended the activity with a payload that is not its own.',
    applicationFailureInfo: { type: 'EndedByHand', nonRetryable: true },
  },
};

function isEndedByHand({ completed, failed, cancelled }: ActivityResult): boolean {
  if (completed?.result && foreignOf([completed.result])) return true;
  for (let failure = failed?.failure ?? cancelled?.failure; failure; failure = failure.cause)
    if (foreignOf(payloadsOf(failure))) return true;
  return false;
}

function payloadsOf({ encodedAttributes, applicationFailureInfo, canceledFailureInfo, timeoutFailureInfo }: Failure) {
  const details = [
    applicationFailureInfo?.details,
    canceledFailureInfo?.details,
    timeoutFailureInfo?.lastHeartbeatDetails,
  ];
  return [...(encodedAttributes ? [encodedAttributes] : []), ...details.flatMap((one) => one?.payloads ?? [])];
}

/** Updates that a person sends from Temporal UI. Their refusals quote nothing of an order; refusals of an order or a refund may. */
const OF_PERSONS: readonly string[] = [UPDATE.resolve, UPDATE.take, UPDATE.recheck, UPDATE.cancel];

/** Refuses updates with a foreign argument, and lets all read why a person's update was refused. With a validator, nothing is left in the history. */
export class ForeignUpdates implements WorkflowInboundCallsInterceptor {
  validateUpdate(input: UpdateInput, next: Next<WorkflowInboundCallsInterceptor, 'validateUpdate'>): void {
    assertOwn(input);
    try {
      next(input);
    } catch (error) {
      throw OURS.has(workflowInfo().workflowType) && OF_PERSONS.includes(input.name) ? readableByAll(error) : error;
    }
  }

  async handleUpdate(
    input: UpdateInput,
    next: Next<WorkflowInboundCallsInterceptor, 'handleUpdate'>,
  ): Promise<unknown> {
    assertOwn(input);
    // A decision may be refused only in the handler.
    const isDecision = OURS.has(workflowInfo().workflowType) && input.name === UPDATE.resolve;
    return isDecision ? next(input).catch((error: unknown) => Promise.reject(readableByAll(error))) : next(input);
  }
}

function assertOwn({ name, args }: UpdateInput): void {
  const why = whyForeign(args[0]);
  if (why !== undefined) throw foreignUpdateFailure(name, why);
}

/** Ends a run that was started with a foreign input or none, or lets it go on by its id. */
export class ForeignStarts implements WorkflowInboundCallsInterceptor {
  execute(input: WorkflowExecuteInput, next: Next<WorkflowInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    const { workflowType: type, workflowId } = workflowInfo();
    const [given] = input.args;
    const why = whyForeign(given) ?? (typeof given === 'object' && given !== null ? undefined : 'it has no input');
    // A Schedule gives its job no input: the workflow id is enough.
    if (given === undefined && isScheduledJob(workflowId)) return next(input);
    if (why === undefined || !OURS.has(type) || REFUSES_ITSELF.has(type)) return next(input);
    const named = namedByWorkflowId(workflowId);
    // An account's ledger is in the runs before this one, and the id names the account. Under another id the workflow refuses itself.
    if (type === WORKFLOW.speiAccount)
      return next({
        ...input,
        args: [named?.kind === 'spei-account' ? { app_id: named.app_id, account_id: named.part } : {}],
      });
    const message = `Nothing was started under ${workflowId}: ${why}`;
    const issues = [{ field: 'input', rule: why }];
    // Nothing was sent: a later creation ignores this run, and looks at the runs before.
    return Promise.reject(typedFailure(FAILURE.invalidRequest, message, { issues, started: false }));
  }
}
