/** What a deploy may do, decided from what Temporal says of the versions. Pure, so that each rule can be tested alone. */
import { GATES } from '../../contract';
import { UserError } from '../../process/user-error';
import type { DeployedVersion, Deployment } from '../../temporal/deployments';

/** A change of how work goes to versions. */
export type Change = (
  | { do: 'promote'; build_id: string }
  | { do: 'ramp'; build_id: string; percent: number }
  | { do: 'end-ramp'; build_id: string }
) & {
  /** The versions that get open runs of other versions; null: workers without a version. */
  receivers: readonly (DeployedVersion | null)[];
};

/** Which version is meant: the one that a person has named, or this program's own by its settings. */
export interface Meant {
  named?: string | undefined;
  own?: string | undefined;
}

/** Throws UserError if no version can be meant. */
export function rampOf(deployment: Deployment, percent: number, meant: Meant = {}): Change {
  const version = nextVersion(deployment, meant);
  const { build_id } = version;
  const before = deployment.ramping;
  const current = versionOf(deployment, deployment.current);
  const isMore = before === null || (before.build_id === build_id && before.percent <= percent);
  const isLess = before?.build_id === build_id && before.percent > percent;
  const receivers = isMore ? [version] : isLess ? [current] : [version, current];
  return { do: 'ramp', build_id, percent, receivers };
}

/** Throws UserError if no version can be meant. */
export function promotionOf(deployment: Deployment, meant: Meant = {}): Change {
  const version = nextVersion(deployment, meant);
  return { do: 'promote', build_id: version.build_id, receivers: [version] };
}

/** Ends a ramp; without a ramp, goes back to the version that was current before. Throws UserError if there is none. */
export function rollbackOf(deployment: Deployment): Change {
  const { name, ramping, versions } = deployment;
  const current = versionOf(deployment, deployment.current);
  if (ramping) return { do: 'end-ramp', build_id: ramping.build_id, receivers: [current] };
  if (current === null)
    throw new UserError(`No version of ${name} is current or ramped: there is nothing to go back from.`);
  // Only older versions: after a rollback, the version that was left is no way back.
  const older = versions.filter((one) => one.last_current_at !== null && one.created_at < current.created_at);
  const [before] = older.sort((one, other) => ((one.last_current_at ?? '') < (other.last_current_at ?? '') ? 1 : -1));
  if (before === undefined)
    throw new UserError(
      `No version of ${name} was current before ${current.build_id}: there is nothing to go back to. Start workers of the release before with TEMPORAL_DEPLOYMENT_NAME=${name} and TEMPORAL_WORKER_BUILD_ID=BUILD, and make them current: payment-gateway deploy promote --build-id BUILD. Where there was none before, go forward in the same way, to a mended one: what is open waits for it meanwhile.`,
    );
  return { do: 'promote', build_id: before.build_id, receivers: [before] };
}

/**
 * The named version; else our own unless it is current, else the ramping one, else the newest. A version from which new work was taken must be
 * named: it is still the newest if the corrected one has not polled yet.
 */
function nextVersion(deployment: Deployment, meant: Meant): DeployedVersion {
  const { name, ramping, current, versions } = deployment;
  const { named } = meant;
  const own = meant.own === current ? undefined : meant.own;
  const ramped = ramping && ramping.percent > 0 ? ramping.build_id : undefined;
  const wanted = named ?? own ?? ramped ?? versions[0]?.build_id;
  const found = versions.find(({ build_id }) => build_id === wanted);
  if (found === undefined)
    throw new UserError(
      `${name} has no version ${wanted ?? ''}. It has: ${versions.map(({ build_id }) => build_id).join(', ') || 'none'}. A version is there once a worker of it polls: start one with TEMPORAL_WORKER_BUILD_ID=${named ?? own ?? 'BUILD'}, and wait until its /readyz is 200.`,
    );
  if (found.build_id === current)
    throw new UserError(
      `${found.build_id} is the current version of ${name} already${named === undefined ? ', and none is newer: start workers of the new one, or name one with --build-id' : ''}.`,
    );
  const isLeft = found.state !== 'new' || found.last_current_at !== null;
  if (isLeft && found.build_id !== (named ?? ramped))
    throw new UserError(
      `Nothing was changed: new work of ${name} was taken from ${found.build_id} before, and no newer version polls. Start workers of the mended one, and wait until their /readyz is 200; or name this one: --build-id ${found.build_id}.`,
    );
  return found;
}

/** The version of a build; null is workers without a version. */
export const versionOf = ({ versions }: Deployment, build_id: string | null): DeployedVersion | null =>
  versions.find((one) => one.build_id === build_id) ?? null;

/**
 * Of all gates that the versions have published and that this program has, those that any of these receivers does not know. A version that has
 * published nothing counts as knowing none, like an older release.
 */
export function unreadGates(
  { versions }: Deployment,
  receivers: Change['receivers'],
  own: readonly string[] = Object.keys(GATES),
): string[] {
  const all = new Set([...own, ...versions.flatMap(({ gates }) => gates?.reads ?? [])]);
  const isUnread = (gate: string) => receivers.some((version) => !version?.gates?.reads.includes(gate));
  return [...all].filter(isUnread).sort();
}

/** The gates that a change opens and that the version before it does not know: runs that pass one of them cannot go back. */
export function gatesOfNoReturn(deployment: Deployment, { build_id }: Change): string[] {
  const opened = versionOf(deployment, build_id)?.gates?.opens ?? [];
  const current = versionOf(deployment, deployment.current);
  return opened.filter((gate) => !current?.gates?.reads.includes(gate));
}

export interface Stopping {
  may_stop: boolean;
  why: string;
}

/** Whether the workers of a version may stop for good. */
export function stoppingOf({ state, pinned_runs, closed_runs }: DeployedVersion): Stopping {
  if (state === 'current' || state === 'ramping') return { may_stop: false, why: 'new work goes to it' };
  if (pinned_runs > 0) return { may_stop: false, why: `${pinned_runs} open runs stay with it` };
  if (state === 'draining') return { may_stop: false, why: 'Temporal has not found it drained yet: look again' };
  if (state === 'unknown') return { may_stop: false, why: 'Temporal does not say its state: look again' };
  if (state === 'new') return { may_stop: true, why: 'no work was ever sent to it' };
  if (closed_runs === 0) return { may_stop: true, why: 'drained' };
  return {
    may_stop: true,
    why: `drained; then nobody answers for the state of ${closed_runs} runs that failed or were terminated`,
  };
}
