/**
 * Every gate of the workflows' code. A workflow that started before a change must replay as it ran then: so a change of the
 * commands that a workflow gives stands behind a gate, which is open for workflows that start after the deploy.
 *
 * Each gate names the kept history (test/histories/kept) that needs it, and why: test/histories/gates.test.ts removes each
 * gate and expects that this history no longer replays. Before the first tagged version there is none.
 */
import { patched } from '@temporalio/workflow';

export interface Gate {
  /** A file of test/histories/kept, recorded before the change. */
  readonly history: string;
  readonly why: string;
}

export const GATES = {} as const satisfies Record<string, Gate>;

/** Whether this run takes the changed code. */
export function isGateOpen(name: keyof typeof GATES): boolean {
  return patched(name);
}
