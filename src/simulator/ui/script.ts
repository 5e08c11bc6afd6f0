/** What the pages run in the browser: local times and copy buttons. A page is complete without it. */
export const script = `
const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
for (const time of document.querySelectorAll('time')) time.textContent = format.format(new Date(time.dateTime));
for (const button of document.querySelectorAll('[data-copies]')) {
  const name = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const code = document.getElementById(button.dataset.copies);
    getSelection().selectAllChildren(code);
    // A page that is not on this machine and has no HTTPS has no clipboard, only the old command.
    await (navigator.clipboard?.writeText(code.textContent) ?? document.execCommand('copy'));
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = name; }, 3000);
  });
}
`;
