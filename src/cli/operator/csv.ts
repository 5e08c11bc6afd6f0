/** CSV as RFC 4180 has it. */

/** A line without its end. A text that a spreadsheet would take for a formula is kept as it is, in quotation marks. */
export function csvLine(values: readonly string[]): string {
  return values.map((value) => (/[",\r\n]|^[=+\-@]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value)).join(',');
}
