/** Whether the webhook should get notifications. */
import type { Client } from '@temporalio/client';
import { Readiness, unlessStopping } from '../process/health';
import { GRPC_STATUS, grpcCodeOf } from '../temporal/call-errors';

/** These answers show that Temporal is there: they say nothing about whether it takes a notification. */
const ANSWERS: readonly (number | undefined)[] = [GRPC_STATUS.PERMISSION_DENIED, GRPC_STATUS.RESOURCE_EXHAUSTED];

/** How long Temporal may take to answer, in ms. */
const TIMEOUT_MS = 3_000;

/**
 * Ready only while the connection to Temporal answers: without it every notification is refused, and the gateway repeats it minutes or hours
 * later. A load balancer can send it to a webhook that can take it. If none can, the load balancer's own 503 says the same as ours.
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
