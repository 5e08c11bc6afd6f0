/** Connections to Temporal, by Temporal's own environment configuration (TEMPORAL_ADDRESS, TEMPORAL_PROFILE, …). */
import { accessSync, constants } from 'node:fs';
import { Client, type ClientPlugin, type Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { dataConverter, type EncryptionSettings } from '../codec/data-converter';
import type { Environment } from '../process/environment';
import { firstLineOf } from '../process/message-of';
import { ConfigError, UserError } from '../process/user-error';
import { GRPC_STATUS, grpcCodeOf } from './call-errors';
import { connectTo } from './closed-connection';
import { requireOneSdk } from './sdk';
import type { Telemetry } from './telemetry/telemetry';

/** Temporal cannot be reached. The message names the address and what to do. */
export class TemporalUnreachableError extends UserError {
  override readonly name = 'TemporalUnreachableError';
}

/** Temporal has no such namespace. The message names it and what to do. */
export class UnknownNamespaceError extends UserError {
  override readonly name = 'UnknownNamespaceError';
}

/**
 * Where Temporal is and which namespace to use, by Temporal's own environment variables and profiles. Everything that connects calls this, so
 * the SDK's versions are checked here. Throws TemporalSdkError and ConfigError.
 */
export function temporalConfig(env: Environment) {
  requireOneSdk();
  const { connectionOptions, namespace = 'default' } = ownConfig(env);
  return { connectionOptions, namespace };
}

/** Temporal's own library ignores a missing file, and quotes the line of a file that it cannot read: the line may hold a key. */
function ownConfig(env: Environment) {
  try {
    if (env.TEMPORAL_CONFIG_FILE) accessSync(env.TEMPORAL_CONFIG_FILE, constants.R_OK);
    return loadClientConnectConfig({ overrideEnvVars: given(env) });
  } catch (error) {
    throw new ConfigError(`Temporal’s own settings (TEMPORAL_…) cannot be used: ${firstLineOf(error)}`);
  }
}

/**
 * A client for callers: the webhook, the command line, a merchant's backend. It encrypts if the settings hold keys.
 * Throws TemporalUnreachableError, UnknownNamespaceError, and ConfigError in production without keys.
 */
export async function connectClient(
  env: Environment,
  settings: EncryptionSettings,
  { telemetry, plugins = [] }: { telemetry?: Telemetry | undefined; plugins?: ClientPlugin[] | undefined } = {},
): Promise<Client> {
  const converter = dataConverter(settings);
  const { connection, namespace } = await connect(env);
  const interceptors = { workflow: [...(telemetry?.calls ?? [])] };
  return new Client({ plugins, interceptors, connection, namespace, dataConverter: converter });
}

/** A connection alone, for callers that send no payloads. Throws TemporalUnreachableError and UnknownNamespaceError. */
export async function connect(env: Environment): Promise<Connected> {
  const { connection, namespace } = await connectToServer(env);
  try {
    await requireNamespace(connection, namespace);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return { connection, namespace };
}

interface Connected {
  connection: Connection;
  namespace: string;
}

/** The same for callers that make the namespace, which need not exist yet. Throws TemporalUnreachableError. */
export async function connectToServer(env: Environment): Promise<Connected> {
  const { connectionOptions, namespace } = temporalConfig(env);
  const options = { connectTimeout: 5_000, ...connectionOptions };
  const connection = await connectTo(options).catch((error: unknown) => {
    throw unreachable(connectionOptions.address, error);
  });
  return { connection, namespace };
}

/** Throws UnknownNamespaceError if Temporal says that there is none. A caller without the permission to ask is not held up. */
export async function requireNamespace(
  connection: Pick<Connection, 'workflowService' | 'withDeadline'>,
  namespace: string,
): Promise<void> {
  try {
    await connection.withDeadline(Date.now() + 5_000, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    if (grpcCodeOf(error) !== GRPC_STATUS.NOT_FOUND) return;
    throw new UnknownNamespaceError(
      `Temporal has no namespace ${namespace}. Make it (payment-gateway setup --namespace ${namespace}; in Temporal Cloud, on its page), or set TEMPORAL_NAMESPACE.`,
    );
  }
}

/** The address that Temporal's SDK uses if none is set. */
export const DEFAULT_ADDRESS = 'localhost:7233';

export function unreachable(address: string | undefined, error: unknown): TemporalUnreachableError {
  return new TemporalUnreachableError(
    `Temporal cannot be reached at ${address ?? DEFAULT_ADDRESS} (${firstLineOf(error)}). Run npx payment-gateway dev in this folder, or set TEMPORAL_ADDRESS.`,
  );
}

/** The same for a call that failed on a connection that there was. `reason`: what the SDK or the server said. */
export function brokenOff(address: string | undefined, reason: string): TemporalUnreachableError {
  return new TemporalUnreachableError(
    `Temporal cannot be reached at ${address ?? DEFAULT_ADDRESS}, or takes no calls just now (${reason}). Ask again in a moment. If it stays so, run npx payment-gateway dev in this folder, or set TEMPORAL_ADDRESS.`,
  );
}

/** An empty variable counts as not set, as in our own settings: else a namespace without a name would be asked for. */
function given(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value] as const] : [])));
}
