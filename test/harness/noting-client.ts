/** The client of a worker's activities that needs no server: it takes the notes of what is about to be sent. */
import { Client } from '@temporalio/client';
import { api } from '../../src/testing/simulated-temporal/sdk-internals';

/** `store` gets the details of each note. Where it throws, the note is not stored. */
export function notingClient(store: (details: unknown) => Promise<void> = async () => undefined): Client {
  const { WorkflowService } = api.api.workflowservice.v1;
  const { OperatorService } = api.api.operatorservice.v1;
  const client = new Client({
    connection: {
      workflowService: WorkflowService.create(() => undefined),
      operatorService: OperatorService.create(() => undefined),
      plugins: [],
      close: async () => undefined,
      ensureConnected: async () => undefined,
      withDeadline: (_deadline, run) => run(),
      withMetadata: (_metadata, run) => run(),
      withAbortSignal: (_signal, run) => run(),
    },
  });
  Object.assign(client.activity, { heartbeat: (_id: unknown, details: unknown) => store(details) });
  return client;
}
