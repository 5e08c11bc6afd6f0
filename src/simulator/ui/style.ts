/** The page's style sheet; inline, since the page loads nothing from anywhere. */
export const style = `
:root { color-scheme: light dark; --ink: #14213d; --soft: #52607a; --line: #d9dfea; --card: #fff; --back: #eef2f8; --main: #0b5fbf; --on-main: #fff; --bad: #a61b1b; --good: #0a6b3d; }
@media (prefers-color-scheme: dark) { :root { --ink: #edf1f8; --soft: #aab6cc; --line: #3a465e; --card: #1b2436; --back: #101725; --main: #7db4ff; --on-main: #0b1526; --bad: #ff9d9d; --good: #7fe0ad; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; padding: 1rem; background: var(--back); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: 0 auto; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
h1 { margin: 0 0 .25rem; font-size: 1.25rem; overflow-wrap: anywhere; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
h3 { margin: 1rem 0 .25rem; color: var(--soft); font-size: .875rem; font-weight: 400; }
.amount { margin: 0 0 1rem; font-size: 2rem; font-weight: 700; overflow-wrap: anywhere; }
.note { color: var(--soft); font-size: .875rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
.qr, .bars { margin: 1rem auto; padding: .5rem; background: #fff; border-radius: .5rem; }
.qr { width: 14rem; max-width: 100%; }
.qr svg { display: block; width: 100%; height: auto; }
.bars { padding: .5rem 0; }
.bars svg { display: block; max-width: 100%; height: 4rem; margin: 0 auto; }
.code { display: flex; gap: .75rem; align-items: center; padding: .5rem .5rem .5rem .75rem; border: 1px solid var(--line); border-radius: .5rem; }
.code p { flex: 1; min-height: 2rem; margin: 0; padding: .25rem 0; font-family: ui-monospace, monospace; overflow-wrap: anywhere; user-select: all; }
.code button { width: auto; min-height: 2.5rem; padding: .25rem .75rem; }
fieldset { margin: 1.5rem 0 0; padding: .5rem 1rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
fieldset label { display: flex; gap: .75rem; align-items: center; min-height: 2.75rem; }
.actions { display: grid; gap: .75rem; margin-top: 1.5rem; }
details { margin-top: 1rem; }
summary { padding: .5rem 0; color: var(--soft); font-size: .875rem; cursor: pointer; }
details .actions { margin-top: .25rem; }
button, .button { display: block; width: 100%; min-height: 3rem; padding: .625rem 1rem; border: 1px solid var(--main); border-radius: .625rem; background: transparent; color: var(--main); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
button.main, .button.main { background: var(--main); color: var(--on-main); }
.wide { max-width: 60rem; }
nav { display: flex; gap: 1rem; margin-bottom: 1rem; }
a { color: var(--main); overflow-wrap: anywhere; }
.field { display: block; margin-top: 1rem; color: var(--soft); }
input:not([type]), select { display: block; width: 100%; min-height: 2.75rem; margin-top: .25rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); color: var(--ink); font: inherit; }
section h2 { margin-top: 0; }
section { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
table { width: 100%; margin-top: 1rem; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td time { white-space: nowrap; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.row { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin-top: 1rem; }
.row button, .row .button { width: auto; } .row .field { flex: 1 1 10rem; margin-top: 0; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
.good { color: var(--good); } .bad { color: var(--bad); }
@media (max-width: 40rem) {
  body { padding: 0; }
  main { min-height: 100vh; padding: 1.5rem 1rem; border: 0; border-radius: 0; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, td { display: block; }
  tr { margin-top: .75rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .5rem; }
  td { display: flex; gap: 1rem; justify-content: space-between; padding: .25rem 0; border: 0; text-align: right; }
  td::before { content: attr(data-name); color: var(--soft); }
}
`;
