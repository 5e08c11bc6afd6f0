/** Settings that nobody knows: with a misspelt one, money would move by the default. */
import { nearestOf } from '../../gateway/pure/nearest';
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
    const isOurs = name.startsWith('PAYMENTS_') && !OF_KUBERNETES.test(name);
    const nearest = nearestOf(name, known, isOurs ? Number.POSITIVE_INFINITY : SLIPS);
    return nearest === undefined ? [] : [`${name}: there is no such setting; do you mean ${nearest}?`];
  });
}
