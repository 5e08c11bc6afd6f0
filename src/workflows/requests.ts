/** Whether two requests are the same order. Pure. */
import { sameAmount } from '../gateway/money';

/**
 * The dotted paths at which two requests differ. Sealed secrets are left out: every seal of the same secret is another
 * text. Amounts are compared as numbers: "12.1" is "12.10".
 */
export function differingFields(a: unknown, b: unknown): string[] {
  const left = leaves(a);
  const right = leaves(b);
  return [...new Set([...left.keys(), ...right.keys()])].filter((path) => {
    const [x, y] = [left.get(path), right.get(path)];
    if (path.endsWith('.sealed')) return false;
    return x !== y && !(path.endsWith('order_amount') && x !== undefined && y !== undefined && sameAmount(x, y));
  });
}

function leaves(value: unknown, path = ''): Map<string, string> {
  if (value === undefined || value === null) return new Map();
  if (typeof value !== 'object') return new Map([[path, String(value)]]);
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => [...leaves(inner, path === '' ? key : `${path}.${key}`)]),
  );
}
