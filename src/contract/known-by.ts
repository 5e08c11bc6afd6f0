/** How an outcome is known, in words for people. */
import type { Source } from './payment';

const WORDS: Readonly<Record<string, string>> = {
  query: 'as the gateway answered',
  notification: 'as a signed notification said',
  operator: 'as a person decided',
} satisfies Record<Source, string>;

/** A part of a sentence: `is paid, as the gateway answered`. */
export const knownBy = (confirmed_by: unknown): string =>
  WORDS[String(confirmed_by)] ?? 'as its time was over without another word of the gateway';
