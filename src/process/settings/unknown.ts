/** Settings that nobody knows: with a misspelt one, money would move by the default. */
import type { Environment } from '../environment';

/** So many letters may be wrong, missing or too many in a name that means one of ours. */
const SLIPS = 2;
/** What Kubernetes sets for a service with the name `payments`. */
const OF_KUBERNETES = /_(SERVICE_(HOST|PORT.*)|PORT(_.*)?)$/;

/**
 * A sentence for each variable that is none of `known` and looks like one: its name begins with `PAYMENTS_`, or is nearly that
 * of a setting. Other names may belong to other programs.
 */
export function unknownSettings(env: Environment, known: readonly string[]): string[] {
  const names = new Set(known);
  return Object.keys(env).flatMap((name) => {
    if (names.has(name) || !/^[A-Z]+S?_/.test(name)) return [];
    const [nearest = '', slips = Infinity] = nearestOf(name, known);
    const isMeant = slips <= SLIPS || (name.startsWith('PAYMENTS_') && !OF_KUBERNETES.test(name));
    return isMeant ? [`${name}: there is no such setting; do you mean ${nearest}?`] : [];
  });
}

function nearestOf(name: string, known: readonly string[]): [name: string, slips: number] | [] {
  // A name of quite another length is no slip. To compare each variable of a process with each setting takes long.
  const near = known.filter((each) => Math.abs(each.length - name.length) <= SLIPS);
  const [first] = (name.startsWith('PAYMENTS_') ? known : near)
    .map((each): [string, number] => [each, distance(name, each)])
    .sort(([, one], [, other]) => one - other);
  return first ?? [];
}

/** The number of letters to change, add or leave out (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, each] of [...other].entries()) {
      next.push(Math.min((row[j] ?? 0) + (letter === each ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
