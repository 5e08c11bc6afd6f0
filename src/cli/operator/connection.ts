/** The path that the operator's commands share: settings, a connection to Temporal, and the end of the process. */
import { Client } from '@temporalio/client';
import { isOurWorkflow, namedByWorkflowId } from '../../contract';
import type { Environment } from '../../process/environment';
import { exitOncePrinted } from '../../process/exit';
import type { Config } from '../../process/settings';
import { GRPC_STATUS, grpcCodeOf } from '../../temporal/call-errors';
import { connect, connectClient } from '../../temporal/connection';
import { explainIfNotSetUp } from '../../temporal/search-attributes';
import { commandSettings } from '../command-settings';
import { tellFailure } from '../tell-failure';
import { appToChange, appToShow, type Known } from '../which-app';

/** What a command of an operator works with. It needs no key of the gateway. */
export interface Operator {
  client: Client;
  config: Config;
  env: Environment;
}

/** An order of an app, or one workflow by its id. */
export interface Target {
  workflow_id: string | null;
  app_id: string;
  out_trade_no: string | null;
}

/** Lists need no keys: they read what Temporal never encrypts. If there are keys, notes are read, too. */
type Reads = 'payloads' | 'lists';

/** Runs `act` on the namespace of the settings, or of the stack that runs here, and ends with the code that it returns. */
export async function asOperator(
  act: (operator: Operator) => Promise<number>,
  reads: Reads = 'payloads',
): Promise<never> {
  const { config, env } = commandSettings();
  const isReadable = reads === 'payloads' || config.PAYMENTS_ENCRYPTION_KEYS !== undefined;
  const client = isReadable ? await connectClient(env, config) : new Client(await connect(env));
  const code = await act({ client, config, env })
    .catch(async (error: unknown) => {
      // Temporal refuses a list by missing search attributes as a wrong query.
      if (grpcCodeOf(error) === GRPC_STATUS.INVALID_ARGUMENT) await explainIfNotSetUp(client);
      throw error;
    })
    .catch(tellFailure);
  // Temporal's client may still wait for a result, and would throw if its connection were closed.
  return exitOncePrinted(code);
}

/**
 * Reads what a person named: with an app, always the number of an order; without an app, the id of a workflow if it is one, else a number.
 * Throws ConfigError if it is not clear which app is meant, to `show` something of it or to `change` it.
 */
export async function targetOf(
  text: string,
  { app }: { app?: string | undefined },
  { config, client }: { config: Config; client: Known },
  to: 'show' | 'change',
): Promise<Target> {
  const named = app === undefined && isOurWorkflow(text) ? namedByWorkflowId(text) : undefined;
  if (named) return { workflow_id: text, app_id: named.app_id, out_trade_no: named.out_trade_no };
  const said = { app, number: text };
  const app_id = await (to === 'show'
    ? appToShow(config, said, client)
    : appToChange(config, said, () => Promise.resolve(client)));
  return { workflow_id: null, app_id, out_trade_no: text };
}
