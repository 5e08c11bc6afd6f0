/** What becomes of a workflow that somebody has ended from outside, by its kind: lists, `show` and refusals say the same of it. Pure. */
import { RESET } from './attention';
import { isScheduledJob, namedByWorkflowId } from './ids';
import { takesUpdate } from './operator-actions';

interface AfterEnd {
  /** Who goes on with it, as a part of a sentence. */
  next: string;
  /** Nobody has to act: its work is done anew, or a list has it under another reason. */
  isBegunAnew?: true;
  /** What a person does, unless it is to be reset. */
  act?: string;
}

const NOBODY = 'nobody goes on with it: reset it';

const AFTER_END: Readonly<Record<string, AfterEnd>> = {
  payment: {
    next: 'the next sweep takes it on again',
    act: 'Leave it to the next sweep: it may still be paid.',
  },
  'after-sale': { next: 'its next notification, refund or recheck goes on with it' },
  'app-attention': { next: 'the next order that fails for this reason asks again' },
  // What the gateway posts again starts nothing under a name that was used.
  'stray-notification': { next: NOBODY },
  // The next event begins another run, which has only that event.
  'event-delivery': { next: 'nobody tells what it had left: reset it' },
  'spei-account': { next: 'its next deposit goes on with it' },
  'create-spei-account': { next: NOBODY },
  'spei-account-quantity': { next: 'the next creation of an account begins it again' },
  reconciliation: { next: NOBODY },
  lookup: { next: 'its caller asks again', isBegunAnew: true },
  'stuck-sweep': { next: 'the next sweep looks again', isBegunAnew: true },
};

/** A reconciliation of the Schedule before its end: the Schedule is asked which days are left. */
const DAY_IS_LEFT: AfterEnd = {
  next: 'where its day stays uncompared, payment-gateway list --attention job-stopped has the day',
  isBegunAnew: true,
};

/** Kinds of which no run that was ended waits for a person. */
export const BEGUN_ANEW = Object.keys(AFTER_END).filter((kind) => AFTER_END[kind]?.isBegunAnew);

/** `status`: what its search attribute says. A comparison that has ended waits for a person, and no later run compares its day again. */
export function afterTermination(workflowId: string, status: string | null): AfterEnd {
  const { kind = '' } = namedByWorkflowId(workflowId) ?? {};
  const isOfSchedule = kind === 'reconciliation' && isScheduledJob(workflowId);
  if (isOfSchedule && !status?.startsWith('COMPARED')) return DAY_IS_LEFT;
  return AFTER_END[kind] ?? { next: NOBODY };
}

/** What a person does with it, in the words of the runbook. */
export function actAfterEnd(workflowId: string): string {
  const { kind = '' } = namedByWorkflowId(workflowId) ?? {};
  const decision = takesUpdate('recheck', workflowId) ? 'recheck' : 'resolve';
  return AFTER_END[kind]?.act ?? `${RESET}, then \`${decision}\`, as \`show\` says.`;
}
