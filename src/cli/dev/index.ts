/**
 * cli/dev/: `payment-gateway dev`: a whole stack on this machine. It imports what `cli/` may. temporal/ holds the development
 * server, and knows nothing of payments.
 */
import type { DevOptions } from './stack';
import { ensureWorker } from './worker-package';

/** Runs the stack until a signal, and ends the process. Installs the SDK's worker first if it is missing. */
export async function dev(options: DevOptions): Promise<void> {
  await ensureWorker();
  await (await import('./stack.js')).runStack(options);
}
