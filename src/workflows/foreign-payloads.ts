/**
 * A run that was started with what is not its own (contract/foreign-input.ts), or with nothing, ends at once with a plain
 * failure, and nothing is done for it. Under the id of an order or of an account it gives way to what runs before it know. A
 * signal with such an argument counts as one that nobody handles.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import type {
  ActivateInput,
  Next,
  WorkflowExecuteInput,
  WorkflowInboundCallsInterceptor,
  WorkflowInternalsInterceptor,
} from '@temporalio/workflow';
import { workflowInfo } from '@temporalio/workflow';
import {
  FAILURE,
  FOREIGN_PAYLOAD,
  isScheduledJob,
  namedByWorkflowId,
  typedFailure,
  WORKFLOW,
  whyForeign,
} from '../contract';
import { isContinued } from './shared/continued';

const OURS: ReadonlySet<string> = new Set(Object.values(WORKFLOW));

/** Those that have a handler for signals of any name. Another would keep one unseen. */
const TAKES_ANY_SIGNAL: ReadonlySet<string> = new Set([
  ...[WORKFLOW.payment, WORKFLOW.paymentFollowUp, WORKFLOW.afterSale, WORKFLOW.speiAccount, WORKFLOW.reconciliation],
]);

/** Those that have a refusal of their own: an order's money may hang on what comes to such a run. */
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

function makeReadable({ initializeWorkflow: start, signalWorkflow: signal }: Job, type: string): void {
  const foreign = foreignOf(start?.arguments);
  const { metadata } = defaultPayloadConverter.toPayload('');
  // Nobody but the run before starts a run that continues it: there, somebody has written to Temporal's database.
  if (start && foreign && !isContinued())
    start.arguments = [{ metadata: metadata ?? null, data: foreign.data ?? null }];
  if (signal && foreignOf(signal.input) && TAKES_ANY_SIGNAL.has(type)) {
    signal.signalName = `${signal.signalName} (refused)`;
    signal.input = [];
  }
}

/** Ends a run that was started with nothing of its own, or has it go on by its id. */
export class ForeignStarts implements WorkflowInboundCallsInterceptor {
  execute(input: WorkflowExecuteInput, next: Next<WorkflowInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    const { workflowType: type, workflowId } = workflowInfo();
    const [given] = input.args;
    const why = whyForeign(given) ?? (typeof given === 'object' && given !== null ? undefined : 'it has no input');
    // A Schedule gives its job no input: the id says all.
    if (given === undefined && isScheduledJob(workflowId)) return next(input);
    if (why === undefined || !OURS.has(type) || REFUSES_ITSELF.has(type)) return next(input);
    const named = namedByWorkflowId(workflowId);
    // The ledger of an account is in the runs before this one, and its id says which account it is. Under another id it refuses itself.
    if (type === WORKFLOW.speiAccount)
      return next({
        ...input,
        args: [named?.kind === 'spei-account' ? { app_id: named.app_id, account_id: named.part } : {}],
      });
    const rule = { field: 'input', rule: why };
    const message = `Nothing was started under ${workflowId}: ${why}`;
    // Nothing was sent: a creation after this run looks past it, at the runs before.
    return Promise.reject(typedFailure(FAILURE.invalidRequest, message, { issues: [rule], started: false }));
  }
}
