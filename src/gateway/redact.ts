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
]);

/** `text` with every private value of `request` replaced, in at most 200 characters and on one line. */
export function redact(text: string, request: object): string {
  let clean = text;
  for (const value of privateValues(request).sort((a, b) => b.length - a.length)) {
    clean = clean.replaceAll(value, '***');
  }
  return clean.replace(/\s+/g, ' ').slice(0, 200);
}

function privateValues(request: object): string[] {
  return Object.entries(request).flatMap(([key, value]) => (PUBLIC.has(key) ? [] : leaves(value)));
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= 3 ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}
