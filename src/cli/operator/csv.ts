/** CSV by RFC 4180, and as spreadsheets write it if amounts have a comma. */
import { CsvError, parse } from 'csv-parse/sync';
import { ConfigError } from '../../process/user-error';

/** A plain number, also below zero. */
const NUMBER = /^-?\d+(\.\d+)?$/;
/** A cell that a spreadsheet may take for a formula, quoted or not, and with or without our apostrophes before it. */
const FORMULA = /^'*[\s\p{Cc}]*[=+\-@＝＋－＠]/u;
/** Characters after which some spreadsheets begin a new cell or line, even within our quotation marks. */
const BEGINNINGS = /([;\t\r\n])/;

/** Every cell that a spreadsheet may see in a field, whichever separator it uses. */
const eachCell = (field: string, change: (cell: string) => string) => field.split(BEGINNINGS).map(change).join('');

/**
 * A line without its end. A text that a spreadsheet would take for a formula gets an apostrophe before it, which `readCsv` removes.
 */
export function csvLine(values: readonly string[]): string {
  return values
    .map((value) => eachCell(value, (cell) => (FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell)))
    .map((value) => (/[",;\t\r\n\uFEFF]|^'/.test(value) ? quoted(value) : value))
    .join(',');
}

const quoted = (value: string) => `"${value.replace(/"/g, '""')}"`;

/** A row's fields, and the line on which it ends, counted from 1. */
export interface CsvRow {
  line: number;
  fields: string[];
}

/**
 * The rows of a text, without a byte order mark at its beginning and without empty lines. Throws ConfigError with the line
 * that has a stray quotation mark, or more or fewer fields than the first.
 */
export function readCsv(text: string, separator: string): CsvRow[] {
  const rows: CsvRow[] = [];
  try {
    parse(text, {
      ...{ bom: true, delimiter: separator, record_delimiter: ['\r\n', '\n', '\r'] },
      ...{ skip_empty_lines: true, skip_records_with_empty_values: true },
      on_record: (fields: string[], { lines }) => {
        rows.push({ line: lines, fields: fields.map(withoutMarks) });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ConfigError(`Line ${error.lines} of the list ${problemOf(error)}`);
  }
  return rows;
}

/** Never the library's own sentence: it quotes the list. */
const problemOf = ({ code }: CsvError) =>
  code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH'
    ? 'has other columns than the first line: a separator within a field needs quotation marks around it.'
    : 'has a stray quotation mark.';

const withoutMarks = (field: string) =>
  eachCell(field, (cell) => (cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell));
