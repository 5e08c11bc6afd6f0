/** How a workflow asks for a gate of the table in contract/gates.ts. The worker opens each gate in its release (temporal/gates.ts). */
import { patched } from '@temporalio/workflow';
import type { GATES } from '../../contract';

/** Whether this run takes the changed code. */
export function isGateOpen(name: keyof typeof GATES): boolean {
  return patched(name);
}
