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
