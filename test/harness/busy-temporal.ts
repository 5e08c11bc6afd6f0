/** A Temporal that refuses calls: at its limits with RESOURCE_EXHAUSTED, or while it restarts with UNAVAILABLE. */
import { promisify } from 'node:util';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

const SERVICE = '/temporal.api.workflowservice.v1.WorkflowService';

/** The calls with which a client looks at a payment, or starts it, and with which an operator lists what there is, or starts a look at it. */
const REFUSED = [
  ...['DescribeWorkflowExecution', 'ExecuteMultiOperation', 'GetWorkflowExecutionHistory', 'QueryWorkflow'],
  ...['ListWorkflowExecutions', 'CountWorkflowExecutions', 'StartWorkflowExecution'],
];

const asItIs = (bytes: Buffer) => bytes;

interface BusyTemporal {
  address: string;
  /** How often a workflow's history, and so its result, was asked for. */
  resultsAsked(): number;
  close(): void;
}

/** Refuses each call; with `then`, only the first for a history: any later one has the end of a workflow with that result. */
export async function busyTemporal(
  code: keyof typeof status = 'RESOURCE_EXHAUSTED',
  then?: object,
): Promise<BusyTemporal> {
  const server = new Server();
  const refusal = { code: status[code], details: 'no calls are taken just now' };
  let asked = 0;
  const answers: Record<string, (say: Say) => void> = {
    GetWorkflowExecutionHistory(say) {
      asked += 1;
      if (then === undefined || asked === 1) say(refusal);
      else say(null, endWith(then));
    },
    ...(then && { DescribeWorkflowExecution: (say) => say({ code: status.NOT_FOUND, details: 'no after-sale' }) }),
    // What a server can do is asked at once, and an empty answer is one.
    GetSystemInfo: (say) => say(null, Buffer.alloc(0)),
  };
  for (const name of [...REFUSED, 'GetSystemInfo']) {
    const answer = answers[name] ?? ((say: Say) => say(refusal));
    server.register(`${SERVICE}/${name}`, (_call: unknown, say: Say) => answer(say), asItIs, asItIs, 'unary');
  }
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind('127.0.0.1:0', ServerCredentials.createInsecure());
  return { address: `127.0.0.1:${port}`, resultsAsked: () => asked, close: () => server.forceShutdown() };
}

function endWith(result: object): Buffer {
  const { EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED: eventType } = temporal.api.enums.v1.EventType;
  const payloads = [defaultPayloadConverter.toPayload(result)];
  const events = [{ eventType, workflowExecutionCompletedEventAttributes: { result: { payloads } } }];
  const { GetWorkflowExecutionHistoryResponse } = temporal.api.workflowservice.v1;
  return Buffer.from(GetWorkflowExecutionHistoryResponse.encode({ history: { events } }).finish());
}

type Say = (error: { code: number; details: string } | null, answer?: Buffer) => void;
