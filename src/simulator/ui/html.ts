/** Markup. A template takes it as it is. */
export class Html {
  constructor(readonly text: string) {}
}

/** A value in a template: markup, or another value, which is escaped. null, undefined and false are left out. */
export type Part = Html | string | number | null | undefined | false | readonly Html[];

/** Builds markup. Every value that is no markup is escaped, so the text of an order cannot become markup. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const [first = '', ...rest] = strings;
  return new Html(first + rest.map((text, index) => render(parts[index]) + text).join(''));
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escapeHtml(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for element content and quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
