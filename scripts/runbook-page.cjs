// Writes docs/runbook.md from the built package, with the pictures that docs/pictures has.
const { existsSync, readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { runbookPage } = require('../lib/cli/operator/runbook-page.js');

const docs = join(__dirname, '..', 'docs');
const pictures = join(docs, 'pictures');
const taken = existsSync(pictures) ? readdirSync(pictures).map((file) => file.replace('.png', '')) : [];
writeFileSync(join(docs, 'runbook.md'), runbookPage(new Set(taken)));
