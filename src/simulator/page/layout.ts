import { Html, html } from './html';
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

/** A button that says in the form what is to be done. */
export function button(action: string, name: string, look = ''): Html {
  return html`<button name="action" value="${action}" class="${look}">${name}</button>`;
}
