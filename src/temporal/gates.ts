/** The worker's side of the gates in workflow code: which gates it opens, and what its version publishes about them. */
import { setTimeout as delay } from 'node:timers/promises';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { PatchActivationCallback, Worker } from '@temporalio/worker';
import { z } from 'zod';
import { GATES, type Gates, type GatesOfRelease, gatesOf, isOpenedBy } from '../contract';
import { messageOf } from '../process/message-of';
import { GRPC_STATUS, grpcCodeOf } from './call-errors';

const openers = new WeakSet<PatchActivationCallback>();

/**
 * Opens our gates by release, and patches of the merchant's own code by `own` (by default at once). An opener that this function made is
 * returned as it is: a plugin may be applied twice.
 */
export function gateOpener(
  release: string,
  own: PatchActivationCallback = () => true,
  gates: Gates = GATES,
): PatchActivationCallback {
  if (openers.has(own)) return own;
  const opener: PatchActivationCallback = (input) => {
    const gate = Object.hasOwn(gates, input.patchId) ? gates[input.patchId] : undefined;
    return gate === undefined ? own(input) : isOpenedBy(gate, release);
  };
  openers.add(opener);
  return opener;
}

/** The entry in a version's metadata. It is not encrypted: it says nothing of an order, and nobody needs a key to read it. */
const ENTRY = 'payments.gates';

const published = z.object({ release: z.string(), reads: z.array(z.string()), opens: z.array(z.string()) });

/** What a version has published; undefined if it never did, or in a form that is not ours. */
export function publishedGates(
  metadata: Readonly<Record<string, Payload>> | null | undefined,
): GatesOfRelease | undefined {
  const entry = metadata?.[ENTRY];
  if (entry === undefined) return undefined;
  return published.safeParse(defaultPayloadConverter.fromPayload(entry)).data;
}

/** Answers after which it is useless to ask again. */
const FINAL: readonly (number | undefined)[] = [
  GRPC_STATUS.PERMISSION_DENIED,
  GRPC_STATUS.UNAUTHENTICATED,
  GRPC_STATUS.UNIMPLEMENTED,
  GRPC_STATUS.INVALID_ARGUMENT,
];

/** How long to wait before Temporal is asked again, in ms: longer each time. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [1_000, 60_000];

interface Publishing {
  options: Pick<Worker['options'], 'namespace' | 'identity' | 'workerDeploymentOptions'>;
  connection?: { workflowService: MetadataService } | undefined;
}
interface MetadataService {
  updateWorkerDeploymentVersionMetadata(
    request: temporal.api.workflowservice.v1.IUpdateWorkerDeploymentVersionMetadataRequest,
  ): Promise<unknown>;
}

/**
 * Tells Temporal which gates this worker's version knows and opens, so that a rollback can be refused in time; nothing without a version.
 * Temporal knows a version from its first poll, so the call is repeated until then. Never throws; `warn` is told why it failed.
 */
export async function publishGates(
  { options, connection }: Publishing,
  release: string,
  signal: AbortSignal,
  warn: (message: string, fields: object) => void,
): Promise<void> {
  const { workerDeploymentOptions: deployment, namespace, identity } = options;
  if (!deployment?.useWorkerVersioning || connection === undefined) return;
  const upsertEntries = { [ENTRY]: defaultPayloadConverter.toPayload(gatesOf(release)) };
  const request = { namespace, identity, deploymentVersion: deployment.version, upsertEntries };
  for (let pause_ms = FIRST_PAUSE; !signal.aborted; pause_ms = Math.min(2 * pause_ms, LONGEST_PAUSE)) {
    try {
      await connection.workflowService.updateWorkerDeploymentVersionMetadata(request);
      return;
    } catch (error) {
      if (FINAL.includes(grpcCodeOf(error)))
        return warn(
          'Temporal does not take the gates of this version, so payment-gateway deploy takes it for one that knows none: let this worker update metadata of Worker Deployment Versions',
          { reason: messageOf(error) },
        );
      await delay(pause_ms, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
