/** A Temporal client whose server is the simulated one. Time passes while a call waits for its answer. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Client, type ConnectionLike } from '@temporalio/client';
import { NotSimulatedError } from './not-simulated';
import { api } from './sdk-internals';
import { METHODS, ServiceError } from './service';
import type { Server } from './workflow-run';

const UNIMPLEMENTED = 12;

/** The deadline of the call that is being made: ms from now, of virtual time. */
const deadlines = new AsyncLocalStorage<number>();

export function simulatedClient(temporal: Server): Client {
  const workflowService = api.api.workflowservice.v1.WorkflowService.create((method, data, callback) => {
    answer(temporal, method.name, data).then(
      (reply) => callback(null, reply),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
    );
  });
  const operatorService = api.api.operatorservice.v1.OperatorService.create(({ name }, _data, callback) =>
    callback(new ServiceError(UNIMPLEMENTED, `not simulated: ${name}`)),
  );
  const connection: ConnectionLike = {
    workflowService,
    operatorService,
    plugins: [],
    close: async () => {},
    ensureConnected: async () => {},
    withDeadline: (deadline, run) => deadlines.run(Number(deadline) - Date.now(), run),
    withMetadata: (_metadata, run) => run(),
    withAbortSignal: (_signal, run) => run(),
  };
  return new Client({ connection });
}

/** Answers a call. A call that is not simulated fails, and so does every wait for time, so that no retry hides it. */
async function answer(temporal: Server, method: string, data: Uint8Array): Promise<Uint8Array> {
  try {
    const simulated = METHODS[method];
    if (!simulated) throw new NotSimulatedError(`not simulated: ${method}`);
    return await simulated({ temporal, within_ms: deadlines.getStore() }, data);
  } catch (error) {
    if (!(error instanceof NotSimulatedError)) throw error;
    temporal.clock.in(0, () => {
      throw error;
    });
    throw new ServiceError(UNIMPLEMENTED, error.message);
  }
}
