/** Stand-ins for what is private: the same value always gets the same stand-in, which reveals nothing of the value. */
import { FIELD_NAME } from '../codec/mask';

/** Fields whose values say nothing of a person, an order or a merchant. What a new field holds is private until it is listed. */
const KEPT: ReadonlySet<string> = new Set([
  ...['is', 'said', 'kind', 'to', 'why', 'after_ms', 'since_ms'],
  ...['outcome', 'retryable', 'operation', 'code', 'sub_code', 'http_status', 'credentials', 'recovered'],
  ...['trade_status', 'order_amount', 'order_currency', 'amount', 'currency', 'method', 'channel', 'trade_type'],
  ...['timeout_express', 'cancellation_express', 'installments', 'region', 'language_code', 'platform_type'],
  ...['refund_amount', 'refund_currency', 'refund_status', 'refunded_elsewhere', 'although'],
]);

/** The gateway may write anything into any field: only a word, an amount or a duration is kept. */
const PLAIN = /^(?:[A-Za-z_/][A-Za-z_/-]{0,47}|-?\d{1,14}(?:\.\d{1,8})?|\d{1,4}[mhdc])$/;

const NAMES: Readonly<Record<string, string>> = {
  ...{ out_trade_no: 'order', trade_no: 'trade', of: 'trade', out_request_no: 'refund' },
  ...{ by: 'person', reason: 'text', note: 'text', message: 'text' },
};

export class StandIns {
  private readonly known = new Map<string, string>();
  private readonly numbers = new Map<string, number>();

  /** The value with a stand-in in the place of all that is private. */
  hide(value: unknown, field = ''): unknown {
    if (Array.isArray(value)) return value.map((one) => this.hide(one, field));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          FIELD_NAME.test(name) ? name : this.of(name, 'field'),
          this.hide(inner, name),
        ]),
      );
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    return KEPT.has(field) && PLAIN.test(String(value)) ? value : this.of(String(value), NAMES[field] ?? 'private');
  }

  private of(value: string, name: string): string {
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const number = 1 + (this.numbers.get(name) ?? 0);
    this.numbers.set(name, number);
    this.known.set(value, `${name}-${number}`);
    return `${name}-${number}`;
  }
}
