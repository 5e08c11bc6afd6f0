/** A start that is not the order's own after-sale: a second ledger beside the first would give the money back once more. */
import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { type AfterSaleInput, type AfterSaleWorkflow, afterSaleWorkflowId, namedByWorkflowId } from '../../contract';
import { refuseUpdates, startIssues } from '../shared/broken-start';
import { invalidRequest, type RequestIssue } from '../shared/request-rules';
import { recheckAfterSaleUpdate, refundUpdate, resolveAfterSaleUpdate, takeAfterSaleUpdate } from './messages';

/** The rules that a start breaks; none for the order's own after-sale. */
export function afterSaleIssues({ app_id, out_trade_no }: Partial<AfterSaleInput> = {}): RequestIssue[] {
  const own = afterSaleWorkflowId(app_id ?? '', out_trade_no ?? '');
  return startIssues({ app_id, out_trade_no }, own, 'there the order’s refunds are counted');
}

/**
 * Tells anyone who asks this run why. Under the id of an order it then goes on as the after-sale of that order, which reads what
 * runs before it knew and what was notified meanwhile; under any other id it fails.
 */
export async function refuseAfterSale(issues: RequestIssue[]): Promise<never> {
  const refusal = () => {
    throw invalidRequest(issues, 'No after-sale was started, and nothing was sent.');
  };
  await refuseUpdates([refundUpdate, recheckAfterSaleUpdate, resolveAfterSaleUpdate, takeAfterSaleUpdate], refusal);
  const { kind, app_id, out_trade_no } = namedByWorkflowId(workflowInfo().workflowId) ?? {};
  if (kind !== 'after-sale' || !app_id || !out_trade_no) return refusal();
  return continueAsNew<AfterSaleWorkflow>({ app_id, out_trade_no });
}
