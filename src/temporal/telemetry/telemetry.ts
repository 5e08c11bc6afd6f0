/** Traces of one process: its spans, and the interceptors that make them. {@link startTelemetry} makes it. */
import type { Context as ActivityContext } from '@temporalio/activity';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Headers } from '@temporalio/common';
import type { SpanRef, WorkflowSpan } from '../../contract';

/** What an application gives to get spans: a SpanProcessor of OpenTelemetry's SDK, version 2. Its `onStart` is not called. */
export interface SpanReceiver {
  onEnd(span: never): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** A request that this process makes or answers. */
export interface TracedRequest {
  /** `POST /trade/pay`: the method, and a path that is the same for all orders. */
  name: string;
  /** Where it goes. The path is shown only with `showsPath`, the query never. */
  url?: URL;
  showsPath?: boolean;
  /** The route that takes it. */
  route?: string;
  workflowId?: string;
  app_id?: string;
}

/** What a request is answered with. */
interface Answered {
  status: number;
}

/** Traces of this process. An application gives it to {@link PaymentGatewayPlugin} and to `connectPayments`, and closes it at its end. */
export interface Telemetry {
  /** Makes a span of a request to others. `send` gets the header that carries the trace on. */
  sends<Answer extends Answered>(
    request: TracedRequest,
    send: (headers: { traceparent?: string }) => Promise<Answer>,
  ): Promise<Answer>;
  /** Makes a span of a request from others. */
  answers<Answer extends Answered>(request: TracedRequest, answer: () => Promise<Answer>): Promise<Answer>;
  /** The headers for a workflow that is called now. */
  headers(): Headers;
  /** Takes a span that a workflow has ended. */
  ended(run: { workflowId: string; runId: string }, span: WorkflowSpan): void;
  /** The interceptors of a client. */
  readonly calls: readonly WorkflowClientInterceptor[];
  /** Those of a Worker. */
  readonly activities: readonly ((context: ActivityContext) => { inbound: object; outbound?: object })[];
  /** Sends the spans that are left. */
  close(): Promise<void>;
}

/** The span that is active now. */
export type ActiveSpan = () => SpanRef | undefined;
