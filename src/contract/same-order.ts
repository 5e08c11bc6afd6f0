/** Whether two requests, or a request and what the gateway names, are the same order. Pure. */
import { isMoney, sameAmount } from '../gateway/pure/money';
import type { Order } from './earlier-payment';
import type { NewPayment, OtherAmount, PaymentData, PaymentInput, PaymentState } from './payment';
import { outcomeOf } from './trade-status-table';

/** The order that a run was started with; undefined for a trade that exists already, or a broken start. */
export function orderOf(input: PaymentInput): Order | undefined {
  if (input.kind === 'adopt') return undefined;
  const { kind, request }: Pick<NewPayment, 'kind'> & Partial<NewPayment> = input;
  return request && { kind, request };
}

/** Whether the gateway's answer to our creation named this trade. A trade that a query found may be another system's. */
export function isNamedByItsCreation({ payment_data }: KnownCreation, trade_no: string | null | undefined): boolean {
  return !!trade_no && payment_data?.recovered === false && payment_data.trade_no === trade_no;
}

/** Whether this differs from the order, or is no amount. For a trade that was adopted without an order, the gateway's first amount counts. */
export function isUnlikeOrder(
  { order_amount, order_currency }: Pick<PaymentState, 'order_amount' | 'order_currency'>,
  { amount, currency }: { readonly amount?: string | undefined; readonly currency?: string | undefined },
): boolean {
  return (
    (amount !== undefined && !(isMoney(amount) && sameAmount(amount, order_amount ?? amount))) ||
    (currency !== undefined && order_currency !== null && currency.toUpperCase() !== order_currency.toUpperCase())
  );
}

/** Whether a person has decided about this amount unlike the order's, when the trade had shown the money. */
export function isDecided(
  { confirmed_by, mismatch, trade_status }: Partial<Pick<PaymentState, 'confirmed_by' | 'mismatch' | 'trade_status'>>,
  amount: SaidAmount,
): boolean {
  if (confirmed_by !== 'operator' || !mismatch || outcomeOf(trade_status ?? '') !== 'SUCCESS') return false;
  return isSameAmount(mismatch, amount);
}

/** An amount that was reported; both fields may be missing. */
export interface SaidAmount {
  readonly amount?: string | null | undefined;
  readonly currency?: string | null | undefined;
}

/** Whether this is the same amount; a missing field does not differ. */
export function isSameAmount(known: OtherAmount, { amount, currency }: SaidAmount): boolean {
  const isSame = !amount || amount === known.amount || sameAmount(amount, known.amount ?? '');
  return isSame && (!currency || currency.toUpperCase() === known.currency?.toUpperCase());
}

interface KnownCreation {
  readonly payment_data?: PaymentData | null | undefined;
}

type KnownTrade = Pick<PaymentState, 'outcome' | 'order_amount' | 'order_currency' | 'method'>;

/**
 * The fields that may differ when the same order is sent again, each with the reason: they tell how the buyer comes and goes, not who
 * pays what. Any other field, of sections 4.1 and 4.2 or unknown to the interface, makes it another order.
 */
export const VOLATILE_FIELDS = {
  ip: 'the buyer has moved to another network',
  fingerprint: 'the page has measured the device anew',
  language_code: 'the buyer reads another language',
  return_url: 'it names the session that the buyer returns to',
  notify_url: 'the webhook has moved',
} as const;

/** The fields in which an order differs from what has its number: the order that was made, or else another system's trade. */
export function fieldsUnlikeKnown(
  { kind, request }: Order,
  made: Order | undefined,
  trade: KnownTrade | null,
): string[] {
  if (made) return differingFields(lasting(made), lasting({ kind, request }));
  return trade ? fieldsUnlikeTrade(trade, request) : [];
}

/** The fields that identify an order. */
function lasting({ kind, request }: Order): object {
  return Object.fromEntries(Object.entries({ kind, ...request }).filter(([field]) => !(field in VOLATILE_FIELDS)));
}

/** The fields in which an order differs from a trade that was made elsewhere, among those that both have. */
function fieldsUnlikeTrade(
  { outcome, order_amount, order_currency, method }: KnownTrade,
  request: NewPayment['request'],
): string[] {
  // A person ended the payment before the gateway showed the trade: nobody can tell whether it is this order.
  if (outcome !== null && order_amount === null) return ['order_amount'];
  const known = { order_amount, order_currency, ...(request.method === undefined ? {} : { method }) };
  const names = Object.entries(known).flatMap(([name, value]) => (value === null ? [] : [name]));
  const named = (from: object) => Object.fromEntries(names.map((name) => [name, Reflect.get(from, name)]));
  return differingFields(named(known), named(request));
}

/** A sealed secret is `{ "sealed": "…" }` in a request. */
const SEAL = '.sealed';

/**
 * The dotted paths at which two requests differ. Two sealed secrets count as equal, because sealing the same secret
 * twice gives two texts. Amounts are compared as numbers: "12.1" equals "12.10". Case does not count in a currency.
 */
export function differingFields(a: unknown, b: unknown): string[] {
  const left = leaves(a);
  const right = leaves(b);
  const differing = [...new Set([...left.keys(), ...right.keys()])].filter((path) => {
    const [x, y] = [left.get(path), right.get(path)];
    if (x === undefined || y === undefined) return true;
    if (path.endsWith('order_amount')) return x !== y && !sameAmount(x, y);
    if (path.endsWith('order_currency')) return x.toUpperCase() !== y.toUpperCase();
    return x !== y && !path.endsWith(SEAL);
  });
  return [...new Set(differing.map((path) => (path.endsWith(SEAL) ? path.slice(0, -SEAL.length) : path)))];
}

function leaves(value: unknown, path = ''): Map<string, string> {
  if (value === undefined || value === null) return new Map();
  if (typeof value !== 'object') return new Map([[path, String(value)]]);
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => [...leaves(inner, path === '' ? key : `${path}.${key}`)]),
  );
}
