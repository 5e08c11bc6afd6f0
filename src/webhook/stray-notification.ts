/** A notification with a good signature that cannot be read. A workflow keeps its bytes until a person has looked at them. */
import { type StrayNotificationInput, strayNotificationWorkflowId, WORKFLOW } from '../contract';
import type { StartBudget } from './start-budget';
import type { TemporalCalls } from './temporal-calls';

export interface StrayNotification {
  app_id: string;
  body: Uint8Array;
  /** The digest of the body. The same bytes start one workflow only. */
  digest: string;
}

/** Throws if Temporal did not take it, and StartBudgetExceededError if no more workflows may be started now. */
export function startStrayNotification(
  { app_id, body, digest }: StrayNotification,
  temporal: TemporalCalls,
  startBudget: StartBudget,
): Promise<void> {
  const input: StrayNotificationInput = { app_id, body: Buffer.from(body).toString('base64') };
  const workflowId = strayNotificationWorkflowId(app_id, digest);
  const start = { workflowId, type: WORKFLOW.strayNotification, input };
  return startBudget.within({ app_id, send: () => temporal.startOnce(start) });
}
