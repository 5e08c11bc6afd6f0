/** Whether the webhook should get notifications. */
import type { Client } from '@temporalio/client';
import { Readiness, unlessStopping } from '../process/health';
import { GRPC_STATUS, grpcCodeOf } from '../temporal/grpc-status';

/** Who may not ask this, or not so often, has an answer: it says nothing of whether a notification is taken. */
const ANSWERS: readonly (number | undefined)[] = [GRPC_STATUS.PERMISSION_DENIED, GRPC_STATUS.RESOURCE_EXHAUSTED];

/** How long Temporal may take to answer, in ms. */
const TIMEOUT_MS = 3_000;

/**
 * Only while its connection to Temporal answers: without it every notification is refused, and the gateway brings it again minutes or
 * hours later. A load balancer can give it to a webhook that can take it. Where none can, its own 503 says what ours would.
 */
export function webhookReadiness(client: Client, stopping?: AbortSignal): Readiness {
  const { namespace } = client.options;
  const ask = () =>
    client
      .withDeadline(Date.now() + TIMEOUT_MS, () => client.workflowService.describeNamespace({ namespace }))
      .then(
        () => undefined,
        (error: unknown) => (ANSWERS.includes(grpcCodeOf(error)) ? undefined : 'Temporal does not answer'),
      );
  return new Readiness(unlessStopping(stopping), ask);
}
