/** `payment-gateway deploy …`: the versions of the worker, and how work goes to them. */
import { UserError } from '../../process/user-error';
import { type DeployedVersion, type Deployment, Deployments, DeployRefusedError } from '../../temporal/deployments';
import { EXIT } from '../exit-codes';
import { tellError } from '../failed';
import { asOperator } from '../operator/connection';
import { table } from '../operator/table';
import { printable, say } from '../print';
import {
  type Change,
  gatesOfNoReturn,
  type Meant,
  promotionOf,
  rampOf,
  rollbackOf,
  stoppingOf,
  unreadGates,
  versionOf,
} from './rules';

export interface DeployOptions {
  /** The Worker Deployment; by default the one in the settings, or the only one. */
  deployment?: string;
  json?: boolean;
}

export interface NextOptions extends DeployOptions {
  buildId?: string;
}

export const status = (options: DeployOptions): Promise<never> =>
  onDeployment(options, async (deployments, deployment) => {
    const unversioned_runs = await deployments.unversionedRuns(deployment);
    const current = versionOf(deployment, deployment.current);
    const unread_gates = current === null ? [] : unreadGates(deployment, [current]);
    const stranded_runs = await deployments.runsBehind(deployment, unread_gates);
    const { token: _token, ...shown } = deployment;
    const versions = deployment.versions.map((version) => ({ ...version, ...stoppingOf(version) }));
    const report = { ...shown, versions, unversioned_runs, stranded_runs, unread_gates };
    say(options.json ? JSON.stringify(report) : statusText(report));
  });

export function ramp(percent: string, { buildId, ...options }: NextOptions): Promise<never> {
  const wanted = Number(percent);
  if (!/^\d+(\.\d+)?$/.test(percent) || wanted > 100)
    throw new UserError(`${percent} is no share: give a number from 0 to 100, such as 10 for 10 % of new work.`);
  return change(options, (deployment, own) => rampOf(deployment, wanted, { named: buildId, own }));
}

export const promote = ({ buildId, ...options }: NextOptions): Promise<never> =>
  change(options, (deployment, own) => promotionOf(deployment, { named: buildId, own }));

export const rollback = (options: DeployOptions): Promise<never> => change(options, rollbackOf);

/** Makes a change, unless open runs could not continue after it. */
function change(
  options: DeployOptions,
  planned: (deployment: Deployment, own: Meant['own']) => Change,
): Promise<never> {
  return onDeployment(options, async (deployments, deployment, own) => {
    const plan = planned(deployment, own);
    const gates = unreadGates(deployment, plan.receivers);
    const runs = await deployments.runsBehind(deployment, gates);
    if (runs > 0) throw new DeployRefusedError(stranding(plan, gates, runs));
    if (plan.do === 'promote') await deployments.setCurrent(deployment, plan.build_id);
    else await deployments.setRamping(deployment, plan.do === 'ramp' ? plan : null);
    const { receivers: _receivers, ...done } = plan;
    const no_return = gatesOfNoReturn(deployment, plan);
    if (options.json) return say(JSON.stringify({ deployment: deployment.name, ...done, no_return }));
    say(printable(changedText(plan, deployment)));
    if (no_return.length > 0)
      say(
        printable(
          `It opens ${no_return.join(', ')}, which ${deployment.current ?? 'the version before it'} does not know: once an open run has passed one, rollback is refused.`,
        ),
      );
  });
}

function stranding({ receivers }: Change, gates: readonly string[], runs: number): string {
  const names = receivers.map((version) => version?.build_id ?? 'workers without a version').join(' and ');
  const many = runs === 1 ? '1 open run has' : `${runs} open runs have`;
  return `Nothing was changed: ${many} passed ${gates.join(', ')}, which ${names} cannot replay, so that they would stand still there. Mend it forward with a version that knows these gates (payment-gateway deploy promote), or wait until they have ended (payment-gateway deploy status).`;
}

/** What was done, and which workers must keep running. */
export function changedText(plan: Change, { name, current }: Pick<Deployment, 'name' | 'current'>): string {
  const before = current ?? 'workers without a version';
  const look = 'Look: payment-gateway deploy status';
  if (plan.do === 'ramp')
    return `${plan.percent} % of the new work of ${name} goes to ${plan.build_id} now, the rest to ${before}. ${look}`;
  if (plan.do === 'end-ramp')
    return `All new work of ${name} goes to ${before} again, none to ${plan.build_id}. ${look}`;
  const others = current
    ? `Let the workers of ${current} run until it is drained.`
    : `Workers of its task queue without a version may stop: what they had open goes on with ${plan.build_id}.`;
  return `${plan.build_id} is the current version of ${name} now, after ${before}. ${others} ${look}`;
}

interface Report extends Omit<Deployment, 'token'> {
  versions: (DeployedVersion & ReturnType<typeof stoppingOf>)[];
  unversioned_runs: number;
  stranded_runs: number;
  unread_gates: string[];
}

function statusText({ name, ramping, versions, unversioned_runs, stranded_runs, unread_gates }: Report): string {
  const lines = [
    table(
      [
        { name: 'version', of: ({ build_id }) => build_id },
        { name: 'state', of: ({ state }) => (state === 'ramping' ? `ramping ${ramping?.percent ?? 0} %` : state) },
        { name: 'open', of: ({ open_runs }) => `${open_runs}` },
        { name: 'pinned', of: ({ pinned_runs }) => `${pinned_runs}` },
        { name: 'release', of: ({ gates }) => gates?.release ?? 'not told' },
        { name: 'gates', of: gatesText },
        { name: 'may stop', of: ({ may_stop, why }) => `${may_stop ? 'yes' : 'no'}: ${why}` },
      ],
      versions,
    ),
  ];
  if (unversioned_runs > 0) lines.push(`${unversioned_runs} open runs have had no worker with a version yet.`);
  if (stranded_runs > 0)
    lines.push(
      `${stranded_runs} open runs passed ${printable(unread_gates.join(', '))}, which the current version cannot replay: promote one that can.`,
    );
  return [`Worker Deployment ${printable(name)}`, ...lines].join('\n');
}

const gatesText = ({ gates }: DeployedVersion): string =>
  (gates?.reads ?? []).map((gate) => `${gate} (${gates?.opens.includes(gate) ? 'open' : 'closed'})`).join(', ');

function onDeployment(
  { deployment: named }: DeployOptions,
  act: (deployments: Deployments, deployment: Deployment, own: Meant['own']) => Promise<void>,
): Promise<never> {
  return asOperator(async ({ client, config }) => {
    const deployments = new Deployments(client.workflowService, client.options.namespace, client.options.identity);
    try {
      const name = named ?? config.TEMPORAL_DEPLOYMENT_NAME ?? onlyOne(await deployments.names());
      const own = name === config.TEMPORAL_DEPLOYMENT_NAME ? config.TEMPORAL_WORKER_BUILD_ID : undefined;
      await act(deployments, await deployments.read(name), own);
      return EXIT.ok;
    } catch (error) {
      if (!(error instanceof DeployRefusedError)) throw error;
      tellError(error);
      return EXIT.refused;
    }
  }, 'lists');
}

function onlyOne(names: readonly string[]): string {
  const [name, ...others] = names;
  if (name === undefined)
    throw new UserError(
      'Temporal lists no Worker Deployment in the namespace. Workers without a version need none: nothing of `deploy` is for them. Where yours have TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID, the list is moments behind: name the Deployment with --deployment.',
    );
  if (others.length === 0) return name;
  throw new UserError(
    `The namespace has several Worker Deployments: name one with --deployment (${names.join(', ')}).`,
  );
}
