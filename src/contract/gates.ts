/**
 * Every gate of the workflows' code. A run that is open at a deploy or a rollback must replay on the worker that takes it: so a change of a
 * workflow's commands stands behind a gate, which ships closed and opens one release later. The release before the one that opens the gate
 * then reads histories from before and after the change.
 *
 * Each gate names the kept history (test/histories/kept) that needs it, and why: test/histories/gates.test.ts removes each
 * gate and expects that this history no longer replays. Before the first tagged version there are no gates.
 */
export interface Gate {
  /** A file of test/histories/kept, recorded before the change. */
  readonly history: string;
  readonly why: string;
  /** The first release of this package whose code has both branches. */
  readonly readSince: string;
  /** The first release whose workers open it for runs that reach it: later than `readSince`. */
  readonly opensIn: string;
}
export type Gates = Readonly<Record<string, Gate>>;

export const GATES = {} as const satisfies Gates;

/** What a worker does with gates, as its release publishes it. */
export interface GatesOfRelease {
  release: string;
  /** The gates that its code knows: it replays runs that have passed them. */
  reads: readonly string[];
  /** Those of them that it opens. */
  opens: readonly string[];
}

/** Whether workers of a release open a gate. Before that, only runs for which another worker has opened it take the changed code. */
export const isOpenedBy = ({ opensIn }: Pick<Gate, 'opensIn'>, release: string): boolean => !isBefore(release, opensIn);

/** `gates`: those of the code of this release. */
export function gatesOf(release: string, gates: Gates = GATES): GatesOfRelease {
  const open = Object.entries(gates).filter(([, gate]) => isOpenedBy(gate, release));
  return { release, reads: Object.keys(gates), opens: open.map(([name]) => name) };
}

/** By major, minor and patch. A pre-release counts as its release: `0.2.0-rc.1` opens what `0.2.0` opens. */
function isBefore(one: string, other: string): boolean {
  const [ours, theirs] = [numbersOf(one), numbersOf(other)];
  const at = ours.findIndex((number, i) => number !== theirs[i]);
  return at >= 0 && (ours[at] ?? 0) < (theirs[at] ?? 0);
}

function numbersOf(release: string): number[] {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)/.exec(release) ?? [];
  if (numbers.length === 0) throw new Error(`${release} is no release, which has the form 1.2.3.`);
  return numbers.map(Number);
}
