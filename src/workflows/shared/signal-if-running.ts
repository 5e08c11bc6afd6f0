import { getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';

/** Signals another workflow. Returns false where none runs under this id. */
export async function signalIfRunning(workflowId: string, signal: string, arg: unknown): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(signal, arg);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}
