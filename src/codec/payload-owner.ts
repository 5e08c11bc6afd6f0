/**
 * The workflow that a payload belongs to. It is written beside the encrypted payload as JSON, `[namespace, workflow id]`, so
 * that a payload which somebody moved to another workflow is refused there.
 */
import { z } from 'zod';

/** The part of Temporal's SerializationContext that binds payloads. The codec server knows the namespace only. */
export interface PayloadOwner {
  namespace: string;
  workflowId?: string | undefined;
}

/** Empty if no owner is known. */
export function ownerText(owner: PayloadOwner | undefined): string {
  if (!owner) return '';
  return JSON.stringify([owner.namespace, ...(owner.workflowId ? [owner.workflowId] : [])]);
}

/** Whether `reader` may read a payload of the owner in `text`. A namespace or workflow that both know must be the same. */
export function mayRead(text: string, reader: PayloadOwner | undefined): boolean {
  if (text === '' || !reader) return true;
  const owner = parseOwner(text);
  if (owner?.namespace !== reader.namespace) return false;
  return (
    owner.workflowId === undefined ||
    reader.workflowId === undefined ||
    isSameWorkflow(owner.workflowId, reader.workflowId)
  );
}

/** A schedule encrypts its arguments for the workflow's id, and starts the workflow with its time after that id. */
function isSameWorkflow(owner: string, reader: string): boolean {
  return reader === owner || reader.replace(/-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, '') === owner;
}

/** Undefined if the text is not ours: then nobody may read the payload. */
function parseOwner(text: string): PayloadOwner | undefined {
  try {
    const [namespace, workflowId] = z.tuple([z.string()], z.string()).parse(JSON.parse(text));
    return { namespace, workflowId };
  } catch {
    return undefined;
  }
}
