/** A gate as in src/contract/gates.ts, planted, and asked for as src/workflows/shared/versions.ts does. */
import { patched } from '@temporalio/workflow';
import type { Gate } from '../../../src/contract';

export const GATES = {
  'planted-gate': { history: 'history.json', why: 'a timer became two', readSince: '1.1.0', opensIn: '1.2.0' },
} as const satisfies Record<string, Gate>;

export function isGateOpen(name: keyof typeof GATES): boolean {
  return patched(name);
}
