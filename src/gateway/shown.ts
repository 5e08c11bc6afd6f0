/**
 * Which of the gateway's codes an error may show. Errors reach logs, histories and people, and a gateway may quote the request in any
 * field. So only known codes are shown, and words that have the form of a code and quote nothing of the request. The gateway's sentence
 * (`sub_msg`) is never shown.
 */
import { isListed } from './refusals';

/** Shown in place of a hidden code. */
const HIDDEN = '***';

/** Letters, digits and what joins them. An identity number, a phone number or an address is longer, or has other characters. */
const CODE = /^[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*$/;
const MAX_LENGTH = 40;
const MAX_DIGITS = 7;
const MAX_DIGITS_IN_A_ROW = 5;

/** A shorter value of the request is part of many codes: only a code that equals it is hidden. */
const MIN_PART = 4;
/** The same holds for a merchant's own texts, such as "Order". */
const IN_WORDS: ReadonlySet<string> = new Set(['subject', 'content', 'refund_reason']);

/** Fields of a request that say nothing of a person. */
const OF_NOBODY: ReadonlySet<string> = new Set([
  ...['out_trade_no', 'trade_no', 'out_request_no', 'account_id', 'method', 'channel', 'bank', 'language_code'],
  ...['order_currency', 'order_amount', 'refund_currency', 'refund_amount', 'currency', 'amount', 'installments'],
  ...['timeout_express', 'cancellation_express', 'trade_type', 'platform_type', 'region', 'regions', 'version'],
]);

export interface ShownOptions {
  /** Codes that may be shown besides the table of refusals: names of fields, and codes of the settings. */
  known: readonly string[];
  /** Values that may not be shown: of the request, or a secret. */
  hidden: readonly unknown[];
}

/** The gateway's code as it may be shown: the code itself, or `***`. */
export function shownCode(word: string, { known, hidden }: ShownOptions): string {
  if (word === '' || isListed(word) || known.includes(word)) return word;
  if (!hasFormOfCode(word)) return HIDDEN;
  const letters = lettersOf(word);
  const isQuoted = partsOf('', hidden).some(({ value, isWhole }) =>
    isWhole || value.length < MIN_PART ? letters === value : letters.includes(value),
  );
  return isQuoted ? HIDDEN : word;
}

function hasFormOfCode(word: string): boolean {
  if (word.length > MAX_LENGTH || !CODE.test(word)) return false;
  const rows = word.match(/\d+/g) ?? [];
  return rows.join('').length <= MAX_DIGITS && rows.every((row) => row.length <= MAX_DIGITS_IN_A_ROW);
}

interface Part {
  value: string;
  /** Whether only a code that equals the value counts as quoting it. */
  isWhole: boolean;
}

/** The letters and digits of every value, and of each word of a name. */
function partsOf(key: string, value: unknown): Part[] {
  if (OF_NOBODY.has(key)) return [];
  if (typeof value === 'string' || typeof value === 'number') {
    const words = key === 'name' ? String(value).split(/\s+/) : [];
    return [String(value), ...words].map((text) => ({ value: lettersOf(text), isWhole: IN_WORDS.has(key) }));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => partsOf(Array.isArray(value) ? key : name, inner));
}

/** In lower case, without accents and separators. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
}
