/** List queries for Temporal's visibility store. */
import { SEARCH_ATTRIBUTE, WORKFLOW } from '../contract';

/**
 * The query for the workflows of a type that another workflow has started. A query cannot hold a quotation mark or a
 * backslash, which ids of merchants may have. It then finds children of other parents too, so callers check the parent.
 */
export function childrenOf(workflowId: string, type: string): string {
  return `WorkflowType = '${type}' AND ParentWorkflowId ${like(workflowId)}`;
}

/** The query for the runs under a workflow id. It may find those of other ids too, so callers compare the id. */
export function runsOf(workflowId: string): string {
  return `WorkflowId ${like(workflowId)}`;
}

/** The query for the virtual account of a key; `digest` is the key's digest. */
export function accountsOfKey(digest: string): string {
  return `WorkflowType = '${WORKFLOW.speiAccount}' AND ${SEARCH_ATTRIBUTE.accountKeys.name} = ${quoted(digest)}`;
}

/** A run that was continued as new is not a workflow's last one. */
export const NOT_CONTINUED = "ExecutionStatus != 'ContinuedAsNew'";

/** The query for the runs under these workflow ids that did not continue as new. Each id must be {@link isSayable}. */
export const runsOfAll = (workflowIds: readonly string[]): string =>
  `WorkflowId IN (${workflowIds.map(quoted).join(', ')}) AND ${NOT_CONTINUED}`;

/** Whether a query can contain the whole text. */
export const isSayable = (text: string): boolean => !/[\\"]/.test(text);

/** Equals the id, or has its beginning if the query language cannot express the whole id. */
function like(workflowId: string): string {
  const odd = workflowId.search(/[\\"]/);
  return odd < 0 ? `= ${quoted(workflowId)}` : `STARTS_WITH ${quoted(workflowId.slice(0, odd))}`;
}

export function quoted(text: string): string {
  return `'${text.replace(/'/g, "''")}'`;
}
