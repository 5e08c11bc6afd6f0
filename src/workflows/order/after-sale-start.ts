/** A start that is not the order's own after-sale: a second ledger beside the first would give the money back once more. */
import { allHandlersFinished, condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  type AfterSaleInput,
  type AfterSaleWorkflow,
  afterSaleWorkflowId,
  FAILURE,
  namedByWorkflowId,
  typedFailure,
} from '../../contract';
import type { RequestIssue } from '../shared/request-rules';
import {
  recheckAfterSaleUpdate,
  refundUpdate,
  resolveAfterSaleUpdate,
  takeAfterSaleUpdate,
} from './after-sale-messages';

/** The rules that a start breaks; none for the order's own after-sale. */
export function afterSaleIssues({ app_id, out_trade_no }: Partial<AfterSaleInput> = {}): RequestIssue[] {
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const missing = [
    ...(isText(app_id) ? [] : [{ field: 'app_id', rule: 'required' }]),
    ...(isText(out_trade_no) ? [] : [{ field: 'out_trade_no', rule: 'required: one order has one after-sale' }]),
  ];
  const own = afterSaleWorkflowId(app_id ?? '', out_trade_no ?? '');
  if (missing.length > 0 || workflowInfo().workflowId === own) return missing;
  return [{ field: 'workflow id', rule: `must be ${own}: there the order’s refunds are counted` }];
}

/**
 * Tells whoever asks this run why. Under the id of an order it then goes on as the after-sale of that order, which reads what
 * runs before it knew and what was notified meanwhile; under any other id it fails.
 */
export async function refuseAfterSale(issues: RequestIssue[]): Promise<never> {
  const list = issues.map(({ field, rule }) => `${field}: ${rule}`).join('; ');
  const refusal = () => {
    throw typedFailure(FAILURE.invalidRequest, `No after-sale was started, and nothing was sent. ${list}`, { issues });
  };
  for (const update of [refundUpdate, recheckAfterSaleUpdate, resolveAfterSaleUpdate, takeAfterSaleUpdate])
    setHandler(update, refusal);
  // An update may have come with the start.
  await condition(allHandlersFinished);
  const { kind, app_id, out_trade_no } = namedByWorkflowId(workflowInfo().workflowId) ?? {};
  if (kind !== 'after-sale' || !app_id || !out_trade_no) return refusal();
  return continueAsNew<AfterSaleWorkflow>({ app_id, out_trade_no });
}
