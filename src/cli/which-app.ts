/** Which of several apps a command is for: two apps may have the same number. */
import {
  afterSaleWorkflowId,
  createSpeiAccountWorkflowId,
  paymentWorkflowId,
  speiAccountWorkflowId,
} from '../contract';
import { appIdOf, appIdsOf, type Config } from '../process/settings';
import { ConfigError } from '../process/user-error';
import { ifExists } from '../temporal/runs';
import { printable } from './print';

/** The part of Temporal that is used here. */
export interface Known {
  workflow: { getHandle(workflowId: string): { describe(): Promise<unknown> } };
}

/** What a person has typed. */
interface Said {
  app: string | undefined;
  /** The number of an order, the id of an account, or its key. */
  number?: string | undefined;
}

/**
 * The app of a command that changes something: the named one, or the only one. GATEWAY_APP_ID does not choose among several: it stays set when
 * a second app is added, and the person who types a command does not see it. Throws ConfigError, which names the apps that have the number.
 */
export async function appToChange(config: Config, said: Said, connected: () => Promise<Known>): Promise<string> {
  if (!isOpen(config, said)) return appIdOf(config, said.app);
  const { number } = said;
  const having = number === undefined ? [] : await appsWith(await connected(), appIdsOf(config), number);
  throw severalApps(config, number, having);
}

/** The app of a command that only shows: the named one, or the one that has the number. Throws ConfigError if several have it. */
export async function appToShow(config: Config, said: Said & { number: string }, client: Known): Promise<string> {
  if (!isOpen(config, said)) return appIdOf(config, said.app);
  const [first, ...others] = await appsWith(client, appIdsOf(config), said.number);
  if (first !== undefined && others.length > 0) throw severalApps(config, said.number, [first, ...others]);
  // No app has it as a number: it may be the name of something else.
  return first ?? appIdOf(config, appIdsOf(config)[0]);
}

const isOpen = (config: Config, { app }: Said) => app === undefined && appIdsOf(config).length > 1;

function severalApps(config: Config, number: string | undefined, having: readonly string[]): ConfigError {
  const known =
    number === undefined
      ? ''
      : ` Of these, ${having.join(' and ') || 'none'} ${having.length > 1 ? 'have' : 'has'} ${number}.`;
  return new ConfigError(
    printable(`Which app? Nothing was done: name one of ${appIdsOf(config).join(', ')} with --app.${known}`),
  );
}

/** The apps for which Temporal has an order or an account of this number. Each is described, because lists are moments behind. */
async function appsWith(client: Known, app_ids: readonly string[], number: string): Promise<string[]> {
  const isThere = async (id: string) => (await ifExists(() => client.workflow.getHandle(id).describe(), null)) !== null;
  const hasNumber = async (app_id: string) =>
    (await Promise.all(IDS.map((idOf) => isThere(idOf(app_id, number))))).includes(true);
  const having = await Promise.all(app_ids.map(hasNumber));
  return app_ids.filter((_, i) => having[i]);
}

const IDS = [paymentWorkflowId, afterSaleWorkflowId, speiAccountWorkflowId, createSpeiAccountWorkflowId];
