/** The length of a text in Unicode code points, not in UTF-16 units. */
export function characters(text: string): number {
  return [...text].length;
}

// A pictograph, a skin tone, half a flag or a keycap. As texts ©, ® and ™ are no emoji.
const EMOJI = '(?![©®™])\\p{Extended_Pictographic}|\\p{Emoji_Modifier}|\\p{Regional_Indicator}|\\u{20E3}';
// The variation selector makes an emoji of a sign that is not one alone, such as a digit.
const VARIATION_SELECTOR = '\u{FE0F}';
const DIGIT = '\\p{Nd}';

/** An emoji. */
export const emoji = new RegExp(`${EMOJI}|\\p{Emoji}${VARIATION_SELECTOR}`, 'u');
/** A digit of any script. */
export const digit = new RegExp(DIGIT, 'u');

/** The emoji of {@link emoji} as a pattern without Unicode properties, which few regular expressions know. */
export function emojiPattern(): string {
  return `${classOf(EMOJI)}|${classOf(`(?!${EMOJI})\\p{Emoji}`)}${VARIATION_SELECTOR}`;
}

/** The digits of {@link digit} in the same way. */
export function digitPattern(): string {
  return classOf(DIGIT);
}

const classes = new Map<string, string>();

/** A character class with the ranges of characters that match a pattern. It is made when somebody first asks for it. */
function classOf(pattern: string): string {
  const made =
    classes.get(pattern) ??
    `[${[...everyCharacter().matchAll(new RegExp(`(?:${pattern})+`, 'gu'))].map(range).join('')}]`;
  classes.set(pattern, made);
  return made;
}

function range([run]: RegExpExecArray): string {
  const signs = [...run];
  return signs.length === 1 ? run : `${signs[0]}-${signs.at(-1)}`;
}

// The planes above hold no letters, digits or pictures.
const LAST_CHARACTER = 0x1_ffff;

function everyCharacter(): string {
  return Array.from({ length: LAST_CHARACTER - 0x1f }, (_, index) => String.fromCodePoint(index + 0x20)).join('');
}
