/** The name that a misspelt one means. Pure. */

/** The nearest of `known`; undefined if each has more than `slips` letters that are wrong, missing or too many. */
export function nearestOf(name: string, known: readonly string[], slips: number): string | undefined {
  // Names of another length are left out first, because each comparison takes long.
  const near = known.filter((each) => Math.abs(each.length - name.length) <= slips);
  const [nearest] = near
    .map((each) => ({ each, wrong: distance(name, each) }))
    .filter(({ wrong }) => wrong <= slips)
    .sort((one, other) => one.wrong - other.wrong);
  return nearest?.each;
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
