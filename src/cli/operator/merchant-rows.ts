/** The merchant's own list of orders, as `reconcile --csv` reads it. */
import { isReconcilable, type MerchantRow } from '../../contract';
import { ConfigError } from '../../process/user-error';
import { printable } from '../print';
import { readCsv } from './csv';

/** The rows of a CSV whose header names order, amount and status, and perhaps currency. Throws ConfigError. */
export function merchantRows(csv: string): MerchantRow[] {
  const [head = [], ...lines] = readCsv(csv);
  const names = head.map((name) => name.trim().toLowerCase());
  const at = (...known: string[]) => names.findIndex((name) => known.includes(name));
  const columns = { order: at('order', 'out_trade_no'), amount: at('amount', 'order_amount'), status: at('status') };
  const currency = at('currency', 'order_currency');
  const missing = Object.entries(columns).flatMap(([name, column]) => (column < 0 ? [name] : []));
  if (missing.length > 0)
    throw new ConfigError(`The first line of the list must name columns; it lacks ${missing.join(', ')}.`);
  const rows = lines.map((line, i) => {
    const row = { out_trade_no: line[columns.order], order_amount: line[columns.amount], status: line[columns.status] };
    const { out_trade_no, order_amount, status } = row;
    if (!out_trade_no || !status || !/^\d+(\.\d+)?$/.test(order_amount ?? '')) {
      throw new ConfigError(`Row ${i + 2} of the list must have an order, an amount such as 150.00, and a status.`);
    }
    if (!isReconcilable(status)) {
      const words = 'the gateway’s own, or paid, refunded, open, pending, unpaid, canceled or failed';
      throw new ConfigError(
        `Row ${i + 2} of the list has a status that is not known: ${printable(status)}. Write ${words}.`,
      );
    }
    const money = line[currency];
    return { out_trade_no, order_amount: order_amount ?? '', status, ...(money ? { order_currency: money } : {}) };
  });
  requireEachOnce(rows);
  return rows;
}

/** Of two rows of one order only one could be compared, and nobody would hear of the other. */
function requireEachOnce(rows: readonly MerchantRow[]): void {
  const firstAt = new Map<string, number>();
  for (const [i, { out_trade_no }] of rows.entries()) {
    const first = firstAt.get(out_trade_no);
    if (first !== undefined)
      throw new ConfigError(`Rows ${first + 2} and ${i + 2} of the list are the same order. Give each order one row.`);
    firstAt.set(out_trade_no, i);
  }
}
