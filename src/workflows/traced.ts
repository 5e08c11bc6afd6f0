/**
 * The spans of a run. Temporal's own interceptors for workflows (@temporalio/interceptors-opentelemetry) wrap each promise, so the results
 * of two activities at once come in another order: three of our kept histories did not replay. These return every promise as it is, and
 * only watch it. They use no random number and no module, and emit nothing during a replay.
 */
import { ApplicationFailure } from '@temporalio/common';
import {
  type ActivityInput,
  ContinueAsNew,
  type GetLogAttributesInput,
  type LocalActivityInput,
  type Next,
  proxySinks,
  type SignalInput,
  type SignalWorkflowInput,
  type StartChildWorkflowExecutionInput,
  type StartNexusOperationInput,
  type StartNexusOperationOutput,
  type UpdateInput,
  type WorkflowExecuteInput,
  type WorkflowInboundCallsInterceptor,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type SpanRef,
  spanIn,
  spanOfRun,
  type TraceSinks,
  traceparentOf,
  type WorkflowSpan,
  withSpan,
} from '../contract';

const { paymentTraces } = proxySinks<TraceSinks>();

/** One for each workflow. */
export class TracedRun implements WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor {
  /** The span that started the run; undefined if the starter has no trace. */
  private above: SpanRef | undefined;
  private run: SpanRef | undefined;
  private handled = 0;

  execute(input: WorkflowExecuteInput, next: Next<WorkflowInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    const { runId, workflowType } = workflowInfo();
    this.above = spanIn(input.headers);
    this.run = spanOfRun(runId, this.above);
    return watched(`RunWorkflow:${workflowType}`, this.run, this.above, undefined, next(input));
  }

  handleSignal(input: SignalInput, next: Next<WorkflowInboundCallsInterceptor, 'handleSignal'>): Promise<void> {
    return this.handling(`HandleSignal:${input.signalName}`, input, next(input));
  }

  handleUpdate(input: UpdateInput, next: Next<WorkflowInboundCallsInterceptor, 'handleUpdate'>): Promise<unknown> {
    return this.handling(`HandleUpdate:${input.name}`, input, next(input));
  }

  scheduleActivity(
    input: ActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'scheduleActivity'>,
  ): Promise<unknown> {
    return next(this.below(input));
  }

  scheduleLocalActivity(
    input: LocalActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'scheduleLocalActivity'>,
  ): Promise<unknown> {
    return next(this.below(input));
  }

  startChildWorkflowExecution(
    input: StartChildWorkflowExecutionInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'startChildWorkflowExecution'>,
  ): Promise<[Promise<string>, Promise<unknown>]> {
    return next(this.below(input));
  }

  signalWorkflow(
    input: SignalWorkflowInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'signalWorkflow'>,
  ): Promise<void> {
    return next(this.below(input));
  }

  startNexusOperation(
    input: StartNexusOperationInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'startNexusOperation'>,
  ): Promise<StartNexusOperationOutput> {
    if (this.above === undefined || this.run === undefined || 'traceparent' in input.headers) return next(input);
    return next({ ...input, headers: { ...input.headers, traceparent: traceparentOf(this.run) } });
  }

  getLogAttributes(
    input: GetLogAttributesInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'getLogAttributes'>,
  ): Record<string, unknown> {
    return next(this.run === undefined ? input : { trace_id: this.run.trace_id, ...input });
  }

  /** For a call from this run. A run that was started without a trace adds no header: its worker knows the trace by the run's id. */
  private below<Input extends { readonly headers: WorkflowExecuteInput['headers'] }>(input: Input): Input {
    if (this.above === undefined || this.run === undefined || spanIn(input.headers)) return input;
    return { ...input, headers: withSpan(input.headers, this.run) };
  }

  /** A signal or an update belongs to the trace of its sender. */
  private handling<T>(name: string, { headers }: Pick<SignalInput, 'headers'>, running: Promise<T>): Promise<T> {
    const sender = spanIn(headers);
    if (sender === undefined) return running;
    this.handled += 1;
    const link = sender.trace_id === this.run?.trace_id ? undefined : this.run;
    return watched(name, spanOfRun(workflowInfo().runId, sender, this.handled), sender, link, running);
  }
}

/** Returns the same promise; its span is emitted once the promise has ended. */
function watched<T>(
  name: string,
  span: SpanRef | undefined,
  above: SpanRef | undefined,
  link: SpanRef | undefined,
  running: Promise<T>,
): Promise<T> {
  if (!span?.sampled) return running;
  const begun = { name, span, started: Date.now(), ...(above ? { above } : {}), ...(link ? { link } : {}) };
  running.then(
    () => tell({ ...begun, ended: Date.now() }),
    (why: unknown) => tell({ ...begun, ended: Date.now(), ...failedBy(why) }),
  );
  return running;
}

function tell(span: WorkflowSpan): void {
  if (!workflowInfo().unsafe.isReplaying) paymentTraces.ended(span);
}

/** Only the type of the failure: its message may quote an order. */
function failedBy(why: unknown): Pick<WorkflowSpan, 'failed_by'> {
  if (why instanceof ContinueAsNew) return {};
  if (why instanceof ApplicationFailure && why.type) return { failed_by: why.type };
  return { failed_by: why instanceof Error ? why.name : 'Error' };
}
