/** Any character that there is, for random texts. */
import fc from 'fast-check';

/** The code points around those of UTF-16's surrogates, which are no characters. */
const BEFORE = { min: 0, max: 0xd7ff };
const AFTER = { min: 0xe000, max: 0x10ffff };

/**
 * As fast-check's unit `binary`, which first makes a table of all characters: most of a second, and 80 MB, in every file that
 * asks for it. It knows its characters again, so that strings of it have fast-check's dangerous words among them, too.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(
    { weight: BEFORE.max - BEFORE.min, arbitrary: fc.integer(BEFORE) },
    { weight: AFTER.max - AFTER.min, arbitrary: fc.integer(AFTER) },
  )
  .map((code) => String.fromCodePoint(code), codeOf);

function codeOf(text: unknown): number {
  const [first, ...more] = typeof text === 'string' ? text : '';
  if (first === undefined || more.length > 0) throw new Error('not one character');
  return first.codePointAt(0) ?? 0;
}
