/** What Temporal itself says of a workflow that cannot go on: no code of ours runs then that could say it. */
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
} as const satisfies Record<string, RunbookEntry>;

/** A reason that Temporal says, in the place of `PaymentAttention`. */
export type TemporalAttention = keyof typeof TEMPORAL_RUNBOOK;

export const isTemporalAttention = (reason: string): reason is TemporalAttention =>
  Object.hasOwn(TEMPORAL_RUNBOOK, reason);
