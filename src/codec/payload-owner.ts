/**
 * Whose payload it is. The owner is written beside the encrypted payload as JSON and authenticated with it, so that a payload
 * that somebody moved to another place is refused there. `[namespace, workflow id]` is a workflow,
 * `[namespace, workflow id, "activity", activity id]` an activity, and `[namespace]` is for what a person typed: Temporal UI does not
 * tell the codec server for which workflow.
 */
import { z } from 'zod';
import { isOurWorkflow, isScheduledJob, scheduledRun } from '../contract/ids';

/** The part of Temporal's SerializationContext that binds payloads. */
export interface PayloadOwner {
  /** Default: workflow. */
  type?: 'workflow' | 'activity' | undefined;
  namespace: string;
  workflowId?: string | undefined;
  activityId?: string | undefined;
}

/** Empty if no owner is known. */
export function ownerText(owner: PayloadOwner | undefined): string {
  if (!owner) return '';
  const { type, namespace, workflowId, activityId } = owner;
  if (type === 'activity') return JSON.stringify([namespace, workflowId ?? '', type, activityId ?? '']);
  return JSON.stringify([namespace, ...(workflowId ? [workflowId] : [])]);
}

/**
 * `typed`: made for the whole namespace, as only the codec server does. `earlier`: of another run of the same schedule, whose result
 * or failure Temporal hands to the next one.
 */
export type Belonging = 'own' | 'typed' | 'earlier' | 'moved';

/** Whether a payload of the owner in `text` belongs to `reader`, who knows a namespace and, mostly, a workflow. */
export function belonging(text: string, reader: PayloadOwner): Belonging {
  const owner = parseOwner(text);
  if (owner?.namespace !== reader.namespace || owner.type !== (reader.type ?? 'workflow')) return 'moved';
  if (owner.type === 'activity') return isSameActivity(owner, reader) ? 'own' : 'moved';
  if (!reader.workflowId) return 'own';
  if (!owner.workflowId) return 'typed';
  if (owner.workflowId === reader.workflowId) return 'own';
  return ofSchedule(owner.workflowId, reader.workflowId);
}

/** An SDK of another language may not know the activity's id when it schedules the activity. */
function isSameActivity(owner: PayloadOwner, reader: PayloadOwner): boolean {
  const isId = !owner.activityId || !reader.activityId || owner.activityId === reader.activityId;
  return isId && (owner.workflowId ?? '') === (reader.workflowId ?? '');
}

/**
 * A schedule encrypts its arguments for its workflow's id, and starts the workflow under that id with a time after it. Our schedules have
 * no arguments, so that nothing else passes for an order's own payload.
 */
function ofSchedule(owner: string, reader: string): Belonging {
  const run = scheduledRun(reader);
  if (run === undefined) return 'moved';
  if (scheduledRun(owner)?.base_id === run.base_id)
    return isOurWorkflow(reader) && !isScheduledJob(reader) ? 'moved' : 'earlier';
  return owner === run.base_id && !isOurWorkflow(reader) ? 'own' : 'moved';
}

const text = z.string();
const written = z.union([z.tuple([text]), z.tuple([text, text]), z.tuple([text, text, z.literal('activity'), text])]);

/** Undefined if the text is not ours: then it belongs to nobody. */
export function parseOwner(ownerJson: string): PayloadOwner | undefined {
  try {
    const [namespace, workflowId, type = 'workflow', activityId] = written.parse(JSON.parse(ownerJson));
    return { type, namespace, workflowId, activityId };
  } catch {
    return undefined;
  }
}
