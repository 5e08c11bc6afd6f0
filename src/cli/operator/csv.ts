/** CSV as RFC 4180 has it. */
import { ConfigError } from '../../process/user-error';

/** A plain number, also below zero. */
const NUMBER = /^-?\d+(\.\d+)?$/;
/**
 * What a spreadsheet may take for a formula, whether or not it stands in quotation marks; and what would be read as one of
 * ours.
 */
const FORMULA = /^(?:[\s\p{Cc}]*[=+\-@＝＋－＠]|')/u;

/**
 * A line without its end. A text that a spreadsheet would take for a formula has an apostrophe before it, which `readCsv`
 * takes away.
 */
export function csvLine(values: readonly string[]): string {
  return values
    .map((value) => (FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value))
    .map((value) => (/[",\r\n\uFEFF]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value))
    .join(',');
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
    const value = field.startsWith('"') ? field.slice(1, -1).replace(/""/g, '"') : field;
    row.push(value.startsWith("'") && FORMULA.test(value.slice(1)) ? value.slice(1) : value);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  // A last line without an end may have an empty last field, which stands after a comma.
  if (row.length > 0) rows.push([...row, '']);
  return rows.filter((one) => one.some((field) => field !== ''));
}
