/** The ids of the interface: trade, order, refund and account numbers. Pure. */

/** The interface's bound for most of them, in characters (code points). */
const MAX_ID = 64;
/** Control characters, and halves of a character: no database takes them. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;

/** Whether every character of it may be in an id. */
export const hasIdCharacters = (text: string): boolean => !UNFIT.test(text);

/** Whether a text can be an id of at most so many characters. */
export const isId = (text: string, max = MAX_ID): boolean =>
  text !== '' && [...text].length <= max && hasIdCharacters(text);
