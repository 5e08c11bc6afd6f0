/** Worker Deployments: which versions of the worker there are, how work goes to them, and what each has open. */
import type { Client } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import type { GatesOfRelease } from '../contract';
import { messageOf } from '../process/message-of';
import { UserError } from '../process/user-error';
import { GRPC_STATUS, grpcCodeOf } from './call-errors';
import { publishedGates } from './gates';
import { quoted } from './list-query';

const {
  WorkerDeploymentVersionStatus: STATUS,
  TaskQueueType: { TASK_QUEUE_TYPE_WORKFLOW: OF_WORKFLOWS },
} = temporal.api.enums.v1;

/** A version as people read it; `unknown`: Temporal does not say its state, or contradicts its own routing. */
type VersionState = 'new' | 'current' | 'ramping' | 'draining' | 'drained' | 'unknown';

/** What Temporal says of a version that gets no new work. */
const WITHOUT_NEW_WORK: Readonly<Record<number, VersionState>> = {
  [STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_CREATED]: 'new',
  [STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_INACTIVE]: 'new',
  [STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING]: 'draining',
  [STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED]: 'drained',
};

/** The routing comes first, because changes are decided by it, too; the status may be moments behind. */
function stateOf(build_id: string, { current, ramping }: Routing, status: Summary['status']): VersionState {
  if (build_id === current) return 'current';
  if (build_id === ramping?.build_id) return 'ramping';
  return WITHOUT_NEW_WORK[status ?? STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_UNSPECIFIED] ?? 'unknown';
}

/** A version of a deployment. Times are ISO 8601, UTC. */
export interface DeployedVersion {
  build_id: string;
  state: VersionState;
  created_at: string;
  /** When it became the current one for the last time. */
  last_current_at: string | null;
  /** What its workers have published; null if they never did. */
  gates: GatesOfRelease | null;
  /** Open runs whose last task it has done. */
  open_runs: number;
  /** The open runs that stay with this version. */
  pinned_runs: number;
  /** Closed runs without a result, whose state only its workers can tell. */
  closed_runs: number;
  /** The task queues whose workflow tasks its workers have taken. */
  task_queues: string[];
}

interface Routing {
  /** The build that new work goes to; null if it goes to workers without a version. */
  current: string | null;
  ramping: { build_id: string; percent: number } | null;
}

export interface Deployment extends Routing {
  name: string;
  /** The newest first. */
  versions: DeployedVersion[];
  /** Temporal's conflict token: a change with it fails if somebody else has changed the deployment since. */
  token: Uint8Array;
}

type Summary = temporal.api.deployment.v1.WorkerDeploymentInfo.IWorkerDeploymentVersionSummary;

type Service = Pick<
  Client['workflowService'],
  | 'listWorkerDeployments'
  | 'describeWorkerDeployment'
  | 'describeWorkerDeploymentVersion'
  | 'setWorkerDeploymentCurrentVersion'
  | 'setWorkerDeploymentRampingVersion'
  | 'countWorkflowExecutions'
>;

/** Temporal did not make the change. The message says why, and what to do. */
export class DeployRefusedError extends UserError {
  override readonly name = 'DeployRefusedError';
}

export class Deployments {
  constructor(
    private readonly service: Service,
    private readonly namespace: string,
    private readonly identity: string,
  ) {}

  async names(): Promise<string[]> {
    const names: string[] = [];
    for (let nextPageToken: Uint8Array = new Uint8Array(); ; ) {
      const page = await this.service.listWorkerDeployments({ namespace: this.namespace, nextPageToken });
      for (const { name } of page.workerDeployments ?? []) if (name) names.push(name);
      nextPageToken = page.nextPageToken ?? new Uint8Array();
      if (nextPageToken.length === 0) return names;
    }
  }

  /** Throws UserError if there is no deployment of this name. */
  async read(name: string): Promise<Deployment> {
    const { workerDeploymentInfo: info, conflictToken: token } = await this.described(name);
    const { currentDeploymentVersion, rampingDeploymentVersion, rampingVersionPercentage } = info?.routingConfig ?? {};
    const ramping = rampingDeploymentVersion?.buildId;
    const routing: Routing = {
      current: currentDeploymentVersion?.buildId ?? null,
      ramping: ramping ? { build_id: ramping, percent: rampingVersionPercentage ?? 0 } : null,
    };
    const summaries = info?.versionSummaries ?? [];
    const versions = await Promise.all(summaries.map((summary) => this.version(name, routing, summary)));
    return {
      name,
      ...routing,
      versions: versions.flat().sort((one, other) => (one.created_at < other.created_at ? 1 : -1)),
      token: token ?? new Uint8Array(),
    };
  }

  /** Since when a part of new work goes to a ramping version; null without one. Throws as `read` does. */
  async rampedSince(name: string): Promise<Date | null> {
    const { rampingDeploymentVersion, rampingVersionChangedTime } =
      (await this.described(name)).workerDeploymentInfo?.routingConfig ?? {};
    return (rampingDeploymentVersion?.buildId && optionalTsToDate(rampingVersionChangedTime)) || null;
  }

  private async described(name: string) {
    const { namespace } = this;
    return this.service.describeWorkerDeployment({ namespace, deploymentName: name }).catch((error: unknown) => {
      if (grpcCodeOf(error) !== GRPC_STATUS.NOT_FOUND) throw error;
      throw new UserError(
        `The namespace ${namespace} has no Worker Deployment ${name}: start a worker with TEMPORAL_DEPLOYMENT_NAME=${name} and a TEMPORAL_WORKER_BUILD_ID.`,
      );
    });
  }

