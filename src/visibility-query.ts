/** Queries of Temporal's visibility, where lists come from. */

/** The workflows of a type that another one has started, the latest first. */
export function childrenOf(workflowId: string, type: string): string {
  return `WorkflowType = '${type}' AND ParentWorkflowId = ${quoted(workflowId)}`;
}

/** Ids hold what merchants put into them. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
