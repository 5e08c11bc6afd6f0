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

/** So much of a text is looked through. Each character takes time, and who answers may send a megabyte of them. */
const LOOKED_AT = 10_000;

/** `text` on one line of at most 200 characters, with every private value of `request` replaced by `***`. */
export function redact(text: string, request: object): string {
  let clean = text.slice(0, LOOKED_AT);
  const values = privateValues(request).sort((a, b) => b.length - a.length);
  for (const value of values) clean = clean.replace(occurrencesOf(value), '***');
  return withoutFolded(clean, values).replace(/\s+/g, ' ').slice(0, 200);
}

/** Also what the gateway writes in another way: without accents, with separators, or escaped for a page, a URL or JSON. */
function withoutFolded(text: string, values: readonly string[]): string {
  const { letters, from, to } = folded(text);
  const hidden = new Set<number>();
  for (const value of values) {
    const { letters: wanted } = folded(value);
    if (wanted.length < 3) continue;
    for (let i = letters.indexOf(wanted); i !== -1; i = letters.indexOf(wanted, i + 1)) {
      for (let at = from[i] ?? 0; at < (to[i + wanted.length - 1] ?? 0); at += 1) hidden.add(at);
    }
  }
  return Array.from({ length: text.length }, (_, at) => {
    if (!hidden.has(at)) return text[at];
    return hidden.has(at - 1) ? '' : '***';
  }).join('');
}

/** An entity of HTML, the bytes of a character in a URL, or an escape of JSON, however often it was escaped. */
const ESCAPED = /&#?\w{1,8};|(?:%[\da-f]{2})+|\\+u[\da-f]{4}|./gisu;

/** Base letters and digits in lower case, and where each was in the text. All else may separate or decorate them. */
function folded(text: string): { letters: string; from: number[]; to: number[] } {
  let letters = '';
  const from: number[] = [];
  const to: number[] = [];
  for (const { 0: token, index } of text.matchAll(ESCAPED)) {
    const plain = plainOf(token);
    for (let i = 0; i < plain.length; i += 1) {
      from.push(index);
      to.push(index + token.length);
    }
    letters += plain;
  }
  return { letters, from, to };
}

/** The base letters and digits of one token, in lower case. Most are one ASCII character, for which all below would be slow. */
function plainOf(token: string): string {
  if (token.length === 1 && token < '\x80') return /[a-z\d]/i.test(token) ? token.toLowerCase() : '';
  return decoded(token)
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** Of these, and of all that is neither letter nor digit, nothing is left in the end. */
const ENTITIES = new Map(['amp', 'lt', 'gt', 'quot', 'apos', 'nbsp'].map((name) => [name, ' ']));

/** What an escaped character stands for, of an accented entity its base letter; every other text as it is. */
function decoded(token: string): string {
  if (token.startsWith('%') && token.length > 1) return Buffer.from(token.replaceAll('%', ''), 'hex').toString();
  if (/^\\+u/i.test(token)) return String.fromCharCode(Number.parseInt(token.slice(-4), 16));
  const [, hex, decimal, name = ''] = /^&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));$/i.exec(token) ?? [];
  const code = hex ? Number.parseInt(hex, 16) : Number(decimal ?? Number.NaN);
  if (code <= 0x10ffff) return String.fromCodePoint(code);
  const [, letter] = /^([a-z])(?:acute|grave|circ|tilde|uml|cedil)$/i.exec(name) ?? [];
  return letter ?? ENTITIES.get(name.toLowerCase()) ?? token;
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
  const values = Object.entries(request).flatMap(([key, value]) => (PUBLIC.has(key) ? [] : leaves(key, value)));
  return [...new Set(values)];
}

function leaves(key: string, value: unknown): string[] {
  if (typeof value === 'string') return quotations(key, value);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([inner, part]) => leaves(Array.isArray(value) ? key : inner, part));
}

/** The forms in which a text may quote a value: plain, in JSON, in a URL, without country; and each word of a name. */
function quotations(key: string, value: string): string[] {
  const words = key === 'name' ? value.split(/\s+/).filter((word) => word.length >= 3) : [];
  const encoded = encodeURIComponent(value.replace(/\p{Surrogate}/gu, ''));
  const texts = [value, JSON.stringify(value).slice(1, -1), encoded, ...words, ...withoutCountry(key, value)];
  return texts.map((s) => s.trim()).filter(Boolean);
}

/** A phone number without its country's or area's code: its last digits, down to eight. */
function withoutCountry(key: string, value: string): string[] {
  const digits = value.replace(/\D/g, '');
  return /phone|mobile/i.test(key) ? [11, 10, 9, 8].flatMap((n) => (digits.length > n ? digits.slice(-n) : [])) : [];
}
