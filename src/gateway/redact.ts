/** Keeps what a request says of people and secrets out of what a gateway's text may quote back. */

/** The parts of a request that say nothing of a person and may stand in an error. */
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

/** `text` with every private value of `request` replaced, in at most 200 characters and on one line. */
export function redact(text: string, request: object): string {
  let clean = text;
  for (const value of privateValues(request).sort((a, b) => b.length - a.length)) {
    clean = clean.replace(occurrencesOf(value), '***');
  }
  return clean.replace(/\s+/g, ' ').slice(0, 200);
}

/**
 * Where a gateway quotes a value, in whatever case and spacing; a number also with other separators between its digits.
 * One of a character or two counts as a word of its own only.
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

/** A value as it is, as JSON and as an address quote it; and of a person's name each word. */
function quotations(key: string, value: string): string[] {
  const words = key === 'name' ? value.split(/\s+/).filter((word) => word.length >= 3) : [];
  const encoded = encodeURIComponent(value.replace(/\p{Surrogate}/gu, ''));
  return [value, JSON.stringify(value).slice(1, -1), encoded, ...words].map((s) => s.trim()).filter(Boolean);
}
