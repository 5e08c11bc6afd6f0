/** CSV as RFC 4180 has it. */
import { ConfigError } from '../../process/user-error';

/** A line without its end. A text that a spreadsheet would take for a formula is kept as it is, in quotation marks. */
export function csvLine(values: readonly string[]): string {
  return values.map((value) => (/[",\r\n]|^[=+\-@]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value)).join(',');
}

const FIELD = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/y;

/** The rows of a text, by fields. A byte order mark at its beginning, and empty lines, are left out. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  const body = text.replace(/^\uFEFF/, '');
  let row: string[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < body.length) {
    const [, field = '', end = ''] = FIELD.exec(body) ?? [];
    if (FIELD.lastIndex === 0)
      throw new ConfigError(`The list is no CSV: row ${rows.length + 1} has a stray quotation mark.`);
    row.push(field.startsWith('"') ? field.slice(1, -1).replace(/""/g, '"') : field);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows.filter((one) => one.some((field) => field !== ''));
}
