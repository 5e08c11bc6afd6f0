/** Gates as in src/workflows/shared/versions.ts, with one planted. */
import { patched } from '@temporalio/workflow';
import type { Gate } from '../../../src/workflows/shared/versions';

export const GATES = {
  'planted-gate': { history: 'history.json', why: 'a timer became two' },
} as const satisfies Record<string, Gate>;

export function isGateOpen(name: keyof typeof GATES): boolean {
  return patched(name);
}
