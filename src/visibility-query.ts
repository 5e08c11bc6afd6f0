/** Queries of Temporal's visibility, where lists come from. */

/**
 * The workflows of a type that another one has started, the latest first. No query can hold a quotation mark or a
 * backslash, which merchants may put into ids: then it also finds children of others, so that callers look at the parent.
 */
export function childrenOf(workflowId: string, type: string): string {
  const odd = workflowId.search(/[\\"]/);
  const parent = odd < 0 ? `= ${quoted(workflowId)}` : `STARTS_WITH ${quoted(workflowId.slice(0, odd))}`;
  return `WorkflowType = '${type}' AND ParentWorkflowId ${parent}`;
}

function quoted(text: string): string {
  return `'${text.replace(/'/g, "''")}'`;
}
