/** Which creation made an account: one key always means one account, also where Temporal has forgotten the creation. */
import { upsertMemo, workflowInfo } from '@temporalio/workflow';
import { ACCOUNT_MEMO, createSpeiAccountWorkflowId } from '../../contract';

export class AccountOrigin {
  /** The workflow id of the creation; null for an account that was made elsewhere. */
  creation: string | null;

  constructor(app_id: string, carried: string | null | undefined) {
    const parent = workflowInfo().parent?.workflowId;
    const isCreation = parent?.startsWith(createSpeiAccountWorkflowId(app_id, '')) === true;
    this.creation = isCreation ? parent : null;
    this.restore(carried ?? null);
  }

  /** An earlier run knew it. Without a parent, this run's memo is how the creation finds it. */
  restore(creation: string | null): void {
    if (this.creation !== null || creation === null) return;
    this.creation = creation;
    if (workflowInfo().memo?.[ACCOUNT_MEMO] !== creation) upsertMemo({ [ACCOUNT_MEMO]: creation });
  }
}
