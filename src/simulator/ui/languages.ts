import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';

/** The languages of the buyer's pages, with the tag of each. The first is for a browser that asks for none of them. */
const tags = { en: 'en', es: 'es-419', pt: 'pt-BR' } as const;
const languages = ['en', 'es', 'pt'] as const satisfies readonly Language[];

type Language = keyof typeof tags;

/** A text in all languages. */
export type Text = Readonly<Record<Language, string>>;

/** What a page is written in. */
export interface Voice {
  /** The tag of the language, for the browser. */
  tag: string;
  say: (text: Text) => string;
}

function voiceIn(language: Language): Voice {
  return { tag: tags[language], say: (text) => text[language] };
}

/** The voice of the desk, which shows the interface's own words. */
export const english = voiceIn('en');

/** A text of the desk. */
export const inEnglish = (text: string): Text => ({ en: text, es: text, pt: text });

/** The voice that a browser asks for. */
export function voiceFor(request: Pick<IncomingMessage, 'headers'>): Voice {
  const asked = new Negotiator(request).language([...languages]);
  return voiceIn(languages.find((language) => language === asked) ?? 'en');
}
