import { utcText } from '../time';
import { Html, html, type Part } from './html';
import type { Voice } from './languages';
import { script } from './script';
import { style } from './style';
import { type ProblemText, type StateText, sentences } from './texts';

/** A whole page around its content. */
export function layout({ tag, say }: Voice, title: string, content: Html, width: 'narrow' | 'wide' = 'narrow'): Html {
  return html`<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main class="${width}">
${content}
<p class="note">${say(sentences.simulated)}</p>
</main>
<script>${new Html(script)}</script>
</body>
</html>
`;
}

/** A page that says why there is no other one. */
export function problemPage(voice: Voice, { title, sentence }: ProblemText): Html {
  const name = voice.say(title);
  return layout(voice, name, html`<h1>${name}</h1><p role="alert">${voice.say(sentence)}</p>`);
}

/** A sentence about why the last button did nothing. */
export function alert(problem: string | undefined): Part {
  return problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`;
}

/** A button; the form is sent with its action. */
export function button(action: string, name: string, look = ''): Html {
  return html`<button name="action" value="${action}" class="${look}">${name}</button>`;
}

/** A form that is posted to a page, with the fields that the page fills in. */
export function form(page: string, fields: Readonly<Record<string, string>>, content: Html, look = ''): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${page}" class="${look}">${hidden}${content}</form>`;
}

/** Rows of a description list. A row without a value is left out. */
export type Facts = readonly (readonly [name: string, value: Part])[];

/** A description list. */
export function facts(rows: Facts): Html {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== false);
  return html`<dl>${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** A state in words and as the interface calls it. */
export function stateShown({ say }: Voice, status: string, text: StateText): Html {
  return html`<span class="${text.tone}">${say(text)} <span class="note">(${status})</span></span>`;
}

/** A moment, which the page's script writes in the browser's own zone. */
export function moment({ tag }: Voice, time: number | string): Html {
  const date = new Date(time);
  const utc = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(date);
  return html`<time datetime="${date.toISOString()}" title="${utcText(date.getTime())} UTC">${utc} UTC</time>`;
}
