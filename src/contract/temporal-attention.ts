/** What Temporal itself says of a workflow that cannot go on, or was ended: no code of ours runs then that could say it. */
import type { RunbookEntry } from './attention';

export const TEMPORAL_RUNBOOK = {
  'failing-tasks': {
    happened:
      'The workflow’s task fails again and again: its worker cannot read it, or not run its code, or lacks `gateway.policy`.',
    loses: 'The buyer may have paid and waits; nothing of this order goes on.',
    look: '`payment-gateway show` has the worker’s last words; so has the view *Failures* in Temporal UI.',
    act: 'Give the worker what is missing: the key, the plugin’s activities, or the version of the code that began it. Nothing else is needed.',
    after:
      'The workflow goes on by itself within about ten minutes, with all that came to it meanwhile: Temporal tries ever less often.',
  },
  'paused-activity': {
    happened: 'Somebody has paused an activity of this workflow: it is not tried until somebody unpauses it.',
    loses: 'Nothing is asked or sent meanwhile. Deadlines hold all the same.',
    look: 'The pending activity in Temporal UI says who paused it, and why.',
    act: 'Unpause it: `temporal activity unpause --workflow-id ID --activity-id ID`, or in Temporal UI.',
    after: 'It is tried at once, and the reason is settled.',
  },
  'ended-from-outside': {
    happened: 'Somebody terminated this workflow, or its time ran out, and no later run goes on with it.',
    loses: 'Whoever it was for: a refund’s buyer, a deposit that nobody counts, a person who was to be asked.',
    look: 'Who ended it, and why, in its last event; what it waited for, in its page and in `payment-gateway show`.',
    act: 'Leave a payment to the next sweep: it may still be paid. Else: `temporal workflow reset --workflow-id ID --type LastWorkflowTask --reason WHY`, then `recheck`, which reads what was known.',
    after:
      'The run that goes on needs a person for what is still open. A payment is taken on by the next sweep without you.',
  },
} as const satisfies Record<string, RunbookEntry>;

/** A reason that Temporal says, in the place of `PaymentAttention`. */
export type TemporalAttention = keyof typeof TEMPORAL_RUNBOOK;

/** The reason of a workflow that is closed: a list of what is open has it not. */
export const ENDED_FROM_OUTSIDE = 'ended-from-outside' satisfies TemporalAttention;

export const isTemporalAttention = (reason: string): reason is TemporalAttention =>
  Object.hasOwn(TEMPORAL_RUNBOOK, reason);
