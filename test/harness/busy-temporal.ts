/** A Temporal that refuses each call: at its limits with RESOURCE_EXHAUSTED, or while it restarts with UNAVAILABLE. */
import { promisify } from 'node:util';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';

const SERVICE = '/temporal.api.workflowservice.v1.WorkflowService';

/** The calls with which a client looks at a payment, or starts it. */
const REFUSED = ['DescribeWorkflowExecution', 'ExecuteMultiOperation', 'GetWorkflowExecutionHistory', 'QueryWorkflow'];

const asItIs = (bytes: Buffer) => bytes;

export async function busyTemporal(
  code: 'RESOURCE_EXHAUSTED' | 'UNAVAILABLE' = 'RESOURCE_EXHAUSTED',
): Promise<{ address: string; close: () => void }> {
  const server = new Server();
  const refusal = { code: status[code], details: 'no calls are taken just now' };
  for (const name of REFUSED)
    server.register(`${SERVICE}/${name}`, (_call: unknown, say: Say) => say(refusal), asItIs, asItIs, 'unary');
  // What a server can do is asked at once, and an empty answer is one.
  const capabilities = (_call: unknown, say: Say) => say(null, Buffer.alloc(0));
  server.register(`${SERVICE}/GetSystemInfo`, capabilities, asItIs, asItIs, 'unary');
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind('127.0.0.1:0', ServerCredentials.createInsecure());
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
}

type Say = (error: { code: number; details: string } | null, answer?: Buffer) => void;
