/** The merchant's own list of orders, as `reconcile --csv` reads it. */
import { isReconcilable, type MerchantRow } from '../../contract';
import { ConfigError } from '../../process/user-error';
import { printable } from '../print';
import { type CsvRow, readCsv } from './csv';

/** A list, and how it was read. */
export interface MerchantList {
  rows: MerchantRow[];
  /** How it was read: "separator ;, decimal comma". */
  readAs: string;
  /** A sentence for each row that is not among `rows`. */
  leftOut: string[];
}

/** Possible separators of fields: the one with which the first line has most column names is used. */
const SEPARATORS = [',', ';'];

/** The names of columns, without case. The first three must be there. */
const COLUMNS = {
  order: ['order', 'out_trade_no'],
  amount: ['amount', 'order_amount'],
  status: ['status'],
  currency: ['currency', 'order_currency'],
  refunded: ['refunded', 'refunded_amount'],
};
type Column = keyof typeof COLUMNS;
const REQUIRED: readonly Column[] = ['order', 'amount', 'status'];

/** How amounts are written: `grouped` may stand between thousands. */
const DECIMALS = [
  { name: 'point', point: '.', grouped: ',', form: /^(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/ },
  { name: 'comma', point: ',', grouped: '.', form: /^(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$/ },
] as const;
type Decimal = (typeof DECIMALS)[number];

/**
 * The rows of a CSV whose header names order, amount and status, and perhaps currency and the refunded amount. The whole list must be readable
 * with one separator and one way to write decimals. Throws ConfigError, with the line.
 */
export function merchantRows(csv: string): MerchantList {
  const { separator, at, lines } = tableOf(csv);
  const decimal = decimalOf(lines.flatMap((row) => [at(row, 'amount'), at(row, 'refunded')].flatMap(amountOn(row))));
  const list: MerchantList = { rows: [], readAs: `separator "${separator}", decimal ${decimal.name}`, leftOut: [] };
  const lineOf = new Map<string, number>();
  for (const row of lines) {
    const one = merchantRow(row, (column) => at(row, column), decimal);
    const first = lineOf.get(one.out_trade_no);
    // Of two rows of one order only one can be compared.
    if (first !== undefined) list.leftOut.push(sameOrder(one.out_trade_no, first, row.line));
    else list.rows.push(one);
    lineOf.set(one.out_trade_no, first ?? row.line);
  }
  return list;
}

const sameOrder = (out_trade_no: string, first: number, second: number) =>
  `Lines ${first} and ${second} of the list are the same order, ${printable(out_trade_no)}: line ${second} was left out. Give each order one row.`;

/** The rows below the header, and how to read a column of a row: empty if the list does not have the column. */
function tableOf(csv: string) {
  const head = csv.split(/\r\n?|\n/).find((line) => line.trim() !== '') ?? '';
  const lacking = SEPARATORS.map((separator) => ({ separator, lacks: missing(head.split(separator).map(nameOf)) }));
  const [best] = lacking.sort((a, b) => a.lacks.length - b.lacks.length);
  if (!best || best.lacks.length > 0)
    throw new ConfigError(
      `The first line of the list must name columns, with , or ; between them; it lacks ${best?.lacks.join(', ')}.`,
    );
  const [first, ...lines] = readCsv(csv, best.separator);
  const names = first?.fields.map(nameOf) ?? [];
  const at = ({ fields }: CsvRow, column: Column) => fields[columnOf(names, column)]?.trim() ?? '';
  return { separator: best.separator, at, lines };
}

/** The name of a column, from a raw or a parsed field. */
const nameOf = (field: string) =>
  field
    .replace(/\uFEFF|"/g, '')
    .trim()
    .toLowerCase();
const columnOf = (names: readonly string[], column: Column) =>
  names.findIndex((name) => COLUMNS[column].includes(name));
const missing = (names: readonly string[]) => REQUIRED.filter((column) => columnOf(names, column) < 0);

interface WrittenAmount {
  text: string;
  line: number;
}

const amountOn =
  ({ line }: CsvRow) =>
  (text: string): WrittenAmount[] =>
    text === '' ? [] : [{ text, line }];

/** The one way in which all amounts of a list can be read; either, if both give the same amounts. */
function decimalOf(amounts: readonly WrittenAmount[]): Decimal {
  const none = amounts.find(({ text }) => DECIMALS.every(({ form }) => !form.test(text)));
  if (none) {
    throw new ConfigError(`Line ${none.line} of the list has no amount such as 150.00, but ${printable(none.text)}.`);
  }
  const [way, another] = DECIMALS.filter(({ form }) => amounts.every(({ text }) => form.test(text)));
  if (!way) {
    const unlike = DECIMALS.flatMap(({ form }) => amounts.find(({ text }) => !form.test(text)) ?? []);
    const both = unlike.map(({ line, text }) => `${text} on line ${line}`).join(' and ');
    throw new ConfigError(`The list writes amounts in two ways: ${both}. Write all of them alike, such as 150.00.`);
  }
  const unclear = another && amounts.find(({ text }) => plain(text, way) !== plain(text, another));
  if (unclear) {
    const [one, two] = DECIMALS.map((decimal) => plain(unclear.text, decimal));
    throw new ConfigError(
      `Line ${unclear.line} of the list is not clear: ${unclear.text} may be ${one} or ${two}, and no other amount tells. Write two decimals.`,
    );
  }
  return way;
}

/** "1.234,56" as "1234.56". */
const plain = (text: string, { point, grouped }: Decimal) => text.replaceAll(grouped, '').replace(point, '.');

function merchantRow({ line }: CsvRow, field: (column: Column) => string, decimal: Decimal): MerchantRow {
  const [out_trade_no, amount, status] = [field('order'), field('amount'), field('status')];
  if (out_trade_no === '' || amount === '' || status === '') {
    throw new ConfigError(`Line ${line} of the list must have an order, an amount such as 150.00, and a status.`);
  }
  if (!isReconcilable(status)) {
    const words = 'the gateway’s own, or paid, refunded, open, pending, unpaid, canceled or failed';
    throw new ConfigError(
      `Line ${line} of the list has a status that is not known: ${printable(status)}. Write ${words}.`,
    );
  }
  const [currency, refunded] = [field('currency'), field('refunded')];
  return {
    ...{ out_trade_no, order_amount: plain(amount, decimal), status },
    ...(currency ? { order_currency: currency } : {}),
    ...(refunded ? { refunded_amount: plain(refunded, decimal) } : {}),
  };
}
