/** Whether a run is the first under its workflow id, told by what no copy of its input has. */
import { workflowInfo } from '@temporalio/workflow';
import type { PaymentInput } from '../../contract';
import { isContinued } from '../shared/continued';

/**
 * Who starts a payment with `REJECT_DUPLICATE` names the start in its input, and once more where only the start itself can: in the
 * update that comes with it, or as its parent. A start like a closed payment, made of that one's input, has neither.
 */
export class FirstRun {
  private isRepeated: boolean;

  constructor(private readonly input: PaymentInput) {
    const { parent } = workflowInfo();
    this.isRepeated = parent !== undefined && parent.runId === input.first_start_id;
  }

  /** The argument of an update `created`. */
  note(created: PaymentInput | undefined): void {
    const { first_start_id } = this.input;
    if (typeof first_start_id === 'string' && first_start_id === created?.first_start_id) this.isRepeated = true;
  }

  /** Whether no run was before. A run that follows another of its chain, by a retry or a cron schedule, has the same parent. */
  get isProven(): boolean {
    return this.isRepeated && !isContinued();
  }
}
