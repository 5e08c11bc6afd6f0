/** How much goes into one payload of Temporal, which takes 2 MB. Pure. */

/** Half of it: an encrypted payload is larger, and more may stand beside what is counted. */
const PAGE_BYTES = 1024 * 1024;

/** How many bytes a value has as JSON in UTF-8. */
export const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** The items from the first on that go into one payload, at most `most` of them. One goes always. */
export function onePage<T>(items: readonly T[], most = items.length): T[] {
  let bytes = 0;
  const firstOver = items.findIndex((item, i) => {
    bytes += bytesOf(item);
    return i > 0 && (bytes > PAGE_BYTES || i >= most);
  });
  return items.slice(0, firstOver === -1 ? items.length : firstOver);
}
