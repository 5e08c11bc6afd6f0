/** Whether a run is the first under its workflow id, told by what no copy of its input has. */
import { workflowInfo } from '@temporalio/workflow';
import type { PaymentInput } from '../../contract';
import { MINUTE } from '../../gateway/pure/durations';
import { isContinued } from '../shared/continued';

/** A start is named so shortly before its run begins. One that is repeated later, as from a shell's history, proves nothing. */
const NAMED_WITHIN_MS = MINUTE;

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
    if (isNamedNow(first_start_id) && first_start_id === created?.first_start_id) this.isRepeated = true;
  }

  /** Whether no run was before. A run that follows another of its chain, by a retry or a cron schedule, has the same parent. */
  get isProven(): boolean {
    return this.isRepeated && !isContinued();
  }
}

/** Whether the name of the start begins with the time of the run's own start, in ms since the epoch. A clock that is off costs a look. */
function isNamedNow(first_start_id: unknown): boolean {
  const [, at] = (typeof first_start_id === 'string' && /^(\d{13})-/.exec(first_start_id)) || [];
  return at !== undefined && Math.abs(workflowInfo().startTime.getTime() - Number(at)) <= NAMED_WITHIN_MS;
}
