/** A workflow that was changed behind a gate: history.json is of a run before the change. */
import { sleep } from '@temporalio/workflow';
import { isGateOpen } from './versions';

export async function changed(): Promise<void> {
  if (isGateOpen('planted-gate')) await Promise.all([sleep(1_000), sleep(2_000)]);
  else await sleep(1_000);
}
