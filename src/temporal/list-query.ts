/** List queries for Temporal's visibility store. */

/**
 * The query for the workflows of a type that another workflow has started. A query cannot hold a quotation mark or a
 * backslash, which ids of merchants may have. It then finds children of other parents too, so callers check the parent.
 */
export function childrenOf(workflowId: string, type: string): string {
  const odd = workflowId.search(/[\\"]/);
  const parent = odd < 0 ? `= ${quoted(workflowId)}` : `STARTS_WITH ${quoted(workflowId.slice(0, odd))}`;
  return `WorkflowType = '${type}' AND ParentWorkflowId ${parent}`;
}

/** A text as a query holds it. */
export function quoted(text: string): string {
  return `'${text.replace(/'/g, "''")}'`;
}
