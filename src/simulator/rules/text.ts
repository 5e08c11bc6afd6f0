/** The length of a text in characters as a person counts code points, not in UTF-16 units. */
export function characters(text: string): number {
  return [...text].length;
}

// A pictograph (with its skin tones, and what a zero-width joiner ties to it), half a flag, a keycap, or any sign that a
// variation selector turns into an emoji. Digits alone have Unicode's property Emoji and are none; so are ©, ® and ™ as text.
const EMOJI =
  /(?![©®™])\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\p{Emoji}\u{FE0F}|\u{20E3}/u;

/** Whether a text holds an emoji. */
export function hasEmoji(text: string): boolean {
  return EMOJI.test(text);
}

/** Whether a text holds a digit of any script. */
export function hasDigit(text: string): boolean {
  return /\p{Nd}/u.test(text);
}

/** Whether a text is an absolute http or https address. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The emoji of {@link hasEmoji} as a regular expression without Unicode properties, which few engines have. */
export const patternOfEmoji = once(() => {
  const VARIATION_SELECTOR = '\u{FE0F}';
  const alone = classOf(hasEmoji);
  const withSelector = classOf((sign) => !hasEmoji(sign) && hasEmoji(sign + VARIATION_SELECTOR));
  return `${alone}|${withSelector}${VARIATION_SELECTOR}`;
});

/** The digits of {@link hasDigit} likewise. */
export const patternOfDigits = once(() => classOf(hasDigit));

// The last planes hold neither letters, digits nor pictures.
const LAST_CHARACTER = 0x1_ffff;

// A character class, written with the characters themselves, of all that a predicate holds for.
function classOf(belongs: (sign: string) => boolean): string {
  const ranges: { first: string; last: string; end: number }[] = [];
  for (let code = 0x20; code <= LAST_CHARACTER; code += 1) {
    const sign = String.fromCodePoint(code);
    if (!belongs(sign)) continue;
    const range = ranges.at(-1);
    if (range?.end === code - 1) Object.assign(range, { last: sign, end: code });
    else ranges.push({ first: sign, last: sign, end: code });
  }
  return `[${ranges.map(({ first, last }) => (first === last ? first : `${first}-${last}`)).join('')}]`;
}

// Every character is looked at for a class: when somebody asks, and then never again.
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