  /** Empty if Temporal lists the version but does not describe it: the version is just being made or removed. */
  private async version(deploymentName: string, routing: Routing, summary: Summary): Promise<DeployedVersion[]> {
    const { namespace } = this;
    const build_id = summary.deploymentVersion?.buildId ?? '';
    const state = stateOf(build_id, routing, summary.status);
    const deploymentVersion = { deploymentName, buildId: build_id };
    const its = `TemporalWorkerDeploymentVersion = ${quoted(`${deploymentName}:${build_id}`)}`;
    const [described, open_runs, pinned_runs, closed_runs] = await Promise.all([
      this.service.describeWorkerDeploymentVersion({ namespace, deploymentVersion }).catch((error: unknown) => {
        // A version that gets new work must not be left out: a change of gates is decided by what it has published.
        if (grpcCodeOf(error) !== GRPC_STATUS.NOT_FOUND || state === 'current' || state === 'ramping') throw error;
        return null;
      }),
      this.count(`${OPEN} AND ${its}`),
      this.count(`${OPEN} AND ${its} AND ${PINNED}`),
      this.count(`${NO_RESULT} AND ${its} AND ${PINNED}`),
    ]);
    if (described === null) return [];
    const { metadata, createTime } = described.workerDeploymentVersionInfo ?? {};
    return [
      {
        build_id,
        state,
        created_at: optionalTsToDate(createTime)?.toISOString() ?? '',
        last_current_at: optionalTsToDate(summary.lastCurrentTime)?.toISOString() ?? null,
        gates: publishedGates(metadata?.entries) ?? null,
        ...{ open_runs, pinned_runs, closed_runs },
        task_queues: (described.versionTaskQueues ?? []).flatMap(({ name, type }) =>
          name && type === OF_WORKFLOWS ? [name] : [],
        ),
      },
    ];
  }

  /** Open runs on this deployment's task queues that no worker with a version has had. */
  unversionedRuns(deployment: Deployment): Promise<number> {
    return this.countTaken(deployment, 'TemporalWorkerDeploymentVersion IS NULL');
  }

  /** Open runs that have passed any of these gates and follow the routing: a pinned run stays where it is. */
  async runsBehind(deployment: Deployment, gates: readonly string[]): Promise<number> {
    if (gates.length === 0) return 0;
    const passed = `TemporalChangeVersion IN (${gates.map(quoted).join(', ')})`;
    return this.countTaken(deployment, `${passed} AND (TemporalWorkflowVersioningBehavior IS NULL OR NOT ${PINNED})`);
  }

  /** Counts open runs on this deployment's task queues; if Temporal names no queue, all open runs, so that a change is refused, not made. */
  private countTaken({ versions }: Deployment, those: string): Promise<number> {
    const queues = [...new Set(versions.flatMap(({ task_queues }) => task_queues))].sort();
    const taken = queues.length > 0 ? `TaskQueue IN (${queues.map(quoted).join(', ')}) AND ` : '';
    return this.count(`${OPEN} AND ${taken}${those}`);
  }

  private async count(query: string): Promise<number> {
    const { count } = await this.service.countWorkflowExecutions({ namespace: this.namespace, query });
    return Number(count ?? 0);
  }

  /** Throws DeployRefusedError. */
  async setCurrent({ name: deploymentName, token: conflictToken }: Deployment, buildId: string): Promise<void> {
    const { namespace, identity } = this;
    const request = { namespace, deploymentName, buildId, conflictToken, identity };
    await this.change(deploymentName, buildId, () => this.service.setWorkerDeploymentCurrentVersion(request));
  }

  /** Without a build, no version is ramping any more. Throws DeployRefusedError. */
  async setRamping(
    { name: deploymentName, token: conflictToken }: Deployment,
    ramping: Deployment['ramping'],
  ): Promise<void> {
    const { namespace, identity } = this;
    const { build_id: buildId, percent: percentage } = ramping ?? { build_id: '', percent: 0 };
    const request = { namespace, deploymentName, buildId, percentage, conflictToken, identity };
    await this.change(deploymentName, buildId, () => this.service.setWorkerDeploymentRampingVersion(request));
  }

  private async change(name: string, build_id: string, act: () => Promise<unknown>): Promise<void> {
    await act().catch((error: unknown) => {
      if (grpcCodeOf(error) !== GRPC_STATUS.FAILED_PRECONDITION) throw error;
      const said = messageOf(error);
      const [, next] = REFUSALS.find(([words]) => words.test(said)) ?? [];
      throw new DeployRefusedError(
        `Nothing was changed of ${name}. ${next ?? `Temporal refuses ${build_id}: ${said}. Look: payment-gateway deploy status`}`,
      );
    });
  }
}

const OPEN = `ExecutionStatus = 'Running'`;
const NO_RESULT = `ExecutionStatus IN ('Failed', 'Canceled', 'Terminated', 'TimedOut')`;
const PINNED = `TemporalWorkflowVersioningBehavior = 'Pinned'`;

const REFUSALS: readonly (readonly [words: RegExp, next: string])[] = [
  [
    /ManagerIdentity/,
    'Somebody else manages where its work goes, such as the Worker Controller, which knows nothing of gates: give it the strategy Manual, then take its hold away (temporal worker deployment manager-identity unset --deployment-name NAME), and run this again.',
  ],
  [
    /conflict token/,
    'Somebody else changed it at the same moment: look (payment-gateway deploy status), and run this again if it is still wanted.',
  ],
  [
    /missing active task queues|no pollers|not polling/i,
    'No worker of that version polls for both kinds of tasks: start its workers, wait until their /readyz is 200, and run this again.',
  ],
];
