/** The same workflow in the release before its change: it knows no gate. */
import { sleep } from '@temporalio/workflow';

export async function changed(): Promise<void> {
  await sleep(1_000);
}
