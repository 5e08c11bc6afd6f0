/** The type of a row, and what the rows of all sections share. */
import { operation } from '../../../gateway/operations';
import { edited, sendable } from '../../../gateway/support';
import type { Json, Path } from '../support';

/** Changes to a request, by dotted path; `undefined` removes a field. */
export type Changes = Json;

export interface Row {
  section: string;
  path: Path | 'any';
  field: string;
  /** The interface's rule in short. */
  says: string;
  /** The limit that the row is about, if any. */
  limit?: string | number;
  order: Json;
  takes: readonly Changes[];
  refuses: readonly Changes[];
  /** Whether the app is Global. */
  global?: true;
  /** The trade of a refund. Default: a PIX trade of the refund's amount. */
  trade?: { method: string; channel?: string; order_currency: string; order_amount: string };
  /** Other fields that a refusal may name. */
  orBy?: readonly string[];
  /** The field is accepted, but then the gateway refuses with this `sub_code`: it has no such trade or method. */
  but?: string;
}

export const without = (request: Json, ...fields: string[]) =>
  edited(request, Object.fromEntries(fields.map((field) => [field, undefined])));
export const whole = (path: Path) => without(operation(path).request, 'out_trade_no', 'trade_no', 'account_id');
export const values = (field: string, ...all: unknown[]): Changes[] => all.map((value) => ({ [field]: value }));

/** Rows of one operation. */
export const rowsOf = (section: string, path: Path, rows: readonly Omit<Row, 'section' | 'path'>[]): Row[] =>
  rows.map((row) => ({ section, path, ...row }));

export const ORDERS = ['/trade/pay', '/trade/create'] as const;
export const PAY = '/trade/pay';
export const CREATE = '/trade/create';
export const REFUND = '/trade/refund';
export const ACCOUNT = '/virtual-account/spei/create';
export const WALLET = { ...without(sendable('wallet-card-number'), 'out_trade_no') };

export const AMOUNTS = {
  takes: ['0.01', '1', '1.5', '1.50'],
  refuses: ['0', '0.00', '-0.01', '0.001', '0.009', '1.001', '12.345'],
};
export const CURRENCY = { takes: ['BRL'], refuses: ['B', 'BR', 'BRLL'] };
