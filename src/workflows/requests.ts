/** What was ordered, and whether two requests are the same order. Pure. */
import { sameAmount } from '../gateway/money';
import type { NewPayment, PaymentInput } from './contract';

/** What was ordered, where this run or one before it made the order. */
export function orderOf(input: PaymentInput): Pick<NewPayment, 'kind' | 'request'> | undefined {
  return input.kind === 'adopt' ? input.previous?.order : { kind: input.kind, request: input.request };
}

/** A secret stands in a request as `{ "sealed": "…" }`. */
const SEAL = '.sealed';

/**
 * The dotted paths at which two requests differ. Of a sealed secret only its being there counts: every seal of the same
 * secret is another text. Amounts are compared as numbers: "12.1" is "12.10".
 */
export function differingFields(a: unknown, b: unknown): string[] {
  const left = leaves(a);
  const right = leaves(b);
  const differing = [...new Set([...left.keys(), ...right.keys()])].filter((path) => {
    const [x, y] = [left.get(path), right.get(path)];
    if (x === undefined || y === undefined) return true;
    return x !== y && !path.endsWith(SEAL) && !(path.endsWith('order_amount') && sameAmount(x, y));
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
