/** Columns of text for a terminal. */
import { printable } from '../print';

/** Where a table is read: how many characters a line has, and whether it may have colours. */
export interface Screen {
  width: number;
  colours: boolean;
}

/** The screen that this process writes to. Without a screen, no line is cut. `NO_COLOR` and `TERM=dumb` are respected. */
export function screenOf({ stdout, env }: Pick<NodeJS.Process, 'stdout' | 'env'> = process): Screen {
  const width = Number(stdout.columns ?? env.COLUMNS);
  return { width: width > 0 ? width : Number.POSITIVE_INFINITY, colours: stdout.isTTY && stdout.hasColors() };
}

/** ANSI codes for cells, used on a screen with colours. */
const MARKS = { bold: 1, red: 31, yellow: 33 } as const;
type Mark = keyof typeof MARKS;

/**
 * A column. `least`: a narrow screen drops the columns with the highest number first; a column without it is only shortened, at last. `yields`:
 * it is shortened before any column is dropped, such as a long note.
 */
export interface TableColumn<Row> {
  name: string;
  of: (row: Row) => string;
  least?: number;
  yields?: boolean;
  mark?: (row: Row) => Mark | undefined;
}

/** No column is shortened below this. */
const SHORTEST = 16;
const GAP = '  ';

/** A line for each row, with columns as wide as their widest value. Empty columns are dropped, and columns for which there is no room. */
export function table<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[], screen = screenOf()): string {
  const cells = columns.map((column) => ({ column, texts: rows.map((row) => printable(column.of(row))) }));
  const used = cells.filter(({ texts }) => texts.some((text) => text !== ''));
  const shown = fitted(
    used.map(({ column, texts }) => ({ column, texts, width: widthOf(column, texts) })),
    screen.width,
  );
  const line = (textOf: (one: Shown<Row>) => string, markOf: (column: TableColumn<Row>) => Mark | undefined) =>
    shown
      .map((one) =>
        marked(cut(textOf(one), one.width).padEnd(one.width), screen.colours ? markOf(one.column) : undefined),
      )
      .join(GAP)
      .trimEnd();
  return [
    line(
      ({ column }) => column.name,
      () => 'bold',
    ),
    ...rows.map((row, i) =>
      line(
        ({ texts }) => texts[i] ?? '',
        ({ mark }) => mark?.(row),
      ),
    ),
  ].join('\n');
}

interface Shown<Row> {
  column: TableColumn<Row>;
  texts: readonly string[];
  width: number;
}

const widthOf = ({ name }: TableColumn<never>, texts: readonly string[]) =>
  Math.max(name.length, ...texts.map((text) => text.length));

function fitted<Row>(shown: readonly Shown<Row>[], width: number): readonly Shown<Row>[] {
  const over = shown.reduce((sum, one) => sum + one.width, (shown.length - 1) * GAP.length) - width;
  if (over <= 0) return shown;
  const yielding = shown.find(({ column, width: wide }) => column.yields && wide > SHORTEST);
  if (yielding) return fitted(narrowed(shown, yielding, over), width);
  const least = Math.max(...shown.map(({ column }) => column.least ?? 0));
  if (least > 0)
    return fitted(
      shown.filter(({ column }) => column.least !== least),
      width,
    );
  const [widest] = [...shown].sort((one, other) => other.width - one.width);
  if (widest === undefined || widest.width <= SHORTEST) return shown;
  return fitted(narrowed(shown, widest, over), width);
}

/** The columns, with one of them narrower by `over` characters, but not below the shortest width. */
const narrowed = <Row>(shown: readonly Shown<Row>[], one: Shown<Row>, over: number): Shown<Row>[] =>
  shown.map((each) => (each === one ? { ...one, width: Math.max(one.width - over, SHORTEST) } : each));

const cut = (text: string, width: number) => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);

const marked = (text: string, mark: Mark | undefined) =>
  mark === undefined ? text : `\u001b[${MARKS[mark]}m${text}\u001b[0m`;
