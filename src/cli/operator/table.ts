/** Columns of text for a terminal. */
import { printable } from '../print';

/** A line for each row, with columns as wide as their widest value. Empty columns are left out. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const kept = head.map((_, i) => rows.some((row) => row[i] !== undefined && row[i] !== ''));
  const lines = [head, ...rows].map((row) => row.filter((_, i) => kept[i]).map((text) => printable(text)));
  const widths = (lines[0] ?? []).map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
