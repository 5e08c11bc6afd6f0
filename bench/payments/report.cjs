/** The table for people. */
const digits = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));
const cell = (figure) => {
  if (figure === undefined) return '';
  const { median, min, max } = figure;
  return min === max ? digits(median) : `${digits(median)} (${digits(min)}–${digits(max)})`;
};

/** Markdown: a row for each figure, a column for each contestant, and how ours compare. */
function table(title, columns) {
  const names = Object.keys(columns);
  const rows = Object.keys(columns[names[0]]);
  const ratio = (row, other) =>
    columns.ours && columns[other] ? (columns.ours[row].median / columns[other][row].median).toFixed(2) : '';
  const lines = rows.map((row) =>
    [row, ...names.map((name) => cell(columns[name][row])), ratio(row, 'by-hand'), ratio(row, 'floor')].join(' | '),
  );
  const heads = ['', ...names, 'ours / by hand', 'ours / floor'];
  return [`### ${title}`, '', `| ${heads.join(' | ')} |`, `|${heads.map(() => ' --- |').join('')}`]
    .concat(lines.map((line) => `| ${line} |`))
    .concat('')
    .join('\n');
}

module.exports = { table };
