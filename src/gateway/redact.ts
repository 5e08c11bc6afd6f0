/** Removes personal data and secrets of a request from the gateway's texts, which may quote it. */

/** Request fields without personal data; errors may show them. */
const PUBLIC = new Set([
  'out_trade_no',
  'trade_no',
  'method',
  'channel',
  'order_currency',
  'order_amount',
  'timeout_express',
  'cancellation_express',
  'trade_type',
  'installments',
  'language_code',
  'region',
  'regions',
  'version',
  'bank',
  'out_request_no',
  'refund_currency',
  'refund_amount',
  'platform_type',
  'type',
  'currency',
  'amount',
  'account_id',
]);

/** `text` on one line of at most 200 characters, with every private value of `request` replaced by `***`. */
export function redact(text: string, request: object): string {
  let clean = text;
  for (const value of privateValues(request).sort((a, b) => b.length - a.length)) {
    clean = clean.replace(occurrencesOf(value), '***');
  }
  return clean.replace(/\s+/g, ' ').slice(0, 200);
}

/**
 * Matches a value in any case and spacing, and a number with any separators between its digits. A value of one or two
 * characters matches as a whole word only.
 */
function occurrencesOf(value: string): RegExp {
  const digits = value.replace(/[\s./-]/g, '');
  if (/^\d{6,}$/.test(digits)) return new RegExp([...digits].join('[\\s./-]?'), 'g');
  const words = value.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const quoted = words.join('\\s+');
  return new RegExp(value.length < 3 ? `(?<![\\p{L}\\p{N}])${quoted}(?![\\p{L}\\p{N}])` : quoted, 'giu');
}

function privateValues(request: object): string[] {
  return Object.entries(request).flatMap(([key, value]) => (PUBLIC.has(key) ? [] : leaves(key, value)));
}

function leaves(key: string, value: unknown): string[] {
  if (typeof value === 'string') return quotations(key, value);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([inner, part]) => leaves(Array.isArray(value) ? key : inner, part));
}

/** The forms in which a text may quote a value: plain, in JSON, in a URL; and each word of a person's name. */
function quotations(key: string, value: string): string[] {
  const words = key === 'name' ? value.split(/\s+/).filter((word) => word.length >= 3) : [];
  const encoded = encodeURIComponent(value.replace(/\p{Surrogate}/gu, ''));
  return [value, JSON.stringify(value).slice(1, -1), encoded, ...words].map((s) => s.trim()).filter(Boolean);
}
