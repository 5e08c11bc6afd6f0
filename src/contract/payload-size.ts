/** How much goes into one payload: Temporal takes 2 MB. Pure. */

/** Half of the limit: an encrypted payload is larger, and has more than what is counted. */
const PAGE_BYTES = 1024 * 1024;

/** How many bytes a value has as JSON in UTF-8. */
export const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** The first items that fit into one payload, at most `most`, and at least one. */
export function onePage<T>(items: readonly T[], most = items.length): T[] {
  let bytes = 0;
  const firstOver = items.findIndex((item, i) => {
    bytes += bytesOf(item);
    return i > 0 && (bytes > PAGE_BYTES || i >= most);
  });
  return items.slice(0, firstOver === -1 ? items.length : firstOver);
}
