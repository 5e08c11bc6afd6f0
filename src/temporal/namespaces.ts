/** Makes the namespace of payments, and says how long it keeps closed workflows. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time';
import { RETENTION_MS } from '../contract';
import { UserError } from '../process/user-error';
import { GRPC_STATUS, grpcCodeOf, isNotOffered } from './call-errors';

const DAY_MS = 86_400_000;

/** Temporal does not make or change the namespace for this program. The message says who does, and how. */
class NamespaceRefusedError extends UserError {
  override readonly name = 'NamespaceRefusedError';
}

type Asked = Pick<Connection, 'workflowService'>;

interface PreparedNamespace {
  change: 'made' | 'changed' | 'none';
  /** How long it keeps closed payments now, in ms. */
  retention: number;
}

/**
 * Makes the namespace if it is missing. An existing namespace keeps its retention, unless another is asked for. Safe to repeat.
 * Throws NamespaceRefusedError.
 */
export async function prepareNamespace(
  connection: Asked,
  namespace: string,
  retention?: number,
): Promise<PreparedNamespace> {
  try {
    const kept = await retentionOf(connection, namespace);
    if (kept === undefined) {
      await make(connection, namespace, retention ?? RETENTION_MS);
      return { change: 'made', retention: retention ?? RETENTION_MS };
    }
    if (retention === undefined || retention === kept) return { change: 'none', retention: kept };
    await connection.workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: msToTs(retention) },
    });
    return { change: 'changed', retention };
  } catch (error) {
    throw refused(error, namespace, retention) ?? error;
  }
}

/** How long the namespace keeps closed workflows, in ms; undefined if there is no such namespace. */
export async function retentionOf({ workflowService }: Asked, namespace: string): Promise<number | undefined> {
  try {
    const { config } = await workflowService.describeNamespace({ namespace });
    return optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0;
  } catch (error) {
    if (grpcCodeOf(error) === GRPC_STATUS.NOT_FOUND) return undefined;
    throw error;
  }
}

async function make(connection: Asked, namespace: string, retention: number): Promise<void> {
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(retention),
    });
  } catch (error) {
    // Another setup was faster.
    if (grpcCodeOf(error) !== GRPC_STATUS.ALREADY_EXISTS) throw error;
  }
  const until = Date.now() + KNOWN_WITHIN_MS;
  while (!(await isKnown(connection, namespace)) && Date.now() < until) await delay(ASK_EVERY_MS);
}

/** The servers of a cluster learn of a new namespace some seconds later, and until then say that there is none. */
const [KNOWN_WITHIN_MS, ASK_EVERY_MS] = [60_000, 500];

async function isKnown({ workflowService }: Asked, namespace: string): Promise<boolean> {
  try {
    await workflowService.countWorkflowExecutions({ namespace });
    return true;
  } catch (error) {
    if (grpcCodeOf(error) === GRPC_STATUS.NOT_FOUND) return false;
    throw error;
  }
}

function refused(error: unknown, namespace: string, retention: number | undefined): NamespaceRefusedError | undefined {
  const days = Math.ceil((retention ?? RETENTION_MS) / DAY_MS);
  if (grpcCodeOf(error) === GRPC_STATUS.INVALID_ARGUMENT)
    return new NamespaceRefusedError(
      `Temporal refuses this name or retention for the namespace ${namespace}: ${detailsOf(error)} Give another --namespace or --retention.`,
    );
  if (!isNotOffered(error)) return undefined;
  return new NamespaceRefusedError(
    [
      `Temporal does not let this program make or change the namespace ${namespace}.`,
      'In Temporal Cloud run the first where it is missing, else the second:',
      `  tcld namespace create --namespace ${namespace} --retention-days ${days} --region REGION --auth-method api_key`,
      `  tcld namespace retention set --namespace ${namespace} --retention-days ${days}`,
      'On a server of your own its operator runs:',
      `  temporal operator namespace create --namespace ${namespace} --retention ${days}d`,
      'Then run payment-gateway setup again, without --namespace and --retention, and with TEMPORAL_NAMESPACE.',
    ].join('\n'),
  );
}

function detailsOf(error: unknown): string {
  const details = error instanceof Error && 'details' in error ? error.details : undefined;
  return typeof details === 'string' ? details : String(error);
}
