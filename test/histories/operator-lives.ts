/** Lives of what serves operators: a comparison of the books, and a sweep for what is stuck. */
import { type ReconciliationState, reconciliationWorkflowId, UPDATE, WORKFLOW } from '../../src/contract';
import { APP } from '../../src/testing/stack';
import { eventually } from '../harness/eventually';
import type { Life } from './account-lives';

const PERIOD = { since: '2026-01-05T00:00:00.000Z', until: '2026-01-06T00:00:00.000Z' };

export const OPERATIONS: Record<string, Life> = {
  'books-differ': async ({ client, taskQueue }) => {
    const rows = [{ out_trade_no: 'h-nowhere', order_amount: '1.00', status: 'paid' }];
    const workflowId = reconciliationWorkflowId(APP.app_id, 'kept');
    const args = [{ app_id: APP.app_id, ...PERIOD, rows }];
    const books = await client.workflow.start(WORKFLOW.reconciliation, { workflowId, taskQueue, args });
    const differ = async () => (await books.query<ReconciliationState>('state')).attention !== null;
    await eventually('the books differ', differ);
    await books.executeUpdate(UPDATE.resolve, { args: [{ by: 'ana', reason: 'a row of a test' }] });
    await books.result();
    return workflowId;
  },
  'nothing-stuck': async ({ client, taskQueue }) => {
    const workflowId = 'stuck-sweep-kept';
    await client.workflow.execute(WORKFLOW.stuckSweep, { workflowId, taskQueue, args: [{ stuck_ms: 3_600_000 }] });
    return workflowId;
  },
};
