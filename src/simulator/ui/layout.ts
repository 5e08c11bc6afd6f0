import { utcText } from '../time';
import { Html, html, type Part } from './html';
import { style } from './style';

/** A whole page around its content. */
export function layout(title: string, content: Html, width: 'narrow' | 'wide' = 'narrow'): Html {
  return html`<!doctype html>
<html lang="en">
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
<p class="note">Simulated payment gateway: no money moves here.</p>
</main>
</body>
</html>
`;
}

/** A page that says why there is no other one. */
export function problemPage(title: string, sentence: string): Html {
  return layout(title, html`<h1>${title}</h1><p role="alert">${sentence}</p>`);
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

export interface StateText {
  text: string;
  tone?: 'good' | 'bad';
}

/** A state in words and as the interface calls it. */
export function stateShown(status: string, { text, tone }: StateText): Html {
  return html`<span class="${tone}" role="status">${text} <span class="note">(${status})</span></span>`;
}

/** A moment in a form that people and machines read. */
export function moment(time: number): Html {
  return html`<time datetime="${new Date(time).toISOString()}">${utcText(time)} UTC</time>`;
}
